package world

import (
	"math"
	"testing"

	"peerd.dev/bandit"
)

// TestArmsChangePlaces: in every round an arm pays what the world says that it loses, at all sites, also if
// rounds are skipped and after a restart.
func TestArmsChangePlaces(t *testing.T) {
	const every, n = 10, 4000
	params := ChangingParams{Means: [][]float64{{.1, .9, .5}, {.3, .7, .9}}, Draw: Given, Every: every}
	first := []float64{.2, .8, .7} // over both sites
	s := small(t, params, 2)
	for i := range 2 {
		w, again := siteOf(t, s, i, 1), siteOf(t, s, i, 2)
		for _, round := range []uint64{0, 9, 10, 25, 30, 3001} {
			w.Turn(round)
			for a := range 3 {
				was := (a + int(round/every)) % 3
				if got := w.Regret(bandit.Arm(a)); math.Abs(got-(.8-first[was])) > 1e-12 {
					t.Errorf("site %d, round %d: arm %d loses %v, want %v", i, round, a, got, .8-first[was])
				}
				if got, want := average(t, w, bandit.Arm(a), n), params.Means[i][was]; math.Abs(got-want) > 5*.5/math.Sqrt(n) {
					t.Errorf("site %d, round %d: arm %d pays %v, want %v", i, round, a, got, want)
				}
			}
		}
		if err := again.Load(w.Save()); err != nil {
			t.Fatal(err)
		}
		for round := range uint64(100) {
			w.Turn(3000 + round)
			again.Turn(3000 + round)
			x, err := w.Play(0)
			y, also := again.Play(0)
			if x != y || err != nil || also != nil {
				t.Fatalf("round %d: %v (%v), after a restart %v (%v)", round, x, err, y, also)
			}
		}
		if _, err := w.Play(3); err == nil {
			t.Error("a fourth arm")
		}
	}
}
