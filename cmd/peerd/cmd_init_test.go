package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
)

// TestInitLeavesRoomForNoMoreThanFits: a new folder has as many spare actions as there is room for, and says if they
// are fewer than usual; what a person asked for is refused.
func TestInitLeavesRoomForNoMoreThanFits(t *testing.T) {
	names, err := os.ReadFile("testdata/init/thousand.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(names)), ",")
	for n, want := range map[int]uint64{len(all): 0, len(all) - 2: 2, len(all) - 4: 4} {
		dir := filepath.Join(t.TempDir(), "new")
		set := []string{"init", "--dir", dir, "--set", "arms=" + strings.Join(all[:n], ","), "--set", "privacy.epsilon=1"}
		if c, _, stderr := peerd(t, append(set, "--set", "spare_arms=5")...); c != exitConfig || !strings.Contains(stderr, "\nspare_arms: 5: want at most ") || !strings.Contains(stderr, "(set by --set spare_arms)") {
			t.Errorf("%d actions: code %d, %s", n, c, stderr)
		}
		c, stdout, stderr := peerd(t, set...)
		if c != exitOK || strings.Contains(stdout, "\nnote: spare_arms is ") != (want < 4) {
			t.Errorf("%d actions: code %d\n%s%s", n, c, stdout, stderr)
			continue
		}
		if made, err := plan.Schema().Load(filepath.Join(dir, "peerd.yaml"), nil); err != nil || made.SpareArms != want {
			t.Errorf("%d actions: %v, and not %d spare ones", n, err, want)
		}
	}
}

// TestNoNameReachesTheTerminalRaw, neither in results nor in errors.
func TestNoNameReachesTheTerminalRaw(t *testing.T) {
	const name = "a\x1b[31m\u202E\u009b"
	for _, args := range [][]string{
		{"config", "check", "--set", "arms=[b, \"" + name + "\"]"},
		{"config", "show", "--set", "dir=" + name},
		{"config", "show", "--json", "--set", "dir=" + name},
		{"config", "show", name},
		{"config", "check", "--json", "--set", "arms=" + name},
	} {
		if _, stdout, stderr := peerd(t, args...); strings.ContainsAny(stdout+stderr, "\x1b\u202E\u009b") || !strings.Contains(stdout+stderr, `\u202e`) {
			t.Errorf("%q: %q %q", args, stdout, stderr)
		}
	}
}
