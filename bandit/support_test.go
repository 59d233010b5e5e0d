package bandit

import (
	"math"
	"testing"

	"peerd.dev/bandit/belief"
)

// TestWhatEstimatesRestOn: own rewards and borrowed ones are what sites have released. A learner that weighs sites
// borrows at most what the others have, hardly anything from a site that differs, and says which one does.
func TestWhatEstimatesRestOn(t *testing.T) {
	b := belief.New(2, 1)
	for site, mean := range []float64{.6, .61, .1} {
		say(&b, 0, site, mean, 4000, 4)
		say(&b, 1, site, mean/2, 4000, 4)
	}
	b.Sites[1] = b.Sites[1][1:] // the own site has released nothing of arm 1
	plain, err := IMEDParams{}.New(Config{Arms: 2, Peers: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := SupportOf(plain, &b, 0)
	if s.Own[0] != 4000 || s.Borrowed[0] != 8000 || s.Sites[0] != 2 || s.Own[1] != 0 || s.Borrowed[1] != 8000 || s.Alike != nil {
		t.Errorf("imed rests on %+v", s)
	}
	for p, want := range []Weight{{1. / 6, 4000}, {1./6 + .25, 8000}, {1./6 + .25, 8000}} { // three sites of arm 0, two of arm 1
		if got := s.Weights[p]; len(s.Weights) != 3 || math.Abs(got.Share-want.Share) > 1e-9 || got.Rewards != want.Rewards {
			t.Errorf("imed rests on site %d as %+v, want %+v", p, got, want)
		}
	}
	u := personalized(t, 2, 3, 5)
	choose(u, &b, Turn{})
	before := u.Save()
	s = SupportOf(u, &b, 0)
	if string(u.Save()) != string(before) {
		t.Error("asking changed the distances")
	}
	if s.Own[0] != 4000 || s.Own[1] != 0 || s.Sites[0] != 2 || !(s.Borrowed[0] > 100 && s.Borrowed[0] < 4100) {
		t.Errorf("personalized rests on %+v", s)
	}
	if w := s.Weights; len(w) != 3 || math.Abs(w[0].Share+w[1].Share+w[2].Share-1) > 1e-9 || !(w[1].Share > 2*w[2].Share) || w[1].Rewards != 8000 {
		t.Errorf("personalized weighs %+v", w)
	}
	if len(s.Alike) != 2 || s.Alike[0].Peer != 1 || s.Alike[1].Peer != 2 || !(s.Alike[0].Mean < .1 && s.Alike[1].Mean > .2) {
		t.Errorf("alike: %+v", s.Alike)
	}
	total := (s.Own[0] + s.Borrowed[0]/u.arms[0].trust()) / u.width[0] // without the noise in own rewards
	if p := u.arms[0].precision; !(p < total && p > total/1.1) {
		t.Errorf("precision %g, and own and borrowed rewards give %g", p, total)
	}
}
