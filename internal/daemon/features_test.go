package daemon

import (
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/linear"
	"peerd.dev/internal/config"
	"peerd.dev/node"
)

// TestArmsShowWhatEachFeatureAdds: with records of known rewards and hardly any noise, the mean reward in the middle and what
// each value adds, with every map that shows it.
func TestArmsShowWhatEachFeatureAdds(t *testing.T) {
	s := config.Settings{Features: config.Features{Context: []string{"hour=0..24", "device=mobile|desktop"}}, Arms: []string{"mail", "call"}}
	names := s.Names()
	for _, by := range []bandit.FeatureMap{bandit.Outer, bandit.Interactions} {
		in := names.Inputs(2)
		in.Map = by
		p := linear.LinUCBParams{Features: in.Action, Context: in.Context, Map: by, Index: linear.SampledIndex, Radius: 1, Records: linear.CentredRewards}
		l, err := bandit.New(p, bandit.Config{Arms: 2, Peers: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, own := belief.New(1, l.Statistic().Width()), [][]float64{{1, 0}, {0, 1}}
		n := 0
		for _, k := range []int{0, 1} {
			for hour := range 25 {
				for device := range 2 {
					x := names.Context.Begin()
					names.Context.SetNumber(x, 0, float64(hour))
					names.Context.SetCategory(x, 1, device)
					late, mobile := float64(hour)/12-1, 1-2*float64(device)
					reward := bandit.Reward([]float64{.5 - .3*late, .4 + .2*mobile}[k])
					record := l.Update(bandit.Pull{Features: in.Features(x, own[k]), Reward: reward}, nil)
					sumUp(b.X, record, 1000)
					n++
				}
			}
		}
		b.SampleVar[0], b.GaussVar[0] = 1/float64(1000*n), 1
		known := node.Status{Means: []float64{0, 0}, Samples: []float64{0, 0}, Noise: []float64{0, 0}, Parameter: l.Summarize(&b).Parameter}
		d := &Deployment{s: &s, actions: config.Actions{Names: s.Arms}, Spec: node.Spec{Learner: p}}
		arms := d.arms(&known)
		s.API.RewardRange = []float64{-1, 3}
		if wide := d.arms(&known); math.Abs(wide[0].Estimate-(4*arms[0].Estimate-1)) > 1e-9 || math.Abs(wide[0].Effects[0].Change-4*arms[0].Effects[0].Change) > 1e-9 || wide[0].Error != 4*arms[0].Error {
			t.Errorf("%+v is not %+v in units of api.reward_range", wide[0], arms[0])
		}
		s.API.RewardRange = nil
		near := func(x, want float64) bool { return math.Abs(x-want) < .02 }
		for k, want := range [][]float64{{.5, -.3, 0, 0}, {.4, 0, .2, -.2}} {
			a, got := arms[k], []float64{arms[k].Estimate}
			for _, e := range a.Effects {
				got = append(got, e.Change)
			}
			if !slices.EqualFunc(got, want, near) || a.Effects[0].Feature != "hour" || a.Effects[2].Category != "desktop" || !(a.Error > 0 && a.Error < .05) {
				t.Errorf("%s, %s: %+v, want %v", by, a.Name, a, want)
			}
		}
	}
	if n, features := (&Deployment{s: &s, Spec: node.Spec{Learner: bandit.Table()[0]}}).byFeatures(); n != 0 || features != nil {
		t.Error(n, features)
	}
}

// sumUp adds a linear record to sums, as package dp does, a number of times.
func sumUp(sums, record []float64, times float64) {
	d := len(record) - 1
	at := 0
	for i := range d {
		for j := i; j < d; j++ {
			by := times
			if i != j {
				by *= math.Sqrt2
			}
			sums[at] += by * record[i] * record[j]
			at++
		}
	}
	for i := range d {
		sums[at+i] += times * record[i] * record[d]
	}
}
