package bandit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"peerd.dev/bandit/belief"
)

// PersonalizedParams are the parameters of learner personalized.
type PersonalizedParams struct {
	Guard float64 `want:"0 up to 20" unit:"nats" doc:"How far what other sites release can lead away from what the site would choose alone: an arm is pulled only if its index by own rewards is at most this much above the least one, and up to twice as much as own rewards come to agree with others. At 0 a site learns alone."`
}

// Personalized chooses for the users of its own site, where sites may differ. It knows the means of
// every site and weighs another site's by how close both are: the distance of two sites is a
// standard deviation between the means of an arm, with a posterior over a grid ([distances]), and an
// estimate is the mean by inverse variances, with the variance of the distance added to another
// site's. The index of an arm is as in [IMED], with the exponent of a normal estimate.
//
// A guard keeps it close to the choices of a site alone: only arms are pulled whose index by own
// rewards, as [IMED] has it alone, is within a number of nats of the least one, and whose own rewards
// speak against them by at most 3 nats, unless their index is the least one. The number grows up to
// twice the guard with the evidence that the site is like others. So whatever others send, an arm that
// own rewards have ruled out costs no more than alone, and the best arm is not ruled out for longer
// than e^(2 guard) times as long. See docs/proofs/personalized.md.
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
	like  float64       // nats for which own rewards speak for being like others; see agree
	rows  [][]row       // by arm, of all sites that have one
	width []float64     // by arm, the variance of a reward
	arms  []pooled      // by arm
	logs  []float64     // by arm, the logarithm of own rewards
	own   []float64     // by arm, the index by own rewards; scratch
	index []float64     // by arm, the greatest to be pulled

	settled bool // whether index holds
}

const (
	// follow is how many nats own rewards may speak against an arm that others recommend. More makes an arm that is
	// worse here cost more, and less leaves out one that had bad luck; see docs/proofs/personalized.md.
	follow = 3
	// apart is the variance of the difference between means of sites that are not alike.
	apart = .04
	// least is the least mean, and its distance from 1, for which the variance of a reward is small.
	least = .02
)

// row is what one site says of an arm.
type row struct {
	site   int
	mean   float64
	n      float64 // rewards
	noise  float64 // variance
	weight float64 // in the estimate of the own site's mean: the inverse of its expected variance there
}

// variance returns the variance of the mean, for rewards of a variance.
func (r *row) variance(width float64) float64 { return width/r.n + r.noise }

// pooled is the estimate of an arm's mean at the own site.
type pooled struct{ mean, precision, noise float64 }

var (
	_ BySite  = (*Personalized)(nil)
	_ Renewer = (*Personalized)(nil)
)

// Words implements [Params].
func (PersonalizedParams) Words() Words {
	return Words{"personalized", "chooses for the site's own users, and weighs what other sites release by how alike they are"}
}

// New implements [Params].
func (p PersonalizedParams) New(c Config) (Learner, error) {
	if !(p.Guard >= 0 && p.Guard <= 20) {
		return nil, fmt.Errorf("bandit: guard %v, want 0 up to 20", p.Guard)
	}
	u := &Personalized{
		Arms: Arms{c.Arms}, guard: p.Guard, self: c.Self, rng: c.Rand, mine: belief.New(c.Arms, 1), alone: newExponents(c.Arms),
		known: make([]moments, c.Arms), rows: make([][]row, c.Arms),
		near: newDistances(), arms: make([]pooled, c.Arms),
		logs: make([]float64, c.Arms), own: make([]float64, c.Arms), index: make([]float64, c.Arms), width: make([]float64, c.Arms),
	}
	for k := range u.width {
		u.width[k] = rewardVar
	}
	return u, nil
}

// NeedsSites implements [BySite].
func (u *Personalized) NeedsSites() bool { return true }

// Choose returns an arm of which nothing is known, if there is one; otherwise, of the arms within the
// guard, the one with the least index. It forces no arm and leaves none to others, since these
// serve the mean over sites.
func (u *Personalized) Choose(b *Belief, t Turn) Choice {
	u.take(b)
	if !u.settled || len(t.Excluded) > 0 {
		u.compare(b, &t)
	}
	return Choice{Greatest(b, t, u.index, u.index), 1}
}

// compare computes the index of every arm. It is settled until something is released, unless an arm has no own
// rewards.
func (u *Personalized) compare(b *Belief, t *Turn) {
	guard := u.guard + min(max(u.like, 0), u.guard)
	u.alone.indices(&u.mine, t, 2*u.guard)
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
		ruledOut := -u.own[k]-u.logs[k] > follow && u.own[k] < first
		if !t.excludes(k) && b.Known(k) && u.own[k] >= first-guard && !ruledOut {
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

// Renew implements [Renewer]. It renews distances, and variances of rewards, if own rewards have grown by enough.
func (u *Personalized) Renew(b *Belief) {
	u.take(b)
	if !u.news {
		return
	}
	u.news, u.settled = false, false
	n := 0.
	for _, v := range u.mine.SampleVar {
		n += 1 / v
	}
	if u.near.due(n) {
		u.near.renew(n, u.self, u.likelihood())
		u.widen()
		for k := range u.rows {
			for i := range u.rows[k] {
				r := &u.rows[k][i]
				r.weight = u.weight(k, r)
			}
			u.pool(k)
		}
	}
	u.agree()
}

// agree computes how much likelier own means are if they are what others' weighed rows say than if
// they are apart from it.
func (u *Personalized) agree() {
	u.like = 0
	for k, rows := range u.rows {
		own := find(rows, u.self)
		if own == nil || len(rows) < 2 {
			continue
		}
		a, precision := &u.arms[k], u.arms[k].precision-own.weight
		if !(precision > 0) {
			continue
		}
		mean := (a.mean*a.precision - own.mean*own.weight) / precision
		v, gap := 1/own.weight+1/precision, own.mean-mean
		u.like += (math.Log1p(apart/v) - gap*gap*(1/v-1/(v+apart))) / 2
	}
}

// widen sets the variance of a reward of every arm: the greatest of rewards between 0 and 1 whose mean is
// between the estimate and the greatest estimate.
func (u *Personalized) widen() {
	best := least
	for _, a := range u.arms {
		if a.precision > 0 {
			best = max(best, a.mean)
		}
	}
	for k, a := range u.arms {
		low, high := min(max(a.mean, least), 1-least), min(best, 1-least)
		p := min(max(low, .5), high)
		u.width[k] = p * (1 - p)
	}
}

// read takes the rows of an arm. Rows that are as before keep their weights.
func (u *Personalized) read(b *Belief, k int) {
	before := u.rows[k]
	rows := before[:0] // a row is written when the one in its place has been compared
	u.mine.SampleVar[k] = math.Inf(1)
	for i, s := range b.Sites[k] {
		noise := 2*s.LaplaceSumSq + s.GaussVar
		r := row{s.Peer, s.Mean, s.N, noise, 0}
		if r.site != u.self {
			r.mean = min(max(r.mean, 0), 1) // what is farther away is noise or a lie
		}
		if i < len(before) && before[i].site == r.site && before[i].n == r.n && before[i].noise == r.noise {
			r.weight = before[i].weight
		} else {
			r.weight = u.weight(k, &r)
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

// weight returns the weight of a row of an arm.
func (u *Personalized) weight(k int, r *row) float64 {
	v := r.variance(u.width[k])
	if r.site == u.self {
		return 1 / v
	}
	return u.near.precision(r.site, v)
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
	for k, a := range u.arms {
		s.Estimates = append(s.Estimates, a.mean)
		s.Samples = append(s.Samples, a.precision*u.width[k])
		s.NoiseDevs = append(s.NoiseDevs, math.Sqrt(a.noise))
	}
	return s
}

// Save returns the variances of rewards and the distances.
func (u *Personalized) Save() []byte { return u.near.save(u.width) }

// Load implements [Learner].
func (u *Personalized) Load(state []byte) error {
	width := make([]float64, u.N)
	near, err := loadDistances(state, width)
	if err == nil {
		u.near, u.width = near, width
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
			both := own.variance(rewardVar) + r.variance(rewardVar)
			for g, x := range &u.near.squares {
				v := both + x
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
