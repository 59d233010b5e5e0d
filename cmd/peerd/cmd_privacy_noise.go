package main

import (
	"math"
	"math/bits"

	"peerd.dev/dp"
)

// A noise predicts how far the noise moves sums and means. A running sum at a leaf is
// made of as many nodes as the leaf's number has bits that are 1.
type noise struct {
	leaves uint64
	every  uint64  // rounds a leaf, with leaves by the clock; 0 with a leaf for every reward
	node   float64 // standard deviation of the noise in one node, in rewards
}

// noise returns the prediction for a charge of these settings.
func (s *Settings) noise(charge dp.Charge) noise {
	n := noise{leaves: charge.Leaves}
	if s.Protocol.Name == "rows" {
		n.every = s.Protocol.Rows.Every
	}
	if t := float64(charge.Scale); t > 0 { // the variance of e^(-|x|/t) is 1/(2·sinh²(1/2t)), about 2t²
		n.node = math.Ldexp(1/(math.Sqrt2*math.Sinh(1/(2*t))), dp.GridExponent)
	}
	return n
}

// levels returns how many nodes a leaf can lie in, and a sum can be made of.
func (n noise) levels() int { return bits.Len64(n.leaves) }

// leaf returns the first leaf that can hold so many rewards of one arm, with a reward a
// round.
func (n noise) leaf(rewards uint64) uint64 {
	if n.every == 0 {
		return rewards
	}
	return (rewards-1)/n.every + 1
}

// terms returns of how many nodes the running sum over so many rewards is made on
// average and at worst: over the leaves up to the one that they close or, by the clock,
// over all, since any of them may be the one at which an arm has so many.
func (n noise) terms(rewards uint64) (mean, most float64) {
	last := n.leaf(rewards)
	if n.every != 0 {
		last = n.leaves
	}
	return ones(last)
}

// ones returns how many bits of the numbers from 1 to n are 1, on average and at most.
func ones(n uint64) (mean, most float64) {
	sum := uint64(0)
	for i := range bits.Len64(n) {
		block := uint64(1) << i // bit i is 0 for so many numbers, then 1 for so many
		sum += (n+1)/(2*block)*block + max((n+1)%(2*block), block) - block
	}
	worst := bits.OnesCount64(n)
	for i := range bits.Len64(n) { // the greatest below n with a given beginning ends in ones
		if n>>i&1 == 1 {
			worst = max(worst, bits.OnesCount64(n>>(i+1))+i)
		}
	}
	return float64(sum) / float64(n), float64(worst)
}

// mean returns the standard deviation of the noise in an arm's mean, on average over
// leaves.
func (n noise) mean(rewards uint64) float64 {
	terms, _ := n.terms(rewards)
	return n.node * math.Sqrt(terms) / float64(rewards)
}

// enough returns the least number of rewards up to most from which on the noise in a
// mean has a deviation of at most sd.
func (n noise) enough(sd float64, most uint64) (rewards uint64, ok bool) {
	return leastGood(1, most, func(rewards uint64) bool { return n.mean(rewards) <= sd })
}

// leastGood returns a good number from lo to hi below which none is, of a rule that once
// holds goes on to, or nearly.
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
}

// An errorLine is about the moment when one arm has had so many rewards.
type errorLine struct {
	Rewards  uint64  `json:"rewards"`
	Leaf     uint64  `json:"leaf"`
	Nodes    int     `json:"nodes"`
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
	for rewards := min(10, horizon); rewards <= horizon && n.leaf(rewards) <= n.leaves; rewards *= 10 {
		leaf, r := n.leaf(rewards), float64(rewards)
		nodes := bits.OnesCount64(leaf)
		sum := n.node * math.Sqrt(float64(nodes))
		average, most := n.mean(rewards), 0.0
		_, most = n.terms(rewards)
		doc.After = append(doc.After, errorLine{
			Rewards: rewards, Leaf: leaf, Nodes: nodes, Sum: sum, Mean: sum / r, Average: average,
			Worst: n.node * math.Sqrt(most) / r, Merged: average / math.Sqrt(float64(sites)), Sampling: 0.5 / math.Sqrt(r),
		})
	}
	doc.Tenth, _ = n.enough(0.1, horizon)
	doc.Cent, _ = n.enough(0.01, horizon)
	return doc
}
