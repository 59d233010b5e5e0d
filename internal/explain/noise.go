package explain

import (
	"math"
	"math/bits"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/protocol"
)

// A noise predicts how far the noise moves sums and means, from the noise that the charge states
// for every sum.
type noise struct {
	charge  dp.Charge
	cadence protocol.Cadence
}

// newNoise returns the prediction for a charge of these settings.
func newNoise(s *config.Settings, charge dp.Charge) noise {
	return noise{charge, s.Cadence()}
}

// leaf returns the first leaf that can hold a number of rewards of one arm, with one reward per
// round.
func (n noise) leaf(rewards uint64) uint64 {
	return n.cadence.Holding(rewards)
}

// together reports whether releases of leaves are added up outside of the mechanism.
func (n noise) together() bool { return n.cadence.First > 0 && !n.charge.Mechanism.Running() }

// variance returns the variance of the noise in the sum at a leaf, on the grid.
func (n noise) variance(leaf uint64) float64 {
	v := n.charge.SumNoise(leaf).Variance()
	if n.together() {
		v *= float64(leaf)
	}
	return v
}

// terms returns how many terms of noise are in the sum at a leaf.
func (n noise) terms(leaf uint64) float64 {
	terms := float64(n.charge.SumNoise(leaf).VarianceUnits) / dp.VarianceScale
	if n.together() {
		terms *= float64(leaf)
	}
	return terms
}

// sum returns the standard deviation of the noise in the sum at a leaf, in rewards.
func (n noise) sum(leaf uint64) float64 { return n.rewards(n.variance(leaf)) }

// rewards returns the deviation of a variance on the grid, in rewards.
func (n noise) rewards(variance float64) float64 {
	return math.Ldexp(math.Sqrt(variance), dp.GridExponent)
}

// sums returns the standard deviation of the noise in the running sum over a number of rewards,
// on average and at worst. It is taken over the leaves up to the one that these rewards close; if
// leaves close by the clock, over all leaves, since an arm may reach that number at any of them.
func (n noise) sums(rewards uint64) (average, worst float64) {
	last := min(n.leaf(rewards), n.charge.Leaves)
	if n.cadence.SynchronousLeaves() {
		last = n.charge.Leaves
	}
	sum, most := 0.0, 0.0
	leaves := spreadLeaves(last)
	for _, t := range leaves {
		sum += n.variance(t)
	}
	for _, t := range append(leaves, fullLeaves(last)...) {
		most = max(most, n.variance(t))
	}
	return n.rewards(sum / float64(len(leaves))), n.rewards(most)
}

// looks is how many leaves averages use.
const looks = 512

// spreadLeaves returns the leaves from 1 to last, or, if there are more, as many as averages use,
// spread by the golden ratio so that none of their digits recurs.
func spreadLeaves(last uint64) []uint64 {
	list := make([]uint64, min(last, looks))
	for i := range list {
		list[i] = uint64(i) + 1
		if last > looks {
			_, part := math.Modf(float64(i+1) * math.Phi)
			list[i] = uint64(part*float64(last)) + 1
		}
	}
	return list
}

// fullLeaves returns leaves up to last, among them last itself and the leaf with the most binary
// ones: sums of binary trees have the most nodes there, and sums of factorizations over the whole
// horizon the most noise at last.
func fullLeaves(last uint64) (list []uint64) {
	for i := range bits.Len64(last) {
		if t := (last+1)>>i<<i - 1; t > 0 {
			list = append(list, t)
		}
	}
	return list
}

// mean returns the standard deviation of the noise in an arm's mean, on average over
// leaves.
func (n noise) mean(rewards uint64) float64 {
	average, _ := n.sums(rewards)
	return average / float64(rewards)
}

// enough returns the least number of rewards, up to most, from which on the noise in a mean has a
// deviation of at most sd.
func (n noise) enough(sd float64, most uint64) (rewards uint64, ok bool) {
	return leastGood(1, most, func(rewards uint64) bool { return n.mean(rewards) <= sd })
}

// leastGood returns the least good number from lo to hi, for a rule that holds from some number
// on, or nearly.
func leastGood(lo, hi uint64, good func(uint64) bool) (x uint64, ok bool) {
	if lo > hi || !good(hi) {
		return 0, false
	}
	for lo < hi {
		if mid := lo + (hi-lo)/2; good(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return hi, true
}

// An errorDoc says what the noise does to the results.
type errorDoc struct {
	Sites  int         `json:"sites"`
	Source string      `json:"sites_from"`
	After  []errorLine `json:"after"`
	Tenth  uint64      `json:"rewards_for_sd_0.1,omitempty"`
	Cent   uint64      `json:"rewards_for_sd_0.01,omitempty"`

	LeastNoise leastNoiseDoc `json:"quietest"`
}

// An errorLine describes the moment when one arm has had a number of rewards.
type errorLine struct {
	Rewards  uint64  `json:"rewards"`
	Leaf     uint64  `json:"leaf"`
	Terms    float64 `json:"terms"` // of noise in the sum
	Sum      float64 `json:"sd_sum"`
	Mean     float64 `json:"sd_mean"`
	Average  float64 `json:"sd_mean_average"`
	Worst    float64 `json:"sd_mean_worst"`
	Merged   float64 `json:"sd_mean_merged"`
	Sampling float64 `json:"sd_sampling_at_most"`
}

// document returns the prediction for a horizon and a number of sites.
func (n noise) document(horizon uint64, sites int, source string) *errorDoc {
	doc := &errorDoc{Sites: sites, Source: source}
	for rewards := min(10, horizon); rewards <= horizon && n.leaf(rewards) <= n.charge.Leaves; rewards *= 10 {
		leaf, r := n.leaf(rewards), float64(rewards)
		sum := n.sum(leaf)
		average, worst := n.sums(rewards)
		doc.After = append(doc.After, errorLine{
			Rewards: rewards, Leaf: leaf, Terms: n.terms(leaf), Sum: sum, Mean: sum / r,
			Average: average / r, Worst: worst / r, Merged: average / r / math.Sqrt(float64(sites)), Sampling: 0.5 / math.Sqrt(r),
		})
	}
	doc.Tenth, _ = n.enough(0.1, horizon)
	doc.Cent, _ = n.enough(0.01, horizon)
	return doc
}
