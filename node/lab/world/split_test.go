package world

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyLines generates encounters of a few patients.
func anyLines(t *rapid.T) []line {
	cell := rapid.SampledFrom([]string{"No", "No", "Steady", "Up"})
	one := rapid.Custom(func(t *rapid.T) line {
		treatment := ""
		for _, d := range []string{"insulin", "metformin", "glipizide", "glyburide", "tolazamide"} {
			treatment += d + "=" + cell.Draw(t, d) + " "
		}
		return line{
			patient:   rapid.IntRange(1, 12).Draw(t, "patient"),
			specialty: rapid.SampledFrom([]string{"?", "Surgery", "Cardiology", "Urology", "Oncology"}).Draw(t, "specialty"),
			drugs:     treatment,
			in:        rapid.SampledFrom([]string{"NO", "<30", ">30"}).Draw(t, "readmitted"),
		}
	})
	return rapid.SliceOfN(one, 1, 60).Draw(t, "lines")
}

func rowsOf(r *Records) []int {
	var n []int
	for _, e := range r.rows {
		n = append(n, e.row)
	}
	return n
}

func TestSplitsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := load(t, anyLines(t))
		s := rapid.SampledFrom([]Split{Contiguous, Patient}).Draw(t, "split")
		sites, err := r.Split(s, rapid.IntRange(1, 4).Draw(t, "sites"))
		if err != nil {
			t.Skip(err) // a site would be empty
		}
		var all []int
		for _, o := range sites {
			rows := rowsOf(o)
			if !slices.IsSorted(rows) {
				t.Fatalf("a site's rows are out of file order: %v", rows)
			}
			all = append(all, rows...)
		}
		slices.Sort(all)
		if !slices.Equal(all, rowsOf(r)) {
			t.Fatalf("sites hold %v, want %v", all, rowsOf(r))
		}
		switch s {
		case Contiguous:
			for _, o := range sites {
				if n := o.Rows() * len(sites); n <= r.Rows()-len(sites) || n >= r.Rows()+len(sites) {
					t.Fatalf("a site of %d has %d rows of %d", len(sites), o.Rows(), r.Rows())
				}
			}
		case Patient:
			if n := NewReport(sites).Reach; n != 1 {
				t.Fatalf("a patient is at %d sites", n)
			}
		}
	})
}

func TestCapHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := load(t, anyLines(t))
		k := rapid.IntRange(1, 5).Draw(t, "k")
		kept, dropped := r.Cap(k)
		if kept.MaxEncounters() > k || kept.Rows()+dropped != r.Rows() || kept.Patients() != r.Patients() {
			t.Fatalf("cap %d keeps up to %d of a patient, %d rows + %d dropped of %d", k, kept.MaxEncounters(), kept.Rows(), dropped, r.Rows())
		}
		// The first k are kept: each kept row has fewer than k of its patient before it.
		for _, e := range kept.rows {
			before := 0
			for _, o := range r.rows[:e.row] {
				if o.patient == e.patient {
					before++
				}
			}
			if before >= k {
				t.Fatalf("row %d is number %d of its patient, cap %d", e.row, before+1, k)
			}
		}
	})
}

func TestCapIsExplicit(t *testing.T) {
	r := load(t, []line{{1, "?", "", "NO"}, {1, "?", "", "NO"}, {1, "?", "", "NO"}})
	kept, dropped := r.Cap(Uncapped)
	if kept.Rows() != 3 || dropped != 0 {
		t.Errorf("uncapped: %d rows, %d dropped", kept.Rows(), dropped)
	}
}

func TestBadSplits(t *testing.T) {
	r := load(t, everyArm())
	for _, c := range []struct {
		split Split
		sites int
		want  string
	}{
		{Contiguous, 0, "world: 0 sites, want at least 1"},
		{Contiguous, 6, "world: contiguous split: nothing left for site 0 of 6"},
	} {
		if _, err := r.Split(c.split, c.sites); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// The hash is part of what a network agrees on: a change would move patients.
func TestPatientsStayWhereTheyAre(t *testing.T) {
	var got []int
	for p := range uint64(12) {
		got = append(got, byPatient(p, 3))
	}
	if want := []int{1, 0, 0, 2, 0, 2, 2, 1, 2, 1, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("sites %v, want %v", got, want)
	}
}

func TestReportFindsTheBiasedSite(t *testing.T) {
	r := load(t, []line{
		{1, "?", "insulin=Steady", ">30"},
		{2, "?", "insulin=Steady", ">30"},
		{3, "?", "metformin=Steady insulin=Up", "NO"},
		{4, "?", "metformin=Steady", ">30"},
		{1, "?", "insulin=Steady", "NO"},
		{5, "?", "", "<30"},
	})
	sites, err := r.Split(Contiguous, 2)
	if err != nil {
		t.Fatal(err)
	}
	got := NewReport(sites)
	if got.Reach != 2 || got.Best != 0 || got.Sites[0].Gap != 0 || got.Sites[1].Best != 1 || got.Sites[1].Gap != 1 {
		t.Errorf("%+v", got)
	}
	if n := got.Sites[1].Counts; !slices.Equal(n, []int{1, 1, 0, 0, 1}) {
		t.Errorf("second site has %v", n)
	}
}
