package shuffling_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/protocol/shuffling"
)

// gaussianDelta is the exact curve of Gaussian noise.
func gaussianDelta(epsilon, mu float64) float64 {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
}

// TestPromisedFiguresAreThoseOfTheProof: of docs/proofs/shuffle.md, by the numbers of silos and of records of a user. All together see the
// noise of one silo; the analyzer sees the noise of h silos in a sum, and a promise that is amplified is none that the own noise does not keep.
func TestPromisedFiguresAreThoseOfTheProof(t *testing.T) {
	amplified := false
	figure := regexp.MustCompile(`ε = (\S+) at the same δ`)
	of := func(p shuffling.Params, c dp.Charge, delta float64, who string) (epsilon float64, ok bool) {
		for _, line := range p.Promises(c, delta) {
			if m := figure.FindStringSubmatch(line); m != nil && strings.HasPrefix(line, "against "+who) {
				epsilon, err := strconv.ParseFloat(m[1], 64)
				return epsilon, err == nil
			}
		}
		return 0, false
	}
	for _, h := range []int{1, 2, 3, 10, 300} {
		for _, k := range []uint64{1, 2} {
			for _, x := range []struct {
				mu, delta float64
				leaves    uint64
			}{{1.5, 1e-5, 1023}, {1.5, 1e-9, 1023}, {.1, 1e-5, 1}} {
				c := dp.Charge{Leaves: x.leaves, RecordsPerUser: k, Loss: account.Loss{Square: account.Square(x.mu * x.mu * account.Nano)}}
				p := shuffling.Params{Every: 1, Shuffler: 1, Analyzer: 2, Honest: h, Least: h, Deadline: 10, Pull: 3}
				holds := func(who string, mu float64) {
					t.Helper()
					if e, ok := of(p, c, x.delta, who); !ok || gaussianDelta(e*1.001, mu) > x.delta || gaussianDelta(e*.999, mu) < x.delta {
						t.Errorf("%s of %d silos, %d records, %s: ε %v has δ %.3g, want %v", p.Sees, h, k, who, e, gaussianDelta(e, mu), x.delta)
					}
				}
				p.Sees = shuffling.Sum
				holds("the analyzer", x.mu/math.Sqrt(float64(h)))
				holds("shuffler, analyzer", x.mu)
				p.Sees = shuffling.Reports
				holds("shuffler, analyzer", x.mu)
				own, _ := of(p, c, x.delta, "shuffler, analyzer")
				e, ok := of(p, c, x.delta, "the analyzer")
				want, err := p.Tree(h, c.Leaves).Epsilon(shuffling.MuOfNode(&c), x.delta)
				if k == 1 && (!ok || err != nil || math.Abs(e-want) > 1e-3*want || e > own*1.001) { // the proof has one record of a user
					t.Errorf("reports of %d silos: ε %v, want %v, and at most %v", h, e, want, own)
				}
				amplified = amplified || ok && e < own/2
			}
		}
	}
	if !amplified {
		t.Error("no promise is amplified: this shows little of reports")
	}
}
