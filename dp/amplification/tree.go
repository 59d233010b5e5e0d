package amplification

import (
	"fmt"
	"math"
	"math/bits"

	"peerd.dev/dp/account"
)

// maxSilos bounds the time that a promise takes, and the error of its sums.
const maxSilos = 1_000_000

// Tree is the reports that silos send over a horizon: after every leaf the sum of a node of the binary tree over leaves,
// with Gaussian noise, all silos' in a random order. A record lies in one node of each level.
//
// A μ below is a record's in one node: how far the record can move the node's sum when another
// replaces it, also under zero-out, over the deviation of the noise. A user has one record. A silo's other records differ from another silo's by
// as many replacements as there are records in the node.
type Tree struct {
	Silos  int    // that send a report of every node and keep their noise to themselves, the record's own included
	Batch  uint64 // the most records of a silo in a leaf
	Leaves uint64 // of the horizon
}

// check refuses trees and δ out of range.
func (t Tree) check(delta float64) error {
	switch {
	case t.Silos < 1 || t.Silos > maxSilos:
		return fmt.Errorf("amplification: %d silos, want 1 to %d", t.Silos, maxSilos)
	case t.Batch < 1 || t.Leaves < 1:
		return fmt.Errorf("amplification: %d leaves of %d records, want 1 or more of each", t.Leaves, t.Batch)
	case !(0 < delta && delta < 1):
		return fmt.Errorf("amplification: delta %v, want a number between 0 and 1", delta)
	}
	return nil
}

// levels returns the number of nodes of a record.
func (t Tree) levels() int { return bits.Len64(t.Leaves) }

// Epsilon returns an ε for which a record is (ε, δ)-private to the analyzer. It is the least over how many levels,
// from the lowest, count as shuffled. Their ε add up (basic composition), with an equal share of δ each; the other levels are
// one Gaussian release, as to everyone. With no shuffled level that is the promise of [account.Mu], so ε is never more.
func (t Tree) Epsilon(mu account.Mu, delta float64) (float64, error) {
	if err := t.check(delta); err != nil {
		return 0, err
	}
	all := t.levels()
	share, shuffled, best := delta/float64(all), 0., math.Inf(1)
	for level := 0; ; level++ {
		rest := 0.
		if left := float64(all - level); left > 0 {
			var err error
			if rest, err = (mu * account.Mu(math.Sqrt(left)*(1+0x1p-50))).Epsilon(min(delta, share*left)); err != nil {
				return 0, err
			}
		}
		best = min(best, shuffled+rest)
		if level == all {
			return best, nil
		}
		epsilon, err := t.level(mu, math.Ldexp(float64(t.Batch), level), share)
		if err != nil {
			return 0, err
		}
		if shuffled += epsilon; shuffled >= best {
			return best, nil // higher levels have longer sums
		}
	}
}

// level returns an ε for which a record is (ε, δ)-private in the shuffled reports of nodes of n records, or infinity
// where shuffling shows no gain. Every ε0 gives one: a report is within δ1 of one that is purely ε0-private for the record
// and within δn of one that is purely n·ε0-private for all records, by the Gaussian curve at μ and n·μ. These distances take a
// part of δ, as in Lemma F.2 with δn in place of δ0, and e^ε0 in place of e^ε. The less they take, the greater is ε0.
func (t Tree) level(mu account.Mu, n, delta float64) (float64, error) {
	silos := float64(t.Silos)
	var failed error
	off := func(epsilon0 float64) float64 {
		one, err := mu.Delta(epsilon0)
		if err != nil {
			failed = err
		}
		all, err := (mu * account.Mu(n)).Delta(n * epsilon0)
		if err != nil {
			failed = err
		}
		return silos * (math.Exp(epsilon0) + 1) * (all + math.Exp(-epsilon0)/2*one)
	}
	best := math.Inf(1)
	if n*float64(mu) > math.Sqrt(2*math.Log(silos)) { // a small δn wants n·ε0 above (n·μ)²/2, and below it is at most ln(silos)
		return best, nil
	}
	for _, part := range []float64{1. / 2, 1. / 16} {
		bad, epsilon0 := 0., math.Log(silos)/n // above it another report is a clone less than once
		if off(epsilon0) > part*delta {
			break
		}
		for epsilon0-bad > 1e-4*epsilon0 {
			if mid := (bad + epsilon0) / 2; off(mid) <= part*delta {
				epsilon0 = mid
			} else {
				bad = mid
			}
		}
		best = min(best, Clones(epsilon0, n*epsilon0).epsilon(t.Silos, (1-part)*delta, 1e-3))
	}
	return best, failed
}

// Sigma returns a deviation of the noise for which a record, which moves a node's sum by at most
// the sensitivity, is (ε, δ)-private to the analyzer, the least one up to a thousandth. It is an error unless that is
// less than what is needed without a shuffler.
func (t Tree) Sigma(epsilon, delta, sensitivity float64) (float64, error) {
	if err := t.check(delta); err != nil {
		return 0, err
	}
	alone, err := account.MuFor(epsilon, delta)
	if err != nil {
		return 0, err
	}
	good := func(mu float64) bool {
		e, err := t.Epsilon(account.Mu(mu), delta)
		return err == nil && e <= epsilon
	}
	mu := float64(alone) / math.Sqrt(float64(t.levels())) * (1 + 1e-3)
	if !good(mu) {
		return 0, fmt.Errorf("amplification: with %d silos and up to %d records in a batch a shuffler allows no less noise than a silo needs alone for epsilon %v and delta %v; "+
			"Lemma F.2 of paper 002 needs M > 16 ln(2/delta) = %.0f silos at the delta of one of %d nodes, and e^(n·epsilon0) times as many for sums of n records; "+
			"set protocol.shuffle.honest: 1, by which the own noise pays alone, or protocol.shuffle.sees: sum, by which the noise of all silos adds up",
			t.Silos, t.Batch, epsilon, delta, needed(delta/float64(t.levels())), t.levels())
	}
	step := 2.
	for step > 1+1e-3 {
		if good(mu * step) {
			mu *= step
		} else {
			step = math.Sqrt(step)
		}
	}
	return sensitivity / mu * (1 + 0x1p-49), nil
}

// needed returns 16 ln(2/δ): Lemma F.2 says nothing of this number of silos or fewer, whatever their noise.
func needed(delta float64) float64 { return 16 * math.Log(2/delta) }
