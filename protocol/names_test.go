package protocol_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/world"
)

// others are strings that only look like a name of a table.
var others = map[string]string{
	"internal/extra/metrics/metrics.go none":  "a request without a route",
	"node/give.go none":                       "a site that gives no decision",
	"gossip/link.go none":                     "a link without a neighbour",
	"node/lab/audit/canary.go tree":           "a canary in all nodes of a tree",
	"dp/account/google_test.go each":          "one of many losses",
	"dp/factor/variance_test.go hybrid":       "which factorization is tried",
	"dp/hidden_test.go none":                  "no hidden noise at all",
	"node/lab/world/world_test.go bernoulli":  "what one row of the test tries",
	"node/lab/world/world_test.go gaussian":   "what one row of the test tries",
	"dp/shape.go linear":                      "a shape of records",
	"node/store/store_test.go batch":          "an operation of the store",
	"protocol/rows/phases.go batch":           "a leaf",
	"protocol/batches/batch.go local":         "the name of batch with a number of hops",
	"protocol/batches/own_sums.go batch":      "a leaf",
	"protocol/shuffling/shuffle.go batch":     "a leaf",
	"dp/noise/noise.go gaussian":              "a law of noise",
	"protocol/params.go imed":                 "what is recommended",
	"protocol/running/rows.go thompson":       "the same",
	"internal/lab/experiment/figure.go none":  "no figure",
	"internal/lab/experiment/summary.go none": "an interval without a number",
	"internal/lab/experiment/own.go none":     "a ratio without a number",
	"node/lab/audit/power_test.go gaussian":   "the same",
}

// TestNamesStandInTables: a protocol, a learner, a world or a mechanism is named in its own file, in
// the tests of that, in its table, and nowhere else in Go. All others ask the table, so that
// one more is a file and a line.
func TestNamesStandInTables(t *testing.T) {
	home := make(map[string]string) // directory of the table, by name
	for _, e := range papers.All() {
		home[e.Words().Name] = "protocol"
	}
	for _, e := range bandit.Table() {
		home[e.Words().Name] = "bandit"
		if bandit.TraitsOf(e).Contextual {
			home[e.Words().Name] = "bandit/linear"
		}
	}
	for _, e := range learner.Table() {
		home[e.Words().Name] = "node/lab/learner"
	}
	for _, e := range printed.Learners() {
		home[e.Words().Name] = "node/lab/printed"
	}
	for _, e := range printed.Protocols() {
		home[e.Words().Name] = "node/lab/printed"
	}
	for _, e := range world.Table() {
		home[e.Words().Name] = "node/lab/world"
	}
	for _, m := range dp.Mechanisms() {
		home[m.String()] = "dp/mechanism"
	}
	seen, operated := make(map[string]bool), 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if d.IsDir() {
			if d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		src, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(src, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			name, err := strconv.Unquote(l.Value)
			dir, named := home[name]
			if err != nil || !named || atHome(file, dir, name) {
				return true
			}
			at := file + " " + name
			switch {
			case others[at] != "":
				seen[at] = true
			case operates(file):
				operated++
			default:
				t.Errorf("%s names %q: ask the table, or give the reason in others", file, name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for at := range others {
		if !seen[at] {
			t.Errorf("%s: not there any more, take it off the list", at)
		}
	}
	t.Logf("0 names elsewhere; tests of the command write %d in configurations", operated)
}

// operates reports whether a file tests the command, or is an example. Such a file chooses a protocol, a
// learner, a world and a mechanism as an operator does, by writing their names.
func operates(file string) bool {
	return strings.HasPrefix(file, "docs/examples/") || (strings.HasPrefix(file, "cmd/") || strings.HasPrefix(file, "internal/")) && strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/configtest/")
}

// atHome reports whether a file is a table, or the own file or a test of what has a name.
func atHome(file, dir, name string) bool {
	folder := filepath.ToSlash(filepath.Dir(file))
	if folder == "protocol/table" || folder == "node/lab/papers" {
		return dir == "protocol"
	}
	if folder != dir && (dir != "protocol" && dir != "dp/mechanism" || !strings.HasPrefix(folder, dir+"/")) {
		return false
	}
	base, own := filepath.Base(file), strings.ReplaceAll(name, "-", "_")
	return base == "table.go" || base == "mechanism.go" ||
		strings.HasPrefix(base, own+".") || strings.HasPrefix(base, own+"_")
}
