package daemon

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/site"
)

// TestAStatusIsInTheApplicationsUnits: estimates are, and what they are made of stays as it was.
func TestAStatusIsInTheApplicationsUnits(t *testing.T) {
	released := node.Status{Means: []float64{.75, 0}, Samples: []float64{8, 0}, Noise: []float64{.125, .5}}
	released.Parameter.Error = .25
	for r, want := range map[site.Range][4]float64{{}: {.75, 0, .125, .25}, {-1, 1}: {.5, 0, .25, .5}, {0, 40}: {30, 0, 5, 10}} {
		s := released
		d := Deployment{s: &config.Settings{API: config.API{RewardRange: r[:]}}, Spec: node.Spec{Learner: bandit.Table()[0]}}
		d.inUnits(&s)
		if got := [4]float64{s.Means[0], s.Means[1], s.Noise[0], s.Parameter.Error}; got != want {
			t.Errorf("%v: %v, want %v", r, got, want)
		}
	}
	s := released
	(&Deployment{s: &config.Settings{API: config.API{RewardRange: []float64{-1, 1}}}, Spec: node.Spec{Learner: linear.LinUCBParams{}}}).inUnits(&s)
	if s.Means[0] != .75 {
		t.Error("a learner by features states no means, but they are scaled")
	}
	if released.Means[0] != .75 || released.Noise[0] != .125 {
		t.Error("what was released is another number now")
	}
}
