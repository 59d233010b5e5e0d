package learner

import (
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// TestTheChoiceIsThatOfAllIndices: what is kept from choice to choice, with bounds in place of indices that do not matter, chooses as all
// indices do, as releases come, rounds go by, arms are excluded and others get ahead.
func TestTheChoiceIsThatOfAllIndices(t *testing.T) {
	const arms = 6
	rng := rand.New(rand.NewPCG(7, 7))
	l, err := KLUCBParams{TwoLog}.New(bandit.Config{Arms: arms, Peers: 2, Rand: rng})
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(arms, 1)
	bounded := 0
	for round := range uint64(3000) {
		if k := rng.IntN(3 * arms); k < arms {
			n, m := math.Exp(6*rng.Float64()), math.Exp(6*rng.Float64())
			b.Sites[k] = []belief.Site{{N: n, LaplaceMax: 1 / n, LaplaceSumSq: 3 / n / n}, {Peer: 1, N: m, GaussVar: 1 / m / m}}
			b.X[k] = 1.4*rng.Float64() - .2
			b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k] = (1/n+1/m)/4, 3/n/n/4, .5/n, 1/m/m/4
		}
		b.Ahead[rng.IntN(arms)] = rng.IntN(2) == 0
		turn := bandit.Turn{Round: round}
		if rng.IntN(3) == 0 {
			turn.Excluded = []bandit.Arm{bandit.Arm(rng.IntN(arms))}
		}
		u := l.(*KLUCB)
		got := u.Choose(&b, turn).Arm
		index := make([]float64, arms)
		for k := range index {
			if !b.Known(k) {
				continue
			}
			var e bandit.Evidence
			e.Renew(&b, k)
			index[k] = e.Greatest(u.l)
			if u.exact[k] && u.index[k] != index[k] || u.index[k] < index[k] {
				t.Fatalf("round %d: arm %d has the index %v, exact: %v, want %v", round, k, u.index[k], u.exact[k], index[k])
			}
			if !u.exact[k] && !math.IsInf(u.index[k], 1) {
				bounded++
			}
		}
		if want := bandit.Greatest(&b, turn, index, b.X); got != want {
			t.Fatalf("round %d: arm %d, want %d of %v", round, got, want, index)
		}
	}
	if bounded < 1000 {
		t.Errorf("%d bounds in place of indices", bounded)
	}
}
