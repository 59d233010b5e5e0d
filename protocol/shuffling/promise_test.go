package shuffling_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/dp/amplification"
	"peerd.dev/protocol/shuffling"
)

// epsilonOf returns the ε of Gaussian noise at δ, from the curve as docs/proofs/account.md prints it.
func epsilonOf(mu, delta float64) float64 {
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	lo, hi := 0., 100.
	for range 200 {
		if e := (lo + hi) / 2; normal(mu/2-e/mu)-math.Exp(e)*normal(-mu/2-e/mu) > delta {
			lo = e
		} else {
			hi = e
		}
	}
	return hi
}

// TestPromisesAreThoseOfTheProof: the figures are the table's of docs/lab/proofs/shuffle.md, recomputed from the noise that is charged, and
// stated where its conditions hold: reports count as shuffled for one record of a user that another replaces, sums add up noise in any case.
// Each sentence names who must not see openings.
func TestPromisesAreThoseOfTheProof(t *testing.T) {
	const delta, leaves, every = 1e-6, 4, 1
	stated := 0
	for _, sees := range []shuffling.Sees{shuffling.Reports, shuffling.Sum} {
		for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.ZeroOut} {
			for k := uint64(1); k <= 3; k++ {
				for _, least := range []int{1, 4, 5000} {
					name := fmt.Sprint(sees, adjacency, k, least)
					spec := dp.Spec{
						What: "sums", Streams: 1, Shape: dp.Linear, Dim: 3, Lo: -1, Hi: 1, Leaves: leaves, RecordsPerUser: k, Adjacency: adjacency,
						Mechanism: dp.TreeGaussian, Epsilon: 3 * dp.Nano, Delta: delta,
					}
					charge, err := spec.Charge()
					if err != nil {
						t.Fatal(err)
					}
					norm := map[dp.Adjacency]float64{dp.ReplaceOne: 4.5, dp.ZeroOut: 2}[adjacency]
					mu := float64(k) * math.Sqrt(norm*3) * (1 << 20) / float64(charge.Scale) // a record is in 3 nodes
					p := shuffling.Params{Every: every, Shuffler: 1, Analyzer: 2, Sees: sees, Honest: 1, Least: least}
					got := p.Promises(charge, delta)
					want := epsilonOf(mu/math.Sqrt(float64(least)), delta)
					if sees == shuffling.Reports {
						if want, err = (amplification.Tree{Silos: least, Batch: every, Leaves: leaves}).Epsilon(account.Mu(mu/math.Sqrt(3)), delta); err != nil {
							t.Fatal(err)
						}
					}
					first, covered := got[0], sees == shuffling.Sum || k == 1 && adjacency == dp.ReplaceOne
					if strings.HasPrefix(first, "against the analyzer") != covered {
						t.Errorf("%s: %q", name, first)
						continue
					}
					if covered {
						stated++
						got = got[1:]
						var figure float64
						if _, err = fmt.Sscanf(first, "against the analyzer: ε = %g", &figure); err != nil || math.Abs(figure/want-1) > 2e-3 {
							t.Errorf("%s: %q, want ε = %.4g", name, first, want)
						}
						if sees == shuffling.Reports && !strings.Contains(first, fmt.Sprintf("ε = %.4g at", want)) { // one site more is a digit more
							t.Errorf("%s: %q, want ε = %.4g", name, first, want)
						}
						if !strings.Contains(first, fmt.Sprintf("if %d sites", least)) || !strings.Contains(first, "shown no openings") {
							t.Errorf("%s: %q", name, first)
						}
					}
					var all float64
					_, err = fmt.Sscanf(got[len(got)-1], "against shuffler, analyzer and all other sites together: ε = %g", &all)
					if len(got) != 2 || err != nil || math.Abs(all/epsilonOf(mu, delta)-1) > 2e-3 || !strings.Contains(got[0], "who has openings") {
						t.Errorf("%s: %q, want %v", name, got, epsilonOf(mu, delta))
					}
				}
			}
		}
	}
	if stated != 3*(1+6) {
		t.Errorf("%d promises against the analyzer", stated)
	}
}
