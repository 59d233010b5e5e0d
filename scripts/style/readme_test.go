package style

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	pageLink = regexp.MustCompile(`\]\(([^)\s:]*)\)`) // not to another site
	title    = regexp.MustCompile("(?m)^#+ (.*)$")
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
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

// TestLinksOfPagesLead: every link of a page to a file, or to a heading of a page, has its end.
func TestLinksOfPagesLead(t *testing.T) {
	there, anchors, links := make(map[string]bool), make(map[string]bool), 0
	for _, file := range files(t) {
		there[file], there[path.Dir(file)] = true, true
		if path.Ext(file) == ".md" {
			for _, m := range title.FindAllStringSubmatch(read(t, file), -1) {
				name := noAnchor.ReplaceAllString(strings.ToLower(link.ReplaceAllString(m[1], "$1")), "")
				anchors[file+"#"+strings.ReplaceAll(name, " ", "-")] = true
			}
		}
	}
	for file := range there {
		if path.Ext(file) != ".md" || strings.Contains(file, "testdata/") {
			continue
		}
		for _, m := range pageLink.FindAllStringSubmatch(read(t, file), -1) {
			links++
			to, anchor, _ := strings.Cut(m[1], "#")
			if to = path.Join(path.Dir(file), to); m[1] == "" || m[1][0] == '#' {
				to = file
			}
			if !there[to] || anchor != "" && !anchors[to+"#"+anchor] {
				t.Errorf("%s: the link to %s leads nowhere", file, m[1])
			}
		}
	}
	if links < 500 {
		t.Errorf("%d links are checked", links)
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
