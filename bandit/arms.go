package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// rewardVar bounds the variance of a reward in [0,1].
const rewardVar = .25

// Arms is the statistic of learners without features: each of N arms is a part, with the sum of
// its rewards in [0,1]. Such learners embed it.
type Arms struct{ N int }

// Statistic returns a sum for each arm.
func (a Arms) Statistic() Statistic { return Statistic{Parts: a.N, Dim: 1} }

// Part returns the arm's own part.
func (a Arms) Part(arm Arm) int { return int(arm) }

// Update adds the reward.
func (a Arms) Update(p Pull, x []float64) []float64 { return append(x, float64(p.Reward)) }

// Summarize returns the belief, arm by arm.
func (a Arms) Summarize(b *Belief) Summary {
	s := Summary{Estimates: slices.Clone(b.X)}
	for k, v := range b.SampleVar {
		s.Samples = append(s.Samples, 1/v) // 0 for +Inf
		s.NoiseDevs = append(s.NoiseDevs, b.NoiseDev(k))
	}
	return s
}

// Excludes reports whether an arm must not be chosen.
func (t *Turn) Excludes(k int) bool {
	return len(t.Excluded) > 0 && slices.Contains(t.Excluded, Arm(k))
}

// Forced picks one of the arms that must be chosen before all others, each equally likely. ok is
// false if there are none.
func Forced(b *Belief, t Turn, rng *rand.Rand) (c Choice, ok bool) {
	all := b.Forced
	if len(t.Excluded) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), t.Excludes)
	}
	n := len(all)
	if n == 0 {
		return Choice{}, false
	}
	return Choice{Arm(all[rng.IntN(n)]), 1 / float64(n)}, true
}

// early is how often an unknown arm is chosen before all others.
const early = 64

// Greatest returns the arm with the greatest index. Unknown arms come first, the least pulled of
// them first; ties go to the lowest arm. An unknown arm that was chosen early times comes first
// only in its turn, one of as many rounds as there are arms: its rewards may become known late,
// and all decisions until then would choose one action. For an arm of which the peer is ahead,
// rested counts instead of its index, since there is nothing to find out here: the index without
// what it adds for exploration, in the same units. For an index that is a bound of a mean, it is b.X.
func Greatest(b *Belief, t Turn, index, rested []float64) Arm {
	arg, best := -1, math.Inf(-1)
	for k, i := range index {
		switch {
		case t.Excludes(k):
			continue
		case !b.Known(k) && b.Pulls[k] >= early && t.Round%uint64(len(index)) != uint64(k) && someKnown(b, t):
			continue
		case !b.Known(k):
			i = math.Inf(1)
		case b.IsAhead(k):
			i = rested[k]
		}
		if arg < 0 || i > best || (i > math.MaxFloat64 && b.Pulls[k] < b.Pulls[arg]) {
			arg, best = k, i
		}
	}
	return Arm(arg)
}

// Stateless is embedded in learners without state: their choices depend on the belief, the round
// and random numbers.
type Stateless struct{}

// Save returns nothing.
func (Stateless) Save() []byte { return nil }

// Load accepts nothing else.
func (Stateless) Load(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("bandit: saved state of %d bytes, want none", len(state))
	}
	return nil
}

// someKnown reports whether anything is known of an arm that may be chosen.
func someKnown(b *Belief, t Turn) bool {
	for k := range b.SampleVar {
		if b.Known(k) && !t.Excludes(k) {
			return true
		}
	}
	return false
}
