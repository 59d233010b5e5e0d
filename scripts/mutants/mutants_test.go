package main

import (
	"os"
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
		if !strings.HasSuffix(m.file, ".go") || strings.HasSuffix(m.file, "_test.go") {
			t.Errorf("%s: %s is no file of the program", m.id, m.file)
		}
		for _, p := range m.packages {
			if _, err := os.Stat(p); err != nil {
				t.Errorf("%s: %v", m.id, err)
			}
		}
	}
}

func TestTablesAreRead(t *testing.T) {
	m, err := parseMutant([]string{"X1 a scale of 0", "dp/noise.go", "run: TestA|TestB", "timeout", "-\told {", "-}", "+\tnew"})
	want := mutant{id: "X1", what: "a scale of 0", file: "dp/noise.go", run: "TestA|TestB", timeout: true, old: "\told {\n}", new: "\tnew"}
	if err != nil || m.packages[0] != "./dp" || m.id != want.id || m.what != want.what || m.file != want.file ||
		m.run != want.run || !m.timeout || m.old != want.old || m.new != want.new {
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
