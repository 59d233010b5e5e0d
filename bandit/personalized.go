package bandit

import (
	"math"

	"peerd.dev/bandit/belief"
)

// PersonalizedParams are the parameters of learner personalized.
type PersonalizedParams struct {
	Price float64 `want:"1 up to 1000000" unit:"rewards" later:"yes" doc:"What joining may cost: an action that others misjudge is tried again once another has this many times the rewards that suffice alone. At 1 a site learns alone."`
	Alike bool    `want:"true|false" later:"yes" doc:"Sites are one population split at random, and no member lies: price does not apply. Otherwise a site can lose its best action for ever."`
}

// Personalized chooses for the users of its own site, where sites may differ. It knows the means of
// every site and weighs another site's by how close both are: the distance of two sites is a
// standard deviation between the means of an arm, with a posterior over a grid ([Distances]). Each
// arm is a mixture: its mean is near what the others say, or it is odd and can be anything. Own
// rewards renew the odds of that, arm by arm.
//
// The index of an arm is the index of [IMED] with another exponent: the negative logarithm of how likely the arm is the
// best one, odd or not. Whatever others send, it is at most the logarithm of the price away from the exponent of own
// rewards alone, in either direction. See docs/proofs/personalized.md.
//
// Shi, Shen and Yang 2021 name the objective; hierarchical models of sites are in Hong, Kveton,
// Zaheer and Ghavamzadeh 2022, weights by a known dissimilarity in Wang et al. 2021.
type Personalized struct {
	Arms
	logPrice float64 // nats by which others move an index
	oddPrior float64 // share of arms that are odd, before own rewards
	self     int
	near     Distances
	mine     belief.Belief // of own rewards alone
	alone    exponents     // of mine, against the greatest own mean
	among    exponents     // of mine, against the greatest expected mean
	known    []moments     // by arm, from which rows were taken
	news     bool          // since distances were last to be renewed
	rows     [][]row       // by arm, of all sites that have one
	width    []float64     // by arm, the variance of a reward
	arms     []pooled      // by arm
	logs     []float64     // by arm, the logarithm of own rewards
	index    []float64     // by arm, the greatest to be pulled

	settled bool    // whether index holds, except of waiting arms
	waiting []int   // arms that others have released and the own site has not
	best    float64 // the greatest expected mean
}

const (
	// oddPrior is the share of arms whose mean at a site is taken to be odd before its own rewards say more. Less gains more
	// where sites are alike, and costs more at a site that is odd; see docs/decisions/learners.md.
	oddPrior = .1
	// unrelatedVar is how much greater the variance is of the difference between an odd arm's mean and the others'.
	unrelatedVar = .1
	// minMean is the least mean, and its distance from 1, for which the variance of a reward is small.
	minMean = .02
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

// pooled is what is known of an arm's mean at the own site. The mean and its precision are of all weighed
// rows, as if the arm were not odd.
type pooled struct {
	mean, precision float64
	own             float64 // precision of the own row
	odd             float64 // probability that the arm is odd
	expected        float64 // the mean over both cases
	noise           float64 // variance
}

var (
	_ BySite  = (*Personalized)(nil)
	_ Renewer = (*Personalized)(nil)
)

// Words implements [Params].
func (PersonalizedParams) Words() Words {
	return Words{"personalized", "chooses for the site's own users, and weighs what other sites release by how alike they are"}
}

// Traits implements [Traited].
func (PersonalizedParams) Traits() Traits { return Traits{Selfish: true} }

// New implements [Params].
func (p PersonalizedParams) New(c Config) (Learner, error) {
	u := &Personalized{
		Arms: Arms{c.Arms}, logPrice: math.Log(p.Price), oddPrior: oddPrior, self: c.Self, mine: belief.New(c.Arms, 1), alone: newExponents(c.Arms), among: newExponents(c.Arms),
		known: make([]moments, c.Arms), rows: make([][]row, c.Arms),
		near: NewDistances(), arms: make([]pooled, c.Arms),
		logs: make([]float64, c.Arms), index: make([]float64, c.Arms), width: make([]float64, c.Arms),
	}
	for k := range u.width {
		u.width[k] = rewardVar
	}
	if p.Alike {
		u.logPrice, u.oddPrior = math.Inf(1), 0
	}
	return u, nil
}

// NeedsSites implements [BySite].
func (u *Personalized) NeedsSites() bool { return true }

// Choose returns an arm of which nothing is known, if there is one; otherwise the arm with the least
// index. It forces no arm and leaves none to others, since these serve the mean over sites.
func (u *Personalized) Choose(b *Belief, t Turn) Choice {
	u.take(b)
	if !u.settled || len(t.Excluded) > 0 {
		u.compare(b, &t)
	}
	for _, k := range u.waiting {
		// Its pulls count, so that others are chosen while its rewards are on their way.
		u.index[k] = -math.Log(float64(max(1, b.Pulls[k]))) - u.within(u.arms[k].exponent(0, u.best), 0)
	}
	return Choice{Greatest(b, t, u.index, u.index), 1}
}

// compare computes the index of every arm that has own rewards, which holds until something is released, and finds the others.
func (u *Personalized) compare(b *Belief, t *Turn) {
	u.alone.indices(&u.mine, t, 2*u.logPrice)
	u.settled, u.waiting, u.best = len(t.Excluded) == 0, u.waiting[:0], math.Inf(-1)
	for k := range u.arms {
		if b.Known(k) && !t.Excludes(k) {
			u.best = max(u.best, u.arms[k].expected)
		}
	}
	u.among.renewAt(&u.mine, t, u.best)
	// The greatest index so far rises in the loop and spares later arms their exponents. The order matters for speed alone: an arm that is
	// left out has a lesser index than an earlier one.
	greatest := math.Inf(-1)
	for k := range u.arms {
		u.index[k] = math.Inf(-1)
		switch {
		case !b.Known(k) || t.Excludes(k):
			continue
		case !u.mine.Known(k):
			u.waiting = append(u.waiting, k)
			continue
		}
		alone := -u.alone.index[k] - u.logs[k]
		if -u.logs[k]-max(0, alone-u.logPrice) < greatest {
			continue // whatever others say
		}
		among := u.among.of(&u.mine, k, math.Inf(1))
		u.index[k] = -u.logs[k] - u.within(u.arms[k].exponent(among, u.best), alone)
		greatest = max(greatest, u.index[k])
	}
}

// within returns an exponent that is as near to one of own rewards alone as the price allows.
func (u *Personalized) within(exponent, alone float64) float64 {
	return min(max(exponent, alone-u.logPrice), alone+u.logPrice)
}

// exponent returns the negative logarithm of how likely an arm is the best one, from the exponent of own rewards if
// the arm is odd, and the greatest expected mean.
func (a *pooled) exponent(odd, best float64) float64 {
	gap := max(0, best-a.mean)
	return -math.Log((1-a.odd)*math.Exp(-gap*gap*a.precision/2) + a.odd*math.Exp(-odd))
}

// trust returns the share of what others say that is in the expected mean.
func (a *pooled) trust() float64 {
	if a.own == 0 {
		return 1 // an arm is as good as others say until the own site knows better
	}
	return 1 - a.odd
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
	if u.near.Due(n) {
		u.near.Renew(n, u.self, u.likelihood())
		u.widen()
		for k := range u.rows {
			for i := range u.rows[k] {
				r := &u.rows[k][i]
				r.weight = u.weight(k, r)
			}
			u.pool(k)
		}
	}
}

// widen sets the variance of a reward of every arm: the greatest of rewards between 0 and 1 whose mean is
// between the estimate and the greatest estimate.
func (u *Personalized) widen() {
	best := minMean
	for _, a := range u.arms {
		if a.precision > 0 {
			best = max(best, a.mean)
		}
	}
	for k, a := range u.arms {
		low, high := min(max(a.mean, minMean), 1-minMean), min(best, 1-minMean)
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
	own := row{}
	for i := range u.rows[k] {
		r := &u.rows[k][i]
		w := r.weight
		a.precision += w
		a.mean += w * r.mean
		a.noise += w * w * r.noise
		if r.site == u.self {
			own = *r
		}
	}
	if a.precision > 0 {
		a.mean /= a.precision
		a.noise /= a.precision * a.precision
	}
	a.own, a.expected = own.weight, a.mean
	switch others := a.precision - own.weight; {
	case !(others > 0):
		a.odd = 1
	case own.weight == 0 || u.oddPrior == 0:
		a.odd = u.oddPrior
	default:
		u.judge(&a, &own, others)
	}
	u.arms[k] = a
}

// judge sets how likely an arm is odd, from the difference between the own mean and the others', which is normal in both
// cases.
func (u *Personalized) judge(a *pooled, own *row, precision float64) {
	mean := (a.mean*a.precision - own.mean*own.weight) / precision
	relatedVar := 1/own.weight + 1/precision // of the gap
	oddVar, gap := relatedVar+unrelatedVar, own.mean-mean
	related := (1 - u.oddPrior) * math.Sqrt(oddVar/relatedVar) * math.Exp(-gap*gap*(1/relatedVar-1/oddVar)/2)
	a.odd = u.oddPrior / (u.oddPrior + related)
	weak := 1 / (1/precision + unrelatedVar) // precision of the others' mean for an odd arm
	ifOdd := (own.mean*own.weight + mean*weak) / (own.weight + weak)
	a.expected += a.odd * (ifOdd - a.mean)
	a.noise += a.odd * (own.noise - a.noise)
}

// Summarize returns the estimates of the own site's means. Samples are the own rewards with which an
// estimate would be as good, without noise. It renews no distances, from which later choices would follow.
func (u *Personalized) Summarize(b *Belief) Summary {
	u.take(b)
	var s Summary
	for k, a := range u.arms {
		s.Estimates = append(s.Estimates, a.expected)
		s.Samples = append(s.Samples, (a.own+a.trust()*(a.precision-a.own))*u.width[k])
		s.NoiseDevs = append(s.NoiseDevs, math.Sqrt(a.noise))
	}
	return s
}

// Save returns the variances of rewards and the distances.
func (u *Personalized) Save() []byte { return u.near.Save(u.width) }

// Load implements [Learner].
func (u *Personalized) Load(state []byte) error {
	width := make([]float64, u.N)
	near, err := LoadDistances(state, width)
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
func (u *Personalized) likelihood() (all [][Points]float64) {
	for _, arm := range u.rows {
		own := find(arm, u.self)
		for _, r := range arm {
			for r.site >= len(all) {
				all = append(all, [Points]float64{})
			}
			if own == nil || r.site == u.self {
				continue
			}
			l, gap := &all[r.site], own.mean-r.mean
			both := own.variance(rewardVar) + r.variance(rewardVar)
			for g, x := range &u.near.Squares {
				v := both + x
				l[g] -= (math.Log(v) + gap*gap/v) / 2
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
