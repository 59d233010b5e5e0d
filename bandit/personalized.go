package bandit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
)

// PersonalizedParams are the parameters of learner personalized.
type PersonalizedParams struct {
	Guard float64 `want:"0 up to 20" unit:"nats" doc:"How far what other sites release can lead away from what the site would choose alone: an arm is pulled only if its index by own rewards is at most this much above the least one. At 0 a site learns alone."`
}

// Personalized chooses for the users of its own site, where sites may differ. It knows the means of
// every site and weighs another site's by how close both are: the distance of two sites is a
// standard deviation between the means of an arm, with a posterior over a grid ([distances]), and an
// estimate is the mean by inverse variances, with the variance of the distance added to another
// site's. The index of an arm is as in [IMED], with the exponent of a normal estimate.
//
// A guard keeps it close to the choices of a site alone: only arms are pulled whose index by own
// rewards, as [IMED] has it alone, is within a number of nats of the least one. So whatever others
// send, an arm is not pulled once own rewards have ruled it out by this much more than alone, and
// the best arm is not ruled out for longer than e^guard times as long. See
// docs/proofs/personalized.md.
//
// Shi, Shen and Yang 2021 name the objective; hierarchical models of sites are in Hong, Kveton,
// Zaheer and Ghavamzadeh 2022, weights by a known dissimilarity in Wang et al. 2021.
type Personalized struct {
	Arms
	guard float64
	self  int
	rng   *rand.Rand
	near  distances
	mine  belief.Belief // of own rewards alone
	alone exponents     // of mine
	known []moments     // by arm, from which rows were taken
	rows  [][]row       // by arm, of all sites that have one
	arms  []pooled      // by arm
	logs  []float64     // by arm, the logarithm of own rewards
	own   []float64     // by arm, the index by own rewards; scratch
	index []float64     // by arm, the greatest to be pulled; scratch
}

// row is what one site says of an arm.
type row struct {
	site     int
	mean     float64
	variance float64 // of rewards and noise
	noise    float64 // the part of noise
}

// pooled is the estimate of an arm's mean at the own site.
type pooled struct{ mean, precision, noise float64 }

var _ BySite = (*Personalized)(nil)

// Words implements [Params].
func (PersonalizedParams) Words() Words {
	return Words{"personalized", "chooses for the site's own users, and weighs what other sites release by how alike they are"}
}

// New implements [Params].
func (p PersonalizedParams) New(c Config) (Learner, error) {
	if !(p.Guard >= 0 && p.Guard <= 20) {
		return nil, fmt.Errorf("bandit: guard %v, want 0 up to 20", p.Guard)
	}
	return &Personalized{
		Arms: Arms{c.Arms}, guard: p.Guard, self: c.Self, rng: c.Rand, mine: belief.New(c.Arms, 1), alone: newExponents(c.Arms),
		known: make([]moments, c.Arms), rows: make([][]row, c.Arms),
		arms: make([]pooled, c.Arms),
		logs: make([]float64, c.Arms), own: make([]float64, c.Arms), index: make([]float64, c.Arms),
	}, nil
}

// NeedsSites implements [BySite].
func (u *Personalized) NeedsSites() bool { return true }

// Choose returns an arm of which nothing is known, if there is one; otherwise, of the arms within the
// guard, the one with the least index. It forces no arm and leaves none to others, since these
// serve the mean over sites.
func (u *Personalized) Choose(b *Belief, t Turn) Choice {
	u.take(b)
	u.measure()
	u.alone.renew(&u.mine, &t)
	least, best := math.Inf(1), math.Inf(-1)
	for k := range u.arms {
		if t.excludes(k) {
			continue
		}
		if b.Known(k) {
			best = max(best, u.arms[k].mean)
		}
		u.own[k] = u.logs[k] + u.alone.d[k]
		if !u.mine.Known(k) {
			// There is no evidence; its pulls count, so that others are chosen while its rewards are on their way.
			u.logs[k] = math.Log(float64(max(1, b.Pulls[k])))
			u.own[k] = u.logs[k]
		}
		least = min(least, u.own[k])
	}
	for k, a := range u.arms {
		u.index[k] = math.Inf(-1)
		if !t.excludes(k) && b.Known(k) && u.own[k] <= least+u.guard {
			gap := best - a.mean
			u.index[k] = -u.logs[k] - gap*gap*a.precision/2
		}
	}
	return Choice{Greatest(b, t, u.index, u.index), 1}
}

// take pools what arms have released since the last call.
func (u *Personalized) take(b *Belief) {
	for k := range u.known {
		if m := momentsOf(b, k); m != u.known[k] {
			u.known[k] = m
			u.read(b, k)
			u.pool(k)
		}
	}
}

// measure renews distances if own rewards have grown by enough.
func (u *Personalized) measure() {
	n := 0.
	for _, v := range u.mine.SampleVar {
		n += 1 / v
	}
	if u.near.due(n) {
		u.near.renew(n, u.rows, u.self)
		for k := range u.rows {
			u.pool(k)
		}
	}
}

// read takes the rows of an arm.
func (u *Personalized) read(b *Belief, k int) {
	u.rows[k] = u.rows[k][:0]
	u.mine.SampleVar[k] = math.Inf(1)
	for _, s := range b.Sites[k] {
		noise := 2*s.LaplaceSumSq + s.GaussVar
		u.rows[k] = append(u.rows[k], row{s.Peer, s.Mean, 1/(4*s.N) + noise, noise})
		if s.Peer == u.self {
			m := &u.mine
			m.X[k], m.SampleVar[k], m.LaplaceSumSq[k], m.LaplaceMax[k], m.GaussVar[k] = s.Mean, 1/s.N, s.LaplaceSumSq, s.LaplaceMax, s.GaussVar
			u.logs[k] = math.Log(s.N)
		}
	}
}

// pool estimates an arm's mean at the own site.
func (u *Personalized) pool(k int) {
	var a pooled
	for _, r := range u.rows[k] {
		w := 1 / r.variance
		if r.site != u.self {
			w = u.near.precision(r.site, r.variance)
		}
		a.precision += w
		a.mean += w * r.mean
		a.noise += w * w * r.noise
	}
	if a.precision > 0 {
		a.mean /= a.precision
		a.noise /= a.precision * a.precision
	}
	u.arms[k] = a
}

// Summarize returns the estimates of the own site's means. Samples are the own rewards with which an
// estimate would be as good, without noise. It renews no distances, from which later choices would follow.
func (u *Personalized) Summarize(b *Belief) Summary {
	u.take(b)
	var s Summary
	for _, a := range u.arms {
		s.Estimates = append(s.Estimates, a.mean)
		s.Samples = append(s.Samples, a.precision/4)
		s.NoiseDevs = append(s.NoiseDevs, math.Sqrt(a.noise))
	}
	return s
}

// Save returns the distances.
func (u *Personalized) Save() []byte {
	b := binary.BigEndian.AppendUint64(nil, math.Float64bits(u.near.rewards))
	for _, p := range u.near.posterior {
		for _, x := range p {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// Load implements [Learner].
func (u *Personalized) Load(state []byte) error {
	const site = 8 * points
	if len(state) < 8 || (len(state)-8)%site != 0 {
		return fmt.Errorf("bandit: saved state of %d bytes, want 8 and %d for every site", len(state), site)
	}
	next := func() (x float64) {
		x = math.Float64frombits(binary.BigEndian.Uint64(state))
		state = state[8:]
		return x
	}
	u.near = distances{rewards: next()}
	for len(state) > 0 {
		var p [points]float64
		for g := range p {
			p[g] = next()
		}
		u.near.posterior = append(u.near.posterior, p)
	}
	clear(u.known)
	return nil
}
