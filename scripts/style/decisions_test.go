package style

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestDecisionsAreNumbered: entries of docs/decisions.md are cited by their numbers, so each has one of its own, and
// they stand in their order.
func TestDecisionsAreNumbered(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "docs", "decisions.md"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, m := range regexp.MustCompile(`(?m)^([0-9]+)\. \*\*`).FindAllSubmatch(b, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil || n != last+1 {
			t.Errorf("entry %s follows %d", m[1], last)
		}
		last = n
	}
	if last < 100 {
		t.Errorf("%d entries", last)
	}
}
