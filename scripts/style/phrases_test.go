// Package style has tests of the words in this repository, and no program.
package style

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A phrase is a row of phrases.txt.
type phrase struct {
	*regexp.Regexp
	instead string
	only    string // extension of the files that are held to it; all if empty
}

func phrases(t *testing.T) (all []phrase) {
	t.Helper()
	for _, row := range table(t, "phrases.txt", 2) {
		p := phrase{regexp.MustCompile(row[0]), row[1], ""}
		if len(row) > 2 {
			p.only = "." + row[2]
		}
		all = append(all, p)
	}
	return all
}

// TestPhrases holds documents, comments of configurations, what scripts print, every
// string of the program, and the comments of Go files, tests included, to phrases.txt.
func TestPhrases(t *testing.T) {
	advice(t)
	all := phrases(t)
	checked := 0
	for _, file := range files(t) {
		for _, b := range blocks(t, file) {
			checked++
			for _, s := range b.sentences() {
				for _, p := range all {
					if p.only != "" && p.only != filepath.Ext(file) {
						continue
					}
					if found := p.FindString(s); found != "" {
						t.Errorf("%s:%d: %q: write: %s\n\t%s", b.file, b.line, found, p.instead, s)
					}
				}
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("%d blocks of prose are checked, want 10000 or more", checked)
	}
}

// advice skips a test that finds words a writer may want to change, and no fault: scripts/show.sh advice runs it.
func advice(t *testing.T) {
	t.Helper()
	if os.Getenv("PEERD_ADVICE") == "" {
		t.Skip("advice: scripts/show.sh advice")
	}
}

var target = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)

// TestLinksLead says that links within the repository lead to a file, and to a heading of it.
func TestLinksLead(t *testing.T) {
	links := 0
	for _, file := range files(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range target.FindAllStringSubmatch(code.ReplaceAllString(string(b), ""), -1) {
			links++
			to := filepath.Join(root, filepath.Dir(file), m[1])
			if m[1] == "" {
				to = filepath.Join(root, file)
			}
			page, err := os.ReadFile(to)
			if info, serr := os.Stat(to); serr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: link to %s%s: %v", file, m[1], m[2], err)
			} else if m[2] != "" && !headings(string(page))[m[2]] {
				t.Errorf("%s: %s has no heading %s", file, m[1], m[2])
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links are checked, want 50 or more", links)
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// headings returns the anchors of a page.
func headings(page string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		all["#"+strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}
