package style

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheHouseDoesNotGrow: ceilings.txt has the most lines of the core, of the whole program and of its tests. Whoever removes lines
// lowers the numbers. The core is what the program links without extras, except for
// their lists.
//
// Counted are the lines of Go files, with comments and blank ones, of all packages of the module, for every system and
// build tag. Test support, scripts and generated Go stand apart from the program; docs/examples and testdata are no packages of the module.
func TestTheHouseDoesNotGrow(t *testing.T) {
	ceilings := make(map[string]int)
	for _, row := range table(t, "ceilings.txt", 2) {
		n := 0
		for _, c := range row[1] {
			n = 10*n + int(c-'0')
		}
		ceilings[row[0]] = n
	}
	core := linked(t, without(t, ""))
	lines := make(map[string]int) // by wing
	const files = `{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}} {{join .IgnoredGoFiles " "}} {{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`
	for line := range strings.Lines(goList(t, files, "./...")) {
		names := strings.Fields(line)
		for _, name := range names[2:] {
			text, err := os.ReadFile(filepath.Join(names[1], name))
			if err != nil {
				t.Fatal(err)
			}
			n := bytes.Count(text, []byte("\n"))
			if strings.HasSuffix(name, "_test.go") {
				lines["tests"] += n
				continue
			}
			at := wing(strings.TrimPrefix(names[0], module))
			if bytes.HasPrefix(text, []byte("// Code generated ")) {
				at = "generated"
			}
			lines[at] += n
			if slices.Contains([]string{"theory", "product", "laboratory", "commands", "extras"}, at) {
				lines["whole"] += n
				if slices.Contains(core, names[0]) && !slices.Contains(lists(), filepath.Join(strings.TrimPrefix(names[0], module), name)) {
					lines["core"] += n
				}
			}
		}
	}
	for _, at := range []string{"theory", "product", "laboratory", "commands", "extras", "core", "whole", "tests", "test support", "scripts", "generated"} {
		t.Logf("%s: %d lines", at, lines[at])
		if most, held := ceilings[at]; held && lines[at] > most {
			t.Errorf("%s: %d lines, want at most %d (ceilings.txt): take %d away", at, lines[at], most, lines[at]-most)
		} else if lines[at] == 0 {
			t.Errorf("%s: no lines: the test looks at nothing", at)
		}
	}
	if len(ceilings) != 3 {
		t.Errorf("ceilings.txt has %v, want core, whole and tests", ceilings)
	}
}

// wing returns the part of the house that a package is in.
func wing(name string) string {
	under := func(folders ...string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return name == f || strings.HasPrefix(name, f+"/") })
	}
	switch {
	case under("scripts"):
		return "scripts"
	case under("internal/browsertest", "internal/configtest", "internal/dptest", "internal/peerdtest", "internal/protocoltest", "internal/require", "node/internal/apitest", "node/store/storetest"):
		return "test support"
	case under("node/lab", "internal/lab"):
		return "laboratory"
	case under("internal/extra"):
		return "extras"
	case under("cmd", "internal/command"):
		return "commands"
	case under("bandit", "dp", "protocol", "internal/vouch"), name == "node":
		return "theory"
	}
	return "product"
}
