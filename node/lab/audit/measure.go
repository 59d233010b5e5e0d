package audit

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"

	"peerd.dev/dp"
)

// A measure is the unit of how far apart a mechanism keeps two histories: the ε of Laplace noise
// or the μ of Gaussian noise. If an event has probability p in one history and q in the other,
// q in the other,
//
//	p ≤ e^ε·q,  and  Φ⁻¹(p) ≤ Φ⁻¹(q) + μ
//
// (Dong, Roth and Su 2022). For Gaussian noise p ≤ e^ε·q + δ also holds, but is much weaker.
type measure dp.Law

// String returns the letter.
func (m measure) String() string {
	if dp.Law(m) == dp.Gaussian {
		return "μ"
	}
	return "ε"
}

// between returns the distance of two histories that an event of probabilities p and q shows.
func (m measure) between(p, q float64) float64 {
	if dp.Law(m) == dp.Gaussian {
		return distuv.UnitNormal.Quantile(p) - distuv.UnitNormal.Quantile(q)
	}
	return math.Log(p / q)
}

// rough returns the same for an event that was seen k and l times in n plays of each history,
// minus two standard deviations.
func (m measure) rough(k, l, n int) float64 {
	p, q, all := float64(k)+.5, float64(l)+.5, float64(n)+1
	if dp.Law(m) == dp.Gaussian {
		x, dx := probit(p/all, all)
		y, dy := probit(q/all, all)
		return x - y - 2*math.Hypot(dx, dy)
	}
	return math.Log(p/q) - 2*math.Sqrt(1/p+1/q)
}

// probit returns Φ⁻¹(p) and the standard deviation of its estimate from a share of n.
func probit(p, n float64) (x, deviation float64) {
	x = distuv.UnitNormal.Quantile(p)
	return x, math.Sqrt(p*(1-p)/n) / distuv.UnitNormal.Prob(x)
}

// charged returns the ε or μ of a charge.
func (m measure) charged(c *dp.Charge) float64 {
	if dp.Law(m) == dp.Gaussian {
		return float64(c.Loss.Square.Mu())
	}
	return c.Loss.Pure.Float()
}

// cost returns the exact difference of the histories in peer 0's nodes: Σ|shift|/scale, an ε, or
// Σ(shift/scale)², a μ².
func (m measure) cost(nodes []drawnNode) *big.Rat {
	cost := new(big.Rat)
	for i := range nodes {
		n := &nodes[i]
		if n.peer != 0 || n.shift() == 0 {
			continue
		}
		x := big.NewRat(max(n.shift(), -n.shift()), int64(n.noise.Scale))
		if dp.Law(m) == dp.Gaussian {
			x.Mul(x, x)
		}
		cost.Add(cost, x)
	}
	return cost
}

// pays returns the cost that a charge pays for.
func (m measure) pays(c *dp.Charge) *big.Rat {
	if dp.Law(m) == dp.Gaussian {
		return big.NewRat(int64(c.Loss.Square), dp.Nano)
	}
	return big.NewRat(int64(c.Loss.Pure), dp.Nano)
}

// reach returns the ε or μ of a cost.
func (m measure) reach(cost *big.Rat) float64 {
	x, _ := cost.Float64()
	if dp.Law(m) == dp.Gaussian {
		return math.Sqrt(x)
	}
	return x
}

// atLeast and atMost are Clopper and Pearson's bounds of the probability of an event that was
// seen k times in n; each is wrong with probability at most miss.
func atLeast(k, n int, miss float64) float64 {
	if k == 0 {
		return 0
	}
	return distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(miss)
}

func atMost(k, n int, miss float64) float64 {
	if k == n {
		return 1
	}
	return distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - miss)
}
