package bandit

import (
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
	news  bool          // since distances were last to be renewed
	rows  [][]row       // by arm, of all sites that have one
	arms  []pooled      // by arm
	logs  []float64     // by arm, the logarithm of own rewards
	own   []float64     // by arm, the index by own rewards; scratch
	index []float64     // by arm, the greatest to be pulled

	settled bool // whether index holds
}

// row is what one site says of an arm.
type row struct {
	site     int
	mean     float64
	variance float64 // of rewards and noise
	noise    float64 // the part of noise
	weight   float64 // in the estimate of the own site's mean: the inverse of its expected variance there
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
		near: newDistances(), arms: make([]pooled, c.Arms),
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
	if !u.settled || len(t.Excluded) > 0 {
		u.measure()
		u.compare(b, &t)
	}
	return Choice{Greatest(b, t, u.index, u.index), 1}
}

// compare computes the index of every arm. It is settled until something is released, unless an arm has no own
// rewards.
func (u *Personalized) compare(b *Belief, t *Turn) {
	u.alone.indices(&u.mine, t, u.guard)
	u.settled = len(t.Excluded) == 0
	first, best := u.alone.greatest, math.Inf(-1)
	for k := range u.arms {
		if t.excludes(k) {
			continue
		}
		if b.Known(k) {
			best = max(best, u.arms[k].mean)
		}
		u.own[k] = u.alone.index[k]
		if !u.mine.Known(k) {
			// There is no evidence; its pulls count, so that others are chosen while its rewards are on their way.
			u.logs[k] = math.Log(float64(max(1, b.Pulls[k])))
			u.own[k] = -u.logs[k]
			first = max(first, u.own[k])
			u.settled = false
		}
	}
	for k, a := range u.arms {
		u.index[k] = math.Inf(-1)
		if !t.excludes(k) && b.Known(k) && u.own[k] >= first-u.guard {
			gap := best - a.mean
			u.index[k] = -u.logs[k] - gap*gap*a.precision/2
		}
	}
}

// take pools what arms have released since the last call.
func (u *Personalized) take(b *Belief) {
	for k := range u.known {
		if !u.known[k].are(b, k) {
			u.known[k], u.news, u.settled = momentsOf(b, k), true, false
			u.read(b, k)
			u.pool(k)
		}
	}
}

// measure renews distances if own rewards have grown by enough.
func (u *Personalized) measure() {
	if !u.news {
		return
	}
	u.news = false
	n := 0.
	for _, v := range u.mine.SampleVar {
		n += 1 / v
	}
	if u.near.due(n) {
		u.near.renew(n, u.self, u.likelihood())
		for k := range u.rows {
			for i := range u.rows[k] {
				r := &u.rows[k][i]
				r.weight = u.weight(r)
			}
			u.pool(k)
		}
	}
}

// read takes the rows of an arm. Rows that are as before keep their weights.
func (u *Personalized) read(b *Belief, k int) {
	before := u.rows[k]
	rows := before[:0] // a row is written when the one in its place has been compared
	u.mine.SampleVar[k] = math.Inf(1)
	for i, s := range b.Sites[k] {
		noise := 2*s.LaplaceSumSq + s.GaussVar
		r := row{s.Peer, s.Mean, 1/(4*s.N) + noise, noise, 0}
		if i < len(before) && before[i].site == r.site && before[i].variance == r.variance {
			r.weight = before[i].weight
		} else {
			r.weight = u.weight(&r)
		}
		rows = append(rows, r)
		if s.Peer == u.self {
			m := &u.mine
			m.X[k], m.SampleVar[k], m.LaplaceSumSq[k], m.LaplaceMax[k], m.GaussVar[k] = s.Mean, 1/s.N, s.LaplaceSumSq, s.LaplaceMax, s.GaussVar
			u.logs[k] = math.Log(s.N)
		}
	}
	u.rows[k] = rows
}

// weight returns the weight of a row.
func (u *Personalized) weight(r *row) float64 {
	if r.site == u.self {
		return 1 / r.variance
	}
	return u.near.precision(r.site, r.variance)
}

// pool estimates an arm's mean at the own site.
func (u *Personalized) pool(k int) {
	var a pooled
	for i := range u.rows[k] {
		r := &u.rows[k][i]
		w := r.weight
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
func (u *Personalized) Save() []byte { return u.near.save() }

// Load implements [Learner].
func (u *Personalized) Load(state []byte) error {
	near, err := loadDistances(state)
	if err == nil {
		u.near = near
		clear(u.known)
		clear(u.rows) // their weights are from other distances
	}
	return err
}

// likelihood returns the logarithms of the likelihoods of distances, by site, from the arms that the own site and
// another one have both released. Given a distance t, the difference of their means of an arm is normal with both
// variances and 2t².
func (u *Personalized) likelihood() (all [][points]float64) {
	for _, arm := range u.rows {
		own := find(arm, u.self)
		for _, r := range arm {
			for r.site >= len(all) {
				all = append(all, [points]float64{})
			}
			if own == nil || r.site == u.self {
				continue
			}
			l, apart := &all[r.site], (own.mean-r.mean)*(own.mean-r.mean)
			for g, x := range &u.near.squares {
				v := own.variance + r.variance + x
				l[g] -= (math.Log(v) + apart/v) / 2
			}
		}
	}
	return all
}

// find returns a site's row, or nil.
func find(arm []row, site int) *row {
	for i := range arm {
		if arm[i].site == site {
			return &arm[i]
		}
	}
	return nil
}
