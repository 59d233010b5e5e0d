package protocoltest

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"peerd.dev/bandit"
)

// A Learner adds up a statistic and leaves the choices to the test.
type Learner struct {
	Of bandit.Statistic
	// Add appends what a pull adds up; nil for the reward alone.
	Add func(p bandit.Pull, x []float64) []float64
}

// Sums returns a learner of the sums of rewards, a part an arm.
func Sums(arms int) *Learner { return &Learner{Of: bandit.Statistic{Parts: arms, Dim: 1}} }

// Vector returns a learner of one part: how often each arm was pulled, and then what each
// paid.
func Vector(arms int) *Learner {
	return &Learner{
		Of: bandit.Statistic{Parts: 1, Dim: 2 * arms},
		Add: func(p bandit.Pull, x []float64) []float64 {
			v := make([]float64, 2*arms)
			v[p.Arm], v[arms+int(p.Arm)] = 1, float64(p.Reward)
			return append(x, v...)
		},
	}
}

// Linear returns a learner of linear records, in which an action is described by its number:
// how often each was pulled stands on the diagonal, and what each paid at the end.
func Linear(arms int) *Learner {
	return &Learner{
		Of: bandit.Statistic{Parts: 1, Dim: arms, Kind: bandit.Linear},
		Add: func(p bandit.Pull, x []float64) []float64 {
			v := make([]float64, arms+1)
			v[p.Arm], v[arms] = 1, float64(p.Reward)
			return append(x, v...)
		},
	}
}

// Statistic implements [bandit.Learner].
func (l *Learner) Statistic() bandit.Statistic { return l.Of }

// Part returns the arm's own part, or the only one.
func (l *Learner) Part(a bandit.Arm) int { return min(int(a), l.Of.Parts-1) }

// Update implements [bandit.Learner].
func (l *Learner) Update(p bandit.Pull, x []float64) []float64 {
	if l.Add != nil {
		return l.Add(p, x)
	}
	return append(x, float64(p.Reward))
}

// Choose returns the first part that is forced, or else the least pulled one.
func (l *Learner) Choose(b *bandit.Belief, _ bandit.Turn) bandit.Choice {
	if len(b.Forced) > 0 {
		return bandit.Choice{Arm: bandit.Arm(b.Forced[0]), Propensity: 1}
	}
	return bandit.Choice{Arm: bandit.Arm(slices.Index(b.Pulls, slices.Min(b.Pulls))), Propensity: 1}
}

// Summarize returns nothing: it is not used.
func (l *Learner) Summarize(*bandit.Belief) bandit.Summary { return bandit.Summary{} }

// Save returns nothing.
func (l *Learner) Save() []byte { return nil }

// Load implements [bandit.Learner].
func (l *Learner) Load([]byte) error { return nil }

// An Explorer is a learner of epochs. Epoch r asks for Each rewards of every arm that is
// left; with Drop, an arm whose mean is 2^-r behind the best one of these is then left out.
type Explorer struct {
	*Learner
	Each, Epochs uint64
	Drop         bool

	epoch uint64 // newest whose means have dropped arms
	out   []bool
	quota []uint64
}

var _ bandit.Phased = (*Explorer)(nil)

// Explore returns an Explorer of sums of rewards.
func Explore(arms int, each, epochs uint64, drop bool) *Explorer {
	return &Explorer{Learner: Sums(arms), Each: each, Epochs: epochs, Drop: drop, out: make([]bool, arms)}
}

// Quota implements [bandit.Phased].
func (e *Explorer) Quota(b *bandit.Belief) []uint64 {
	if e.Drop && b.Epoch > e.epoch {
		best := math.Inf(-1)
		for k, x := range b.X {
			if !e.out[k] {
				best = max(best, x)
			}
		}
		for k, x := range b.X {
			e.out[k] = e.out[k] || best-x >= 1/float64(uint64(1)<<min(b.Epoch, 60))
		}
		e.epoch = b.Epoch
	}
	if b.Epoch >= e.Epochs {
		return nil
	}
	e.quota = e.quota[:0]
	for _, out := range e.out {
		n := e.Each
		if out {
			n = 0
		}
		e.quota = append(e.quota, n)
	}
	return e.quota
}

// Save returns the arms that are left.
func (e *Explorer) Save() []byte {
	b := binary.BigEndian.AppendUint64(nil, e.epoch)
	for _, out := range e.out {
		if out {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

// Load implements [bandit.Learner].
func (e *Explorer) Load(b []byte) error {
	if len(b) != 8+len(e.out) {
		return errors.New("protocoltest: state of another learner")
	}
	e.epoch = binary.BigEndian.Uint64(b)
	for k := range e.out {
		e.out[k] = b[8+k] == 1
	}
	return nil
}
