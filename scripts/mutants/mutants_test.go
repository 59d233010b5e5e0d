package main

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestEveryMutantApplies: the old text of every mutant occurs once in its file, so that
// scripts/show.sh mutants tries the mistakes that the table names. If it fails after a change of
// the code, change the mutant with it.
func TestEveryMutantApplies(t *testing.T) {
	t.Chdir("../..")
	all, err := readTables("scripts/mutants")
	if err != nil {
		t.Fatal(err)
	}
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
// them; scripts/show.sh audit plays all.
func TestAFaultOfPrivacyIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the peers anew")
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
