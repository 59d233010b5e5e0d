package style

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

var figureRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| [^|]+ \\| `([a-z0-9-]+\\.yaml)` \\| [^|]+ \\|$")

// TestEveryFigureIsListed: the table of docs/lab/papers.md has a row for each file of configs/figures, and no other.
func TestEveryFigureIsListed(t *testing.T) {
	var listed, there []string
	for _, m := range figureRow.FindAllStringSubmatch(read(t, "docs/lab/papers.md"), -1) {
		listed = append(listed, m[1])
	}
	for _, file := range files(t) {
		if path.Dir(file) == "configs/figures" {
			there = append(there, path.Base(file))
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, there) {
		t.Errorf("docs/lab/papers.md lists\n%q\nand configs/figures has\n%q", listed, there)
	}
}
