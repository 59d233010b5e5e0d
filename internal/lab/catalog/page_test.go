package catalog

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// TestPapersPage: the table of docs/lab/papers.md names each figure of configs/figures.yaml.
func TestPapersPage(t *testing.T) {
	const file, begin, end = "../../../docs/lab/papers.md", "<!-- figures: go test ./internal/lab/catalog -run TestPapersPage -update -->\n", "<!-- end of figures -->"
	page := require.Value(os.ReadFile(file))(t)
	head, rest, _ := strings.Cut(string(page), begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no %q before %q", file, begin, end)
	}
	var b strings.Builder
	b.WriteString("| paper | figures, by name |\n|---|---")
	last := "-"
	for _, f := range Figures() {
		if f.Paper != last {
			fmt.Fprintf(&b, " |\n| %s | ", cmp.Or(f.Paper, "none"))
		} else {
			b.WriteString(", ")
		}
		last = f.Paper
		fmt.Fprintf(&b, "`%s`", f.Name)
		if f.Figure != "" {
			fmt.Fprintf(&b, " (%s)", f.Figure)
		}
	}
	b.WriteString(" |\n")
	want := head + begin + b.String() + end + tail
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	if string(page) != want && !*update {
		t.Errorf("the table of %s is not what configs/figures.yaml says; -update writes it anew", file)
	}
}
