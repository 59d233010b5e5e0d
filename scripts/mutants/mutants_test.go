package main

import (
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestEveryMutantApplies: the old text of every mutant occurs once in its file, so that
// scripts/show.sh mutants tries the mistakes that the table names. If it fails after a change of
// the code, change the mutant with it.
func TestEveryMutantApplies(t *testing.T) {
	advice(t)
	t.Chdir("../..")
	all := require.Value(mutants(""))(t)
	if len(all) < 110 {
		t.Errorf("%d mutants, want at least 110", len(all))
	}
	seen := make(map[string]bool)
	for _, m := range all {
		if seen[m.id] {
			t.Errorf("two mutants are called %s", m.id)
		}
		seen[m.id] = true
		if _, err := m.apply(); err != nil {
			t.Error(err)
		}
		for _, c := range m.changes {
			if !strings.HasSuffix(c.file, ".go") || strings.HasSuffix(c.file, "_test.go") {
				t.Errorf("%s: %s is no file of the program", m.id, c.file)
			}
		}
		for _, p := range m.packages {
			if _, err := os.Stat(p); err != nil {
				t.Errorf("%s: %v", m.id, err)
			}
		}
	}
}

// advice skips a test of the tables, which need not follow the code at once: scripts/show.sh advice and mutants run it.
func advice(t *testing.T) {
	t.Helper()
	if os.Getenv("PEERD_ADVICE") == "" {
		t.Skip("advice: scripts/show.sh advice")
	}
}

// TestEveryMutantNamesTests: a mutant names tests, of which each is there and is not skipped when the mutant is played. One that is
// harmless may be played with all tests of its package.
func TestEveryMutantNamesTests(t *testing.T) {
	advice(t)
	t.Chdir("../..")
	all := require.Value(mutants(""))(t)
	tests := make(map[string]map[string]*ast.FuncDecl)
	for _, m := range all {
		if m.run == "" && m.harmless == "" {
			t.Errorf("%s: want run: and the tests that notice it", m.id)
		}
		for _, name := range m.names() {
			is, plays := regexp.MustCompile(name), false
			for _, p := range m.packages {
				if tests[p] == nil {
					tests[p] = testsIn(t, p)
				}
				for name, d := range tests[p] {
					plays = plays || is.MatchString(name) && !skips(d, m.long)
				}
			}
			if !plays {
				t.Errorf("%s: %s is no test of %s, or one that is skipped", m.id, name, strings.Join(m.packages, " "))
			}
		}
	}
}

// testsIn returns the tests of a package on this system.
func testsIn(t *testing.T, pkg string) map[string]*ast.FuncDecl {
	t.Helper()
	names := require.Value(filepath.Glob(filepath.Join(pkg, "*_test.go")))(t)
	all := make(map[string]*ast.FuncDecl)
	for _, name := range names {
		if ok, err := gobuild.Default.MatchFile(filepath.Split(name)); err != nil || !ok {
			continue
		}
		f := require.Value(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && (strings.HasPrefix(d.Name.Name, "Test") || strings.HasPrefix(d.Name.Name, "Fuzz")) {
				all[d.Name.Name] = d
			}
		}
	}
	return all
}

// skips reports whether a test is skipped as a whole, without PEERD_LONG and, unless it is played long, with -short.
func skips(d *ast.FuncDecl, long bool) bool {
	return slices.ContainsFunc(d.Body.List, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.IfStmt:
			when := source(s.Cond)
			return strings.Contains(source(s.Body), "t.Skip") && (!long && strings.Contains(when, "testing.Short()") || strings.Contains(when, `Getenv("PEERD_LONG") == ""`))
		case *ast.ExprStmt:
			return strings.HasPrefix(source(s), "t.Skip")
		}
		return false
	})
}

func source(n ast.Node) string {
	var b strings.Builder
	_ = printer.Fprint(&b, token.NewFileSet(), n) // into memory
	return b.String()
}

// TestSkippedTestsAreSeen: the test above sees a test that is skipped, and lets one pass that does less with -short.
func TestSkippedTestsAreSeen(t *testing.T) {
	for body, want := range map[string][2]bool{
		`n := 1; if testing.Short() { t.Skip("long") }`: {true, false},
		`if os.Getenv("PEERD_LONG") == "" { t.Skip() }`: {true, true},
		`t.Skip("later")`:                             {true, true},
		`if testing.Short() { n = 2 }`:                {false, false},
		`t.Run("a", func(t *testing.T) { t.Skip() })`: {false, false},
	} {
		f := require.Value(parser.ParseFile(token.NewFileSet(), "", "package p; func TestX(t *testing.T) {"+body+"}", 0))(t)
		if d := f.Decls[0].(*ast.FuncDecl); skips(d, false) != want[0] || skips(d, true) != want[1] {
			t.Errorf("%s: %t and with PEERD_LONG off, long, %t, want %t", body, skips(d, false), skips(d, true), want)
		}
	}
}

// TestAMutantNeedsATestThatPasses: names that match no test, or tests that are skipped or fail, are an error of the run.
func TestAMutantNeedsATestThatPasses(t *testing.T) {
	before := map[string]results{"./a": resultsIn([]byte("=== RUN   TestA\n--- PASS: TestA (0s)\n    --- PASS: TestA/TestE (0s)\n--- SKIP: TestB (0s)\n--- FAIL: TestC (0s)\n"))}
	m := mutant{packages: []string{"./a"}, run: "TestA/(x|y)|TestB|TestC|TestD|TestE"}
	if got, want := m.idle(before), []string{"TestB", "TestC", "TestD", "TestE"}; !slices.Equal(got, want) {
		t.Errorf("no test of %q passes, want %q", got, want)
	}
}

// TestEveryTestMustFail: a fault that one test of several does not see survives, and so does one that no test sees.
func TestEveryTestMustFail(t *testing.T) {
	for out, want := range map[string]outcome{
		"--- FAIL: TestA (0s)\n    --- FAIL: TestA/x (0s)\n    --- FAIL: TestA/y (0s)\n": killed,
		"--- FAIL: TestA (0s)\n    --- FAIL: TestA/x (0s)\n    --- PASS: TestA/y (0s)\n": survived,
		"--- FAIL: TestA (0s)\n--- SKIP: TestB (0s)\n":                                   survived,
		"--- PASS: TestA (0s)\n":                             survived,
		"--- FAIL: TestA (0s)\npanic: a nil map [recovered]": broken,
		"testing: warning: no tests to run\n":                broken,
	} {
		var x trial
		if x.everyOf([]byte(out)); x.outcome != want {
			t.Errorf("%q is %s, want %s", out, x.outcome, want)
		}
	}
}

func TestTablesAreRead(t *testing.T) {
	m, err := parseMutant([]string{
		"X1 a scale of 0", "dp/noise.go", "run: TestA|TestB", "timeout", "every", "-\told {", "-}", "+\tnew", "file: node/agent.go", "-x", "+y",
	})
	want := mutant{
		id: "X1", what: "a scale of 0", packages: []string{"./dp"}, run: "TestA|TestB", timeout: true, every: true,
		changes: []change{{"dp/noise.go", "\told {\n}", "\tnew"}, {"node/agent.go", "x", "y"}},
	}
	if err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("%+v, %v, want %+v", m, err, want)
	}
	for _, bad := range [][]string{
		{"X1"},
		{"X1 words", "file", "+new", "+new"},
		{"X1 words", "file", "-a", "+a"},
		{"X1 words", "file", "why", "-a", "+b"},
		{"X1 words", "file", "run: (", "-a", "+b"},
	} {
		if m, err := parseMutant(bad); err == nil {
			t.Errorf("%q is %+v", bad, m)
		}
	}
}

// TestAFaultOfPrivacyIsFound plays one fault of faults.txt against every audit that has to find it, and its patch with
// them. All are played by scripts/show.sh audit.
func TestAFaultOfPrivacyIsFound(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("builds the audit again: set PEERD_LONG")
	}
	t.Chdir("../..")
	all, err := mutants("^adjacency$")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d faults, %v", len(all), err)
	}
	x := all[0].try(t.Context(), t.TempDir(), nil)
	if t.Log(x.by); x.outcome != killed {
		t.Errorf("%s %s", x.id, x.outcome)
	}
}
