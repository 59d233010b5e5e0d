package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMoreWordsThanFitAreRefusedBeforeAFolderIsMade, in terms of the words and actions that were given, and however many too many they are. As
// many as fit make a folder whose configuration is good.
func TestMoreWordsThanFitAreRefusedBeforeAFolderIsMade(t *testing.T) {
	list := func(n int, between string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint("w", i))
		}
		return strings.Join(all, between)
	}
	root := t.TempDir()
	for i, x := range []struct {
		words, actions int
		key, format    string
		want           string // "" for what fits
	}{
		{60, 2, "features.context", "[c=%s]", ""},
		{61, 2, "features.context", "[c=%s]", "with 2 actions they make 122 numbers, and 120 is the most"},
		{120, 2, "features.context", "[c=%s]", "with 2 actions they make 240 numbers, and 120 is the most"},
		{121, 2, "features.context", "[c=%s]", "with 2 actions they make 242 numbers, and 120 is the most"},
		{5000, 2, "features.context", "[c=%s]", "with 2 actions they make 10000 numbers, and 120 is the most"},
		{2, 130, "features.context", "[c=%s]", "with 130 actions they make 260 numbers, and 120 is the most"},
		{0, 130, "features.context", "[h=0..1]", "with 130 actions they make 260 numbers, and 120 is the most"},
		{119, 2, "features.action", "[c=%s]", ""},
		{121, 2, "features.action", "[c=%s]", "they make 121 numbers, and 120 is the most"},
	} {
		dir := filepath.Join(root, fmt.Sprint("d", i))
		value := x.format
		if x.words > 0 {
			value = fmt.Sprintf(x.format, list(x.words, "|"))
		}
		c, _, stderr := peerd(t, "init", "--dir", dir, "--set", "arms="+list(x.actions, ","), "--set", "privacy.epsilon=1", "--set", x.key+"="+value)
		if x.want == "" {
			if c != exitOK {
				t.Errorf("%d words of %d actions: code %d\n%s", x.words, x.actions, c, stderr)
			}
			does(t, "config", "check", "--dir", dir)
			continue
		}
		if c != exitConfig || !strings.Contains(stderr, x.key+": ") || !strings.Contains(stderr, x.want) || strings.Contains(stderr, "learner.") {
			t.Errorf("%d words of %d actions: code %d\n%s", x.words, x.actions, c, stderr)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%d words of %d actions: a folder is made", x.words, x.actions)
		}
	}
}
