package catalog

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// TestPapersPage: the table of docs/lab/papers.md has a row for each figure, as configs/figures.yaml has it.
func TestPapersPage(t *testing.T) {
	const file, begin, end = "../../../docs/lab/papers.md", "<!-- figures: go test ./internal/lab/catalog -run TestPapersPage -update -->\n", "<!-- end of figures -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(page), begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no %q before %q", file, begin, end)
	}
	var b strings.Builder
	b.WriteString("| paper | figure | name | shows | quick, seconds | full, minutes |\n|---|---|---|---|---|---|\n")
	for _, f := range Figures() {
		paper, shows := f.Paper, f.Shows
		if paper == "" {
			paper = "none"
		}
		if f.Needs != "" {
			shows += " (`PEERD_DATA`)"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %.0f | %s |\n", paper, f.Figure, f.Name, shows, f.Seconds, f.Full())
	}
	want := head + begin + b.String() + end + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if string(page) != want && !*update {
		t.Errorf("the table of %s is not what configs/figures.yaml says; -update writes it anew", file)
	}
}
