package style

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	hop    = regexp.MustCompile(`(?m)^\| (\d+) \| (.+?) \| .* \|$`)
	quoted = regexp.MustCompile("`([^`]+)`")
)

// TestTheWayOfARewardIsThere: the files that docs/hacking.md names on a reward's way exist, and declare the functions that it
// names behind them. The way comes to each of them once.
func TestTheWayOfARewardIsThere(t *testing.T) {
	_, page, _ := strings.Cut(read(t, "docs/hacking.md"), "\n## A reward, from HTTP to a neighbour's decision\n")
	page, _, _ = strings.Cut(page, "\n## ")
	hops := hop.FindAllStringSubmatch(page, -1)
	if len(hops) < 10 || len(hops) > 15 {
		t.Fatalf("%d stays, want 10 to 15", len(hops))
	}
	stays := make(map[string]string) // by file
	for _, m := range hops {
		var folder string
		var there []string
		for _, q := range quoted.FindAllStringSubmatch(m[2], -1) {
			name := q[1]
			switch {
			case path.Ext(name) == ".go":
				if strings.Contains(name, "/") {
					folder = path.Dir(name)
				} else {
					name = path.Join(folder, name)
				}
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("hop %s: %v", m[1], err)
					continue
				}
				if before := stays[name]; before != "" {
					t.Errorf("stay %s returns to %s, after stay %s", m[1], name, before)
				}
				stays[name] = m[1]
				for _, d := range declarations(t, name) {
					there = append(there, d.name)
				}
			case strings.Contains(name, "/"):
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("hop %s: %v", m[1], err)
				}
			case !slices.Contains(there, name[strings.LastIndex(name, ".")+1:]):
				t.Errorf("hop %s: %s is not declared there", m[1], name)
			}
		}
	}
}
