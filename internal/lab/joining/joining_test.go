package joining

import (
	"context"
	"strings"
	"testing"
)

// TestSentences: by hand, of two networks of two sites whose second one comes late.
func TestSentences(t *testing.T) {
	for _, x := range []struct {
		together [2]float64 // lost in the two networks; alone it is 20
		want     string
	}{
		{[2]float64{12, 12.2}, "Joining saves a site 7.9 (6.6 to 9.2) of the 20.0 rewards that it loses alone in its first 1,000 decisions."},
		{[2]float64{24, 24.2}, "Joining costs a site 4.1 (2.8 to 5.4) more than the 20.0 rewards that it loses alone in its first 1,000 decisions."},
		{[2]float64{16, 21}, "Not decided after 2 networks: joining saves a site between -30.3 and 33.3 of the 20.0 rewards that it loses alone in its first 1,000 decisions."},
		{[2]float64{20, 20}, "Not decided after 2 networks: joining saves a site between 0.0 and 0.0 of the 20.0 rewards that it loses alone in its first 1,000 decisions."},
	} {
		var played [][6][]float64
		for _, lost := range x.together {
			played = append(played, [6][]float64{{18, 22}, {0, 0}, {lost - 1, lost + 1}, {30, 50}})
		}
		d := Document{Decisions: 1000, Networks: 2}
		d.sumUp("a site", "from the start", played, 2, 0)
		if r := d.Rows[0]; d.Answer[0] != x.want || r.Given != 40 || r.Most[0] != 22 || r.Most[1] != max(x.together[0], x.together[1])+1 {
			t.Errorf("%v: %q, %+v, want %q", x.together, d.Answer, r, x.want)
		}
		d.sumUp("a site that comes 9 decisions later", "9 decisions later", played, 2, 1)
		if r := d.Rows[1]; r.Given != 50 || r.Alone.Mean != 22 || !strings.Contains(d.Answer[1], "a site that comes 9 decisions later") {
			t.Errorf("late: %q, %+v", d.Answer, r)
		}
	}
}

// TestAnInterruptKeepsWhatIsPlayed: with a second network there is an answer, and with one there is none.
func TestAnInterruptKeepsWhatIsPlayed(t *testing.T) {
	for _, after := range []int64{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		d := Document{Sites: 3, Actions: 2, Decisions: 200, Late: 100, Epsilon: 1, Seconds: 600}
		var last int64
		err := d.Play(ctx, func(networks int64) {
			if last = networks; networks == after {
				cancel()
			}
			if networks >= after {
				<-ctx.Done()
			}
		})
		cancel()
		switch {
		case err == nil && d.Networks >= 2 && d.Interrupted && len(d.Rows) == 2 && len(d.Answer) > 0:
		case err != nil && after == 1 && d.Rows == nil: // no other network ended at the same time
		default:
			t.Errorf("after %d (%d): %v, %+v", after, last, err, d)
		}
	}
}

// TestWhatWouldChangeIt: the rule gives something with the sites, or with the epsilon, that the sentence names.
func TestWhatWouldChangeIt(t *testing.T) {
	for _, x := range []struct {
		d           Document
		want        string
		sites       int
		epsilon     float64
		oneFewer    int
		oneFewerEps float64
	}{
		{Document{Sites: 20, Actions: 5, Epsilon: .3}, "20 sites at ε = 0.3 would learn too little from each other, so nothing is given. Something would be with 29 sites, or with ε = 0.4.", 29, .4, 28, .3},
		{Document{Sites: 2, Actions: 5, Epsilon: 1}, "Something would be with 5 sites, and with no ε up to 10.", 5, 0, 4, 10},
	} {
		if got := x.d.nothing(); !strings.HasSuffix(got, x.want) {
			t.Errorf("%q, want %q", got, x.want)
		}
		if x.d.first(x.sites, x.d.Epsilon) == 0 || x.d.first(x.oneFewer, x.d.Epsilon) > 0 || x.epsilon > 0 && x.d.first(x.d.Sites, x.epsilon) == 0 || x.d.first(x.d.Sites, x.oneFewerEps) > 0 {
			t.Errorf("the rule differs from %q", x.want)
		}
	}
}
