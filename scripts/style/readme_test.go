package style

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTheReadmeIsShort: at most 90 lines of at most 100 characters.
func TestTheReadmeIsShort(t *testing.T) {
	text := strings.TrimSuffix(read(t, "README.md"), "\n")
	for i, l := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(l); n > 100 || i >= 90 {
			t.Errorf("README.md:%d: %d characters, want at most 90 lines of 100", i+1, n)
		}
	}
}

// TestEveryPageIsListed: docs/README.md leads to every page of its folder.
func TestEveryPageIsListed(t *testing.T) {
	index := read(t, "docs/README.md")
	for _, file := range files(t) {
		dir, name := path.Split(file)
		if dir == "docs/" && path.Ext(name) == ".md" && name != "README.md" && !strings.Contains(index, "("+name) {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}
