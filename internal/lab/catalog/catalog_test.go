package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// TestEveryFigureHasARow, and every row a figure; what it has in itself is what the folder has.
func TestEveryFigureHasARow(t *testing.T) {
	files, err := filepath.Glob("../../../configs/figures/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatal(len(files), err)
	}
	there := make(map[string]bool) // by name
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		there[name] = true
		b, err := os.ReadFile(file)
		if _, ok := Find(name); !ok || err != nil || string(b) != string(text("figures/"+name+".yaml")) {
			t.Errorf("%s has no row in configs/figures.yaml, or is not in the program as it is on disk: %v", name, err)
		}
	}
	for _, f := range Figures() {
		if !there[f.Name] {
			t.Errorf("%s has no file in configs/figures, or two rows", f.Name)
		}
		delete(there, f.Name)
	}
}

// TestQuickFormsAreValid, with all their cells; the quick form has ten seeds or more, and the same cells.
func TestQuickFormsAreValid(t *testing.T) {
	for _, f := range Figures() {
		if f.Shows == "" || len(f.Quick) == 0 {
			t.Errorf("%s: %+v", f.Name, f)
		}
		whole := require.Value(f.Load(false, nil))(t)
		quick := require.Value(f.Load(true, nil))(t)
		cells := plan.Expand(plan.ExperimentOf(&whole.Settings).Cells)
		few := require.Value(plan.Cells(quick))(t)
		if x := plan.ExperimentOf(&quick.Settings); x.Seeds < 10 || len(few) != len(cells) {
			t.Errorf("%s: the quick form has %d seeds and %d cells, the whole has %d cells", f.Name, x.Seeds, len(few), len(cells))
		}
	}
}

func TestMissing(t *testing.T) {
	f, _ := Find("fig2c")
	t.Setenv("PEERD_DATA", "")
	if f.Missing() != "diabetes" {
		t.Error("nothing is missing without PEERD_DATA")
	}
	dir := t.TempDir()
	t.Setenv("PEERD_DATA", dir)
	if f.Missing() != "diabetes" {
		t.Error("nothing is missing in an empty folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "diabetes"), 0o755); err != nil || f.Missing() != "" {
		t.Error(f.Missing(), err)
	}
}
