package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/node/lab/audit"
	"peerd.dev/protocol"
	"peerd.dev/protocol/batches"
)

// remembering is a learner that keeps what was taken, raw.
type remembering struct {
	bandit.Learner
	proposes bool              // the arm that was taken last
	counts   protocol.Protocol // hears of every arm that was taken
	last     uint64            // and one
}

func (l *remembering) Update(p bandit.Pull, x []float64) []float64 {
	l.last = uint64(p.Arm) + 1
	if l.counts != nil {
		l.counts.Chosen(l.Part(p.Arm))
	}
	return l.Learner.Update(p, x)
}

func (l *remembering) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	c := l.Learner.Choose(b, t)
	if l.proposes && l.last > 0 {
		c.Arm = bandit.Arm(l.last - 1)
	}
	return c
}

func (l *remembering) Save() []byte            { return state.Save(1, l.fields) }
func (l *remembering) Load(saved []byte) error { return state.Load(saved, 1, l.fields) }

func (l *remembering) fields(v *state.Visitor) {
	v.Part(l.Learner.Save, l.Learner.Load)
	v.Uint(&l.last)
}

// TestWhatAnApplicationTakesStaysPrivate: where a peer may learn from what its application took, correct peers pass, and two faults are
// found: the next proposal is what was taken, and its exact number is released.
func TestWhatAnApplicationTakesStaysPrivate(t *testing.T) {
	noised := counted(dp.Tree, bandit.ThompsonParams{Inflation: 2}, 1)
	features := described(dp.TreeGaussian, batches.BatchParams{First: 10, Growth: .5, DecideFrom: batches.FromReleases, Pull: 25, Schedule: batches.FixedSchedule, Threshold: 1, Draws: 1}, audit.MinRuns, 1)
	noised.Runs = audit.MinRuns
	kary := counted(dp.Kary, bandit.ThompsonParams{Inflation: 2}, 1) // whose twins have sums of the other history
	kary.Runs = audit.MinRuns
	for _, x := range []struct {
		name             string
		c                audit.Config
		proposes, counts bool
	}{
		{"noised", noised, false, false},
		{"features", features, false, false},
		{"running sums", kary, false, false},
		{"noised, proposes", noised, true, false},
		{"features, proposes", features, true, false},
		{"noised, counts", noised, false, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.proposes || x.counts {
				x.c.Spec.Wrap = func(_ dp.Spec, l bandit.Learner, p protocol.Protocol) (bandit.Learner, protocol.Protocol, error) {
					m := &remembering{Learner: l, proposes: x.proposes}
					if x.counts {
						m.counts = p
					}
					return m, p, nil
				}
			}
			r, err := audit.Run(t.Context(), x.c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Passed != (x.c.Spec.Wrap == nil) || !r.Passed && !slices.Contains(broken(r), "twin") {
				t.Errorf("passed: %v, %v", r.Passed, r.Broken)
			}
			t.Log(fmt.Sprint(r.Broken))
		})
	}
}
