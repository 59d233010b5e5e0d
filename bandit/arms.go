package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// arms is the statistic of learners without features: the sum of rewards in [0,1] of
// every arm, a part an arm.
type arms struct{ n int }

// Statistic returns a sum for each arm.
func (a arms) Statistic() Statistic { return Statistic{Parts: a.n, Dim: 1} }

// Part returns the arm's own.
func (a arms) Part(arm Arm) int { return int(arm) }

// Update adds the reward.
func (a arms) Update(p Pull, x []float64) []float64 { return append(x, float64(p.Reward)) }

// Summarize returns the belief, arm by arm.
func (a arms) Summarize(b *Belief) Summary {
	s := Summary{Estimates: slices.Clone(b.X)}
	for k, v := range b.SampleVar {
		s.Samples = append(s.Samples, 1/v) // 0 for +Inf
		s.NoiseDevs = append(s.NoiseDevs, b.NoiseDev(k))
	}
	return s
}

// excludes reports whether an arm is not to be chosen.
func (t *Turn) excludes(k int) bool {
	return len(t.Excluded) > 0 && slices.Contains(t.Excluded, Arm(k))
}

// forced picks one of the arms that are to be chosen before all others, each equally
// likely. ok is false if there are none.
func forced(b *Belief, t Turn, rng *rand.Rand) (c Choice, ok bool) {
	all := b.Forced
	if len(t.Excluded) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), t.excludes)
	}
	n := len(all)
	if n == 0 {
		return Choice{}, false
	}
	return Choice{Arm(all[rng.IntN(n)]), 1 / float64(n)}, true
}

// early is how often an arm of which nothing is known is chosen before all others.
const early = 64

// greatest returns the arm with the greatest index. Arms of which nothing is known come
// first, the least pulled of them first; ties go to the lowest arm. One that was chosen early times comes
// first in its turn alone, one of as many rounds as there are arms: its rewards may be known late, and
// all decisions until then would be for one action. Of an arm of which the
// peer is ahead there is nothing to find out here, and so its mean counts in place of its
// index.
func greatest(b *Belief, t Turn, index []float64) Arm {
	arg, best := -1, math.Inf(-1)
	for k, i := range index {
		switch {
		case t.excludes(k):
			continue
		case !b.Known(k) && b.Pulls[k] >= early && t.Round%uint64(len(index)) != uint64(k) && someKnown(b, t):
			continue
		case !b.Known(k):
			i = math.Inf(1)
		case b.IsAhead(k):
			i = b.X[k]
		}
		if arg < 0 || i > best || (i > math.MaxFloat64 && b.Pulls[k] < b.Pulls[arg]) {
			arg, best = k, i
		}
	}
	return Arm(arg)
}

// stateless is a part of learners that have nothing to save: what they choose rests on the belief,
// the round and random numbers.
type stateless struct{}

// Save returns nothing.
func (stateless) Save() []byte { return nil }

// Load accepts nothing else.
func (stateless) Load(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("bandit: saved state of %d bytes, want none", len(state))
	}
	return nil
}

// someKnown reports whether something is known of an arm that may be chosen.
func someKnown(b *Belief, t Turn) bool {
	for k := range b.SampleVar {
		if b.Known(k) && !t.excludes(k) {
			return true
		}
	}
	return false
}
