package world

import (
	"math"
	"slices"
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

// TestSitesChangeOneByOne: of two sites the first one changes after 10 rounds, the second one after 20, the first one
// again after 30; an arm pays what its place says, and falls short of the best one of its site, and over both sites,
// by what both rows of that round say.
func TestSitesChangeOneByOne(t *testing.T) {
	const n = 4000
	params := ChangingParams{Means: [][]float64{{.1, .9, .5}, {.3, .7, .8}}, Draw: Given, Every: 10, OneByOne: true}
	s := small(t, params, 2)
	places := map[uint64][2]int{0: {0, 0}, 9: {0, 0}, 10: {1, 0}, 19: {1, 0}, 20: {1, 1}, 30: {2, 1}, 45: {2, 2}, 50: {0, 2}, 60: {0, 0}, 3005: {0, 0}, 3015: {1, 0}}
	for i := range 2 {
		w := siteOf(t, s, i, 1)
		for _, round := range []uint64{0, 9, 10, 19, 20, 30, 45, 50, 60, 3005, 3015, 19} {
			w.Turn(round)
			var now [2][]float64
			for site, by := range places[round] {
				now[site] = slices.Concat(params.Means[site][by:], params.Means[site][:by])
			}
			all := gaps(now[:])
			for a := range 3 {
				arm := bandit.Arm(a)
				if got, want := average(t, w, arm, n), now[i][a]; math.Abs(got-want) > 5*.5/math.Sqrt(n) {
					t.Errorf("site %d, round %d: arm %d pays %v, want %v", i, round, a, got, want)
				}
				if got, want := s.OwnGap(i, arm, round), slices.Max(now[i])-now[i][a]; math.Abs(got-want) > 1e-12 {
					t.Errorf("site %d, round %d: arm %d loses %v of the site, want %v", i, round, a, got, want)
				}
				if got := w.Regret(arm); math.Abs(got-all[a]) > 1e-12 {
					t.Errorf("site %d, round %d: arm %d loses %v, want %v", i, round, a, got, all[a])
				}
			}
		}
	}
}
