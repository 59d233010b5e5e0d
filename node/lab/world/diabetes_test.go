package world

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// diabetes loads the real data, or skips.
func diabetes(t *testing.T) *Records {
	t.Helper()
	dir := os.Getenv("PEERD_DATA")
	if dir == "" {
		t.Skip("PEERD_DATA is not set: no real data (scripts/fetch-data.sh gets it)")
	}
	f, err := os.Open(filepath.Join(dir, "diabetes", "diabetic_data.csv.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	z, err := OpenZip(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	r, err := Load(z)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func short(means []float64) string { return fmt.Sprintf("%.3f", means) }

// This is the one test of the real data; every claim that the package's comments
// make about it stands here. -v prints the tables.
func TestDiabetes(t *testing.T) {
	all := diabetes(t)
	single := all.Single()

	t.Run("size", func(t *testing.T) {
		if all.Rows() != 101766 || all.Patients() != 71518 || all.MaxEncounters() != 40 {
			t.Errorf("%d rows of %d patients with up to %d", all.Rows(), all.Patients(), all.MaxEncounters())
		}
		some := 0
		for _, e := range all.rows {
			if e.arms != 0 {
				some++
			}
		}
		if some != 85064 || single.Rows() != 63448 {
			t.Errorf("%d rows have an arm, %d only one", some, single.Rows())
		}
	})
	t.Run("means", func(t *testing.T) {
		if got := short(all.Means()); got != "[0.340 0.336 0.379 0.363 0.309]" {
			t.Errorf("every: %s", got)
		}
		if got := short(single.Means()); got != "[0.339 0.340 0.395 0.381 0.309]" {
			t.Errorf("single: %s", got)
		}
	})
	t.Run("second hospital", func(t *testing.T) {
		for _, c := range []struct {
			name    string
			records *Records
			gap     float64
		}{{"single", single, .0066}, {"every", all, .0069}} {
			sites, err := c.records.Split(Contiguous, 3)
			if err != nil {
				t.Fatal(err)
			}
			r := NewReport(sites)
			if r.Best != 2 || r.Sites[0].Gap != 0 || r.Sites[1].Best != 3 || r.Sites[2].Gap != 0 {
				t.Errorf("%s: %+v", c.name, r)
			}
			if g := r.Sites[1].Gap; math.Abs(g-c.gap) > .00005 {
				t.Errorf("%s: gap %.5f, want %.4f", c.name, g, c.gap)
			}
		}
	})
	t.Run("caps", func(t *testing.T) {
		for _, c := range []struct{ k, dropped int }{{1, 30248}, {2, 13475}, {3, 7136}, {Uncapped, 0}} {
			kept, dropped := all.Cap(c.k)
			if dropped != c.dropped {
				t.Errorf("cap %d drops %d, want %d", c.k, dropped, c.dropped)
			}
			sk, sd := single.Cap(c.k)
			t.Logf("cap %d: every drops %d, %v %.4f; single drops %d, %v %.4f", c.k, dropped, kept.Counts(), kept.Means(), sd, sk.Counts(), sk.Means())
		}
	})
	t.Run("splits", func(t *testing.T) {
		for _, k := range []int{1, Uncapped} {
			for _, c := range []struct {
				split Split
				reach int // without a cap
			}{{Contiguous, 3}, {Patient, 1}} {
				table(t, "every", all, c.split, k, min(k, c.reach))
				table(t, "single", single, c.split, k, min(k, c.reach))
			}
		}
	})
}

// table logs the report of a split over three hospitals.
func table(t *testing.T, name string, r *Records, s Split, k, reach int) {
	t.Helper()
	kept, _ := r.Cap(k)
	sites, err := kept.Split(s, 3)
	if err != nil {
		t.Fatal(err)
	}
	report := NewReport(sites)
	if report.Reach != reach {
		t.Errorf("%s, %s, cap %d: a patient reaches %d sites, want %d", name, s, k, report.Reach, reach)
	}
	t.Logf("%s, %s, cap %d: reach %d, best arm %d", name, s, k, report.Reach, report.Best)
	for i, l := range report.Sites {
		t.Logf("  site %d: %d rows %v %.4f best %d gap %.4f", i, l.Rows, l.Counts, l.Means, l.Best, l.Gap)
	}
}
