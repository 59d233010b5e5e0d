package sim_test

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// seldom is a world with a decision in one round of 50.
type seldom struct{ bandit.World }

func (w seldom) Turn(round uint64) bandit.Turn {
	if round%50 > 0 {
		return bandit.Turn{Round: round, None: true}
	}
	return w.World.Turn(round)
}

// TestTheIndexCoversInPhases: it covers as often as promised at its level, with messages that are
// late or lost and a site that decides in one round of 50, so that pulls are unequal. The test
// has power: an index at .6 of its distance from the mean is too low more often.
func TestTheIndexCoversInPhases(t *testing.T) {
	const rounds, runs = 500, 30
	shares := []float64{1, .6}
	var misses [2]float64
	allowed, checked := 0., 0
	for run := range uint64(runs) {
		means := []float64{.5, .55, .45, .6, .5}
		c := signed(config(run, ring(3), rounds, means))
		c.Spec.Protocol, c.Spec.Privacy.Mechanism, c.Spec.Learner = phases(), dp.EachLaplace, learner.KLUCBParams{Level: learner.TwoLog}
		c.Faults = sim.Faults{Delay: 20, Loss: .2}
		c.Worlds[0] = seldom{c.Worlds[0]}
		var radii []bandit.Radius
		c.Watch = func(round protocol.Round, agents []*node.Agent) {
			for _, a := range agents {
				b := a.Belief()
				radii = a.Radii(radii[:0], round+1)
				for k, r := range radii {
					if !b.Known(k) {
						continue
					}
					checked++
					allowed += r.Miss
					for i, share := range shares {
						if means[k]-b.X[k] > share*r.Size {
							misses[i]++
						}
					}
				}
			}
		}
		if _, err := sim.Run(c); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("of %d indices %v too low, at %v of their distance %v, allowed %.1f", checked, misses[0], shares[1], misses[1], allowed)
	if misses[0] > allowed {
		t.Error("the index is too low more often than promised")
	}
	if misses[1] <= allowed {
		t.Error("a narrower index would pass")
	}
}
