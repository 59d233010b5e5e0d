package claims

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// list has the rows of the list of claims of the five papers.
const list = "P0-1A P0-1B P0-1C P0-2 P1-2a P1-2b P2-2a P2-2b P2-3d P2-2c P2-3a P2-3c P2-3b " +
	"P3-4 P3-5 P3-6 P3-7 P3-8 P3-T1 P3-10 P3-11 P3-12 P4-2a P4-2b P4-2c"

// TestEveryClaimHasItsCells: names are unique, each row of the list is there, kinds have the cells and bounds that they need, and the
// figures, whole and quick, have the cells.
func TestEveryClaimHasItsCells(t *testing.T) {
	table := require.Value(Read())(t)
	seen := make(map[string]bool)
	figures := make(map[string][]string)
	cellsOf := func(name string) []string {
		if figures[name] == nil {
			f, err := table.open(name, true)
			if err != nil {
				t.Fatal(name, err)
			}
			if f.config == nil {
				return nil // no data here
			}
			for _, c := range plan.Expand(plan.ExperimentOf(&f.config.Settings).Cells) {
				figures[name] = append(figures[name], c.Name)
			}
		}
		return figures[name]
	}
	for i := range table.Claims {
		c := &table.Claims[i]
		if seen[c.ID] || c.ID == "" || c.States == "" || c.Where == "" || len(c.Parts) == 0 || !slices.Contains([]string{"000", "001", "002", "003", "004", "peerd"}, c.Paper) {
			t.Errorf("%+v: twice, or incomplete", c)
		}
		seen[c.ID] = true
		for k := range c.Parts {
			p := &c.Parts[k]
			n, ok := len(p.Cells), false
			switch p.Kind {
			case "falls", "rises":
				ok = n > 1 && p.Least == nil && p.Most == nil
			case "ratio":
				ok = (n == 2 || n == 4) && (p.Least != nil || p.Most != nil)
			case "slope":
				ok = n > 2 && n == len(p.By) && (p.Least != nil || p.Most != nil)
			case "growth", "linearly":
				ok = n > 0 && (p.Least != nil || p.Most != nil)
			case "mostly":
				ok = n == 2
			case "agrees":
				ok = n > 0 && len(p.Values) == n && len(p.Within) == n && slices.Min(p.Values) > 0 && slices.Min(p.Within) >= 0
			case "accepts":
				ok = n == 0 && len(p.Set) > 0
			}
			if !ok || !slices.Contains([]string{"", "own", "cost"}, p.Of) {
				t.Errorf("%s: part %d: %+v", c.ID, k, p)
			}
			for _, at := range p.places {
				if cells := cellsOf(at.figure); cells != nil && at.cell != "" && !slices.Contains(cells, at.cell) {
					t.Errorf("%s: %s has no cell %q, but %q", c.ID, at.figure, at.cell, cells)
				}
			}
		}
	}
	for _, id := range strings.Fields(list) {
		if !seen[id] {
			t.Errorf("no claim %s", id)
		}
	}
}

// TestSomeCellsOfAFigure: also those whose settings have commas.
func TestSomeCellsOfAFigure(t *testing.T) {
	table := require.Value(Read())(t)
	f := require.Value(table.open("paper003-11", true))(t)
	c := require.Value(f.only([]string{"2: 53, 24, 10, 6, 7, complete", "5: five of 20, star"}))(t)
	cells, err := plan.Cells(c)
	if err != nil || len(cells) != 2 || plan.TestnetOf(&cells[0].Settings).Topology != "hub(53+24+10+6+7,complete)" {
		t.Errorf("%d cells: %v", len(cells), err)
	}
}

// TestEvidenceOfErrataIsThere: each erratum names a claim, a test of the tree or a page with the section.
func TestEvidenceOfErrataIsThere(t *testing.T) {
	table, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	tests := make(map[string]bool)
	root := filepath.Join("..", "..", "..")
	found := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			b, bad := os.ReadFile(path)
			for _, m := range found.FindAllStringSubmatch(string(b), -1) {
				tests[m[1]] = true
			}
			err = bad
		}
		return err
	})
	if err != nil || len(tests) == 0 {
		t.Fatal(len(tests), err)
	}
	if len(table.Errata) == 0 {
		t.Error("no errata")
	}
	for _, e := range table.Errata {
		ok := slices.ContainsFunc(table.Claims, func(c Claim) bool { return c.ID == e.Evidence }) || tests[e.Evidence]
		if page, _, _ := strings.Cut(e.Evidence, "#"); strings.HasSuffix(page, ".md") {
			_, err := os.Stat(filepath.Join(root, "docs", page))
			ok = err == nil
		}
		if !ok || e.Paper == "" || e.Place == "" || e.Printed == "" || e.Right == "" {
			t.Errorf("%+v: no such evidence, or incomplete", e)
		}
	}
}
