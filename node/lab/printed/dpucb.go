package printed

import (
	"math"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Index names the formula of [DPUCB].
type Index string

// The formulas of paper 001.
const (
	Decentralized Index = "decentralized" // (8), of Algorithm 2
	MasterWorker  Index = "master-worker" // line 13 of Algorithm 1, for one site, as all sites have the same
)

// DPUCBParams are the parameters of learner dpucb.
type DPUCBParams struct {
	Index Index   `want:"decentralized|master-worker" doc:"Index (8) of paper 001, for estimates that sites mix, or of its Algorithm 1. Neither is a valid bound."`
	Rho   float64 `want:"over 1 up to 100" doc:"With index: decentralized, how much is explored; the paper has 1.2, 2 and 4."`
	Sigma float64 `want:"over 0 up to 1" doc:"With index: decentralized, the standard deviation of a reward."`
}

// DPUCB pulls the arm with the greatest index of Li, Song and Fragouli (2020). With n rewards of
// an arm per site, the horizon T and t from 1:
//
//	decentralized   X + σ √(2ρ ln t · SampleVar) + ln(1/δ) ln^1.5(n) / εn,  δ = T^-ρ/2
//	master-worker   X + √(2 ln t / n) + ln(1/δ) ln^1.5(n) / εn,             δ = T^-4
//
// The last term is an order of magnitude in the source of its Fact 1, not a bound: with the noise
// that ε costs, it is exceeded far more often than with probability δ. So the radius promises
// nothing. In the text of (8) the paper omits σ, which its proof has.
type DPUCB struct {
	bandit.Arms
	bandit.Stateless
	DPUCBParams
	peers float64
	logs  float64 // ln(1/δ)/ε
	rng   *rand.Rand
	index []float64 // by arm; scratch
}

var _ bandit.Bounder = (*DPUCB)(nil)

// Words implements [bandit.Params].
func (DPUCBParams) Words() bandit.Words {
	return bandit.Words{Name: "dpucb", Summary: "pulls the arm with the greatest index of paper 001"}
}

// New implements [bandit.Params].
func (p DPUCBParams) New(c bandit.Config) (bandit.Learner, error) {
	logs := 4 * math.Log(float64(max(1, c.Horizon)))
	if p.Index == Decentralized {
		logs = math.Ln2 + p.Rho*math.Log(float64(max(1, c.Horizon)))
	}
	return &DPUCB{Arms: bandit.Arms{N: c.Arms}, DPUCBParams: p, peers: float64(c.Peers), logs: logs / c.Epsilon, rng: c.Rand, index: make([]float64, c.Arms)}, nil
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest index.
func (u *DPUCB) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, u.rng); ok {
		return c
	}
	lt := math.Log(float64(t.Round + 1))
	for k, x := range b.X {
		u.index[k] = x + u.radius(b, k, lt)
	}
	return bandit.Choice{Arm: bandit.Greatest(b, t, u.index, b.X), Propensity: 1}
}

// Radii implements [bandit.Bounder]. Nothing is promised, so Miss is 1.
func (u *DPUCB) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	lt := math.Log(float64(round + 1))
	for k := range b.X {
		r = append(r, bandit.Radius{Size: u.radius(b, k, lt), Miss: 1})
	}
	return r
}

// radius returns what the index of an arm adds to the mean, with lt = ln t.
func (u *DPUCB) radius(b *bandit.Belief, k int, lt float64) float64 {
	n := b.PerSite[k]
	if n == 0 { // as if all sites had the same number
		n = 1 / (u.peers * b.SampleVar[k])
	}
	noise := u.logs * math.Pow(max(0, math.Log(n)), 1.5) / n
	if u.Index == MasterWorker {
		return math.Sqrt(2*lt/n) + noise
	}
	return u.Sigma*math.Sqrt(2*u.Rho*lt*b.SampleVar[k]) + noise
}
