package linear

import (
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/bandit/gram"
	"peerd.dev/bandit/score"
)

// PersonalizedLinearParams are the parameters of learner personalized-linear.
type PersonalizedLinearParams struct {
	Features int               `want:"1..120" fixed:"yes" doc:"Numbers of an action, with squares that sum to at most 1."`
	Context  int               `want:"0..120" fixed:"yes" doc:"Numbers of the context that all actions of a decision share, with squares that sum to at most 1. Simulated worlds offer none."`
	Map      bandit.FeatureMap `want:"concat|outer|interactions" fixed:"yes" doc:"See learner.linucb.map."`
	Records  Records           `want:"plain|centred" fixed:"yes" doc:"See learner.linucb.records."`
	Price    float64           `want:"1 up to 1000000" unit:"records" later:"yes" doc:"What joining may cost: an action that other sites misjudge waits for about this many times as many records as alone. At 1 a site learns alone."`
}

// personalRadius is the width of exploration in standard errors of the sampled parameter: what is sampled is the posterior itself.
const personalRadius = 1

// PersonalizedLinear chooses by features as [LinUCB] does, for the users of its own site, where sites may
// differ: each has a θ of its own. What a site has released is a normal likelihood of its θ, with the
// error that [LinUCB] has ([gram.Likelihood]); another site's θ is at a distance from the own one, a
// standard deviation of each of its entries, with a posterior over a grid as in [bandit.Personalized]. The own θ is
// where weighed records of others say, or anywhere if the site is odd, which is as likely as not before own
// records. A choice first samples whether it is, then θ from own records or from all, and has the greatest
// reward under θ.
//
// The price keeps it close to the choices of a site alone: only actions are chosen whose index by own records is within the logarithm
// of the price of the least one. The index is the one of LinIMED (Bian and Tan 2024), the square of the estimated gap over twice the
// variance of the estimate, minus the logarithm of that variance. And the site is odd with a probability of at least one over the
// price, whatever records say. See docs/proofs/personalized.md.
type PersonalizedLinear struct {
	linear
	logPrice float64 // nats by which the index of a choice is above the least one
	self     int
	near     bandit.Distances
	sites    []siteRecords // by peer
	calls    uint64        // of take
	own      parameters
	others   parameters // of weighed records of others
	all      parameters // of both
	odd      float64    // probability that θ is not where others say
	panel    score.Triangle
	known    bool // whether a site has released anything
}

// siteRecords is what one site has released.
type siteRecords struct {
	n          float64
	x          []float64
	likelihood gram.Likelihood
	whole      information // all of it
	weighed    information // what counts at the own site; empty there
	heard      uint64      // number of the call of take that saw it last
}

var (
	_ bandit.BySite  = (*PersonalizedLinear)(nil)
	_ bandit.Sampler = (*PersonalizedLinear)(nil)
	_ bandit.Renewer = (*PersonalizedLinear)(nil)
)

// Words implements [bandit.Params].
func (PersonalizedLinearParams) Words() bandit.Words {
	return bandit.Words{Name: "personalized-linear", Summary: "chooses by features for the site's own users, and weighs what other sites release by how alike they are"}
}

func (p PersonalizedLinearParams) linUCB() LinUCBParams {
	return LinUCBParams{p.Features, p.Context, p.Map, SampledIndex, personalRadius, p.Records}
}

// Traits implements [bandit.Traited].
func (p PersonalizedLinearParams) Traits() bandit.Traits { return p.linUCB().Traits() }

// Check implements [bandit.Checked].
func (p PersonalizedLinearParams) Check(arms int) (field, want string) { return p.linUCB().Check(arms) }

// Small has few features.
func (p PersonalizedLinearParams) Small() bandit.Params {
	s := p.linUCB().Small().(LinUCBParams)
	p.Features, p.Context = s.Features, s.Context
	return p
}

// New implements [bandit.Params].
func (p PersonalizedLinearParams) New(c bandit.Config) (bandit.Learner, error) {
	l, err := p.linUCB().New(c)
	if err != nil {
		return nil, err
	}
	u := &PersonalizedLinear{linear: l.(*LinUCB).linear, logPrice: math.Log(p.Price), self: c.Self, near: bandit.NewDistances()}
	u.own, u.others, u.all = newParameters(u.d), newParameters(u.d), newParameters(u.d)
	return u, nil
}

// NeedsSites implements [bandit.BySite].
func (*PersonalizedLinear) NeedsSites() bool { return true }

// Choose returns, of the actions that the price allows, the one with the greatest sampled reward, the lowest among equals, or any
// while nothing is known. The probability of the choice is not computed; see [PersonalizedLinear.Chances].
func (u *PersonalizedLinear) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	u.take(b)
	if !u.known {
		return u.any(&t)
	}
	u.offer(&t)
	defer u.forget()
	return bandit.Choice{Arm: u.best(u.rng)}
}

// Chances implements [bandit.Sampler].
func (u *PersonalizedLinear) Chances(p []float64, b *bandit.Belief, t bandit.Turn, own bandit.Arm, samples int, rng *rand.Rand) {
	u.take(b)
	if !u.known {
		bandit.Even(p, t.Able(len(p)))
		return
	}
	u.offer(&t)
	defer u.forget()
	bandit.Shares(p, own, samples, func() bandit.Arm { return u.best(rng) })
}

// leastVariance is the variance of an estimate from a billion records. The estimate of an action without
// features has variance 0, which has no logarithm.
const leastVariance = 1e-9

// offer sets able and features to the actions that the price allows.
func (u *PersonalizedLinear) offer(t *bandit.Turn) {
	u.able, u.features = u.able[:0], u.features[:0]
	for k, x := range u.offered(t) {
		if !t.Excludes(k) {
			u.able, u.features = append(u.able, bandit.Arm(k)), append(u.features, x)
		}
	}
	scores, squares := u.scores[:len(u.able)], u.squares[:len(u.able)]
	score.Products(scores, u.own.theta, u.features)
	score.Squares(squares, u.panel, u.d, u.features)
	most, least := slices.Max(scores), math.Inf(1)
	for i, s := range scores {
		gap, variance := most-s, max(squares[i], leastVariance)
		scores[i] = gap*gap/(2*variance) - math.Log(variance)
		least = min(least, scores[i])
	}
	n := 0
	for i, x := range scores {
		if x <= least+u.logPrice {
			u.able[n], u.features[n] = u.able[i], u.features[i]
			n++
		}
	}
	clear(u.features[n:])
	u.able, u.features = u.able[:n], u.features[:n]
}

// best returns the action with the greatest reward under a sampled θ.
func (u *PersonalizedLinear) best(rng *rand.Rand) bandit.Arm {
	u.draw(personalRadius, rng)
	from := &u.all
	if rng.Float64() < u.odd {
		from = &u.own
	}
	u.sample(from.theta, from.half)
	scores := u.scores[:len(u.able)]
	score.Products(scores, u.theta, u.features)
	arg := 0
	for i, s := range scores {
		if s > scores[arg] {
			arg = i
		}
	}
	return u.able[arg]
}

// Renew implements [bandit.Renewer]. It renews distances if own records have grown by enough.
func (u *PersonalizedLinear) Renew(b *bandit.Belief) {
	u.take(b)
	own := 0.
	if u.self < len(u.sites) {
		own = u.sites[u.self].n
	}
	if u.near.Due(own) {
		u.measure(own)
		u.pool()
	}
}

// take reads rows, and estimates with the distances known if there are new ones.
func (u *PersonalizedLinear) take(b *bandit.Belief) {
	u.calls++
	news := false
	for i := range b.Sites[0] {
		s := &b.Sites[0][i]
		for s.Peer >= len(u.sites) {
			u.sites = append(u.sites, siteRecords{})
		}
		r := &u.sites[s.Peer]
		if r.n != s.N || !slices.Equal(r.x, s.Sum) {
			news = true
			u.hear(r, s)
		}
		r.heard = u.calls
	}
	for p := range u.sites { // what is forgotten
		if r := &u.sites[p]; r.n > 0 && r.heard != u.calls {
			*r, news = siteRecords{}, true
		}
	}
	if !news {
		return
	}
	u.own.begin()
	if u.self < len(u.sites) {
		u.sites[u.self].whole.addTo(&u.own)
	}
	u.own.solve()
	u.panel = append(u.panel[:0], u.own.half...)
	u.pool()
	u.known = len(b.Sites[0]) > 0
}

// whole is the share of records that counts if all do.
func whole(float64) float64 { return 1 }

// hear takes a site's row.
func (u *PersonalizedLinear) hear(r *siteRecords, s *belief.Site) {
	*r = siteRecords{n: s.N, x: append(r.x[:0], s.Sum...)}
	g, err := gram.Of(s.Sum, s.GaussVar, kind(u.records), u.d)
	if err != nil {
		return
	}
	c := g.Noise.B + g.Noise.Diagonal/2
	r.likelihood, _ = g.Likelihood(func(eigenvalue float64) float64 { return rewardVar*eigenvalue + c })
	r.whole.take(&r.likelihood, u.d, whole)
	u.weigh(s.Peer)
}

// weigh renews what counts of a site's records.
func (u *PersonalizedLinear) weigh(site int) {
	if r := &u.sites[site]; site != u.self && r.n > 0 {
		r.weighed.take(&r.likelihood, u.d, func(precision float64) float64 { return u.near.Share(site, precision) })
	}
}

// pool adds up the weighed records of others, adds own ones, and judges whether the site is odd.
func (u *PersonalizedLinear) pool() {
	u.others.begin()
	for p := range u.sites {
		u.sites[p].weighed.addTo(&u.others)
	}
	copy(u.all.half, u.others.half)
	copy(u.all.sum, u.others.sum)
	if u.self < len(u.sites) {
		u.sites[u.self].whole.addTo(&u.all)
	}
	u.others.solve()
	u.all.solve()
	prior := -float64(u.d) * math.Log(float64(u.d)) / 2                // the mass of the prior
	logOdds := u.all.mass() - u.others.mass() - (u.own.mass() - prior) // that the site is not odd
	u.odd = 1 / (1 + math.Exp(logOdds))
	if floor := math.Exp(-u.logPrice); !(u.odd >= floor) { // nor NaN, which takes a lie
		u.odd = floor
	}
}

// measure renews the distances: given a distance t, another site's θ is normal around the own one with the
// own covariance and 2t² more for each entry.
func (u *PersonalizedLinear) measure(own float64) {
	type prediction struct {
		precision score.Triangle
		sum       []float64 // precision times mean
		mass      float64
	}
	var of [bandit.Points]prediction
	for g, square := range &u.near.Squares {
		s := covariance(u.own.half, u.d)
		for i := range u.d {
			s.Row(i)[i] += square
		}
		x := parameters{d: u.d, theta: make([]float64, u.d), half: s, sum: u.own.theta, z: make([]float64, u.d)}
		x.solve() // θ is the precision times the mean, since the matrix is the covariance
		p := prediction{precision: covariance(x.half, u.d), sum: x.theta}
		for i, v := range x.theta {
			p.mass += float64(v*u.own.theta[i]) / 2
		}
		p.mass += x.log() / 2 // of the covariance
		of[g] = p
	}
	y, likelihood := newParameters(u.d), make([][bandit.Points]float64, len(u.sites))
	for site := range u.sites {
		for g := range &of {
			p := &of[g]
			copy(y.half, p.precision)
			copy(y.sum, p.sum)
			u.sites[site].whole.addTo(&y)
			likelihood[site][g] = y.massOf() - p.mass
		}
	}
	u.near.Renew(own, u.self, likelihood)
	for site := range u.sites {
		u.weigh(site)
	}
}

// covariance returns WᵀW.
func covariance(w score.Triangle, d int) score.Triangle {
	s := score.NewTriangle(d)
	for k := range d {
		row := w.Row(k)
		for i := range row {
			to := s.Row(i)
			for j := range to {
				to[j] += float64(row[i] * row[j])
			}
		}
	}
	return s
}

// Summarize returns, for every arm, the number of own records. Estimates are 0, since they depend on
// features.
func (u *PersonalizedLinear) Summarize(b *bandit.Belief) bandit.Summary {
	u.take(b)
	n, own := len(u.scores), 0.
	if u.self < len(u.sites) {
		own = u.sites[u.self].n
	}
	known := bandit.Parameter{}
	if u.known {
		known.Reading = u.reading(u.all.theta, u.all.half)
	}
	return bandit.Summary{Estimates: make([]float64, n), Samples: slices.Repeat([]float64{own}, n), NoiseDevs: make([]float64, n), Parameter: known}
}

// Save returns the distances.
func (u *PersonalizedLinear) Save() []byte { return u.near.Save(nil) }

// Load implements [bandit.Learner].
func (u *PersonalizedLinear) Load(state []byte) error {
	near, err := bandit.LoadDistances(state, nil)
	if err == nil {
		u.near = near
		u.sites = nil
	}
	return err
}
