package style

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestProofsAreIndexed: the index of proofs has a row for every page of its folder and of the laboratory's, and every row names tests that exist.
func TestProofsAreIndexed(t *testing.T) {
	const folder = "docs/proofs/"
	index := read(t, folder+"README.md")
	tests := testNames(t)
	for _, file := range files(t) {
		name := path.Base(file)
		if path.Dir(file) == "docs/lab/proofs" {
			name = "../lab/proofs/" + name
		} else if path.Dir(file)+"/" != folder || name == "README.md" {
			continue
		}
		if !strings.Contains(index, "]("+name) {
			t.Errorf("the index has no row of %s", name)
		}
	}
	rows := 0
	for l := range strings.Lines(index) {
		if !strings.HasPrefix(l, "| ") || strings.HasPrefix(l, "| claim |") {
			continue
		}
		rows++
		names := testName.FindAllStringSubmatch(l, -1)
		if len(names) == 0 || !regexp.MustCompile(`\]\([\w./]+\.md|promise, \d|the page of each`).MatchString(l) {
			t.Errorf("no test, or no proof: %s", l)
		}
		for _, n := range names {
			if !tests[n[1]] {
				t.Errorf("%s is no test: %s", n[1], l)
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d claims, want 30 or more", rows)
	}
}
