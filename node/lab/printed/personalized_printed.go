package printed

import (
	"math"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Rule names a rule of [PersonalizedParams].
type Rule string

// The rules.
const (
	// Mixture is the greatest upper confidence bound of a mixture of the own mean and the mean over
	// sites (Shi, Shen and Yang 2021).
	Mixture Rule = "mixture"
	// Robust is the greatest upper confidence bound of the own mean and the others' one together, as long
	// as a known dissimilarity allows (RobustAgg; Wang, Zhang, Singh, Riek and Chaudhuri 2021).
	Robust Rule = "robust"
	// Hierarchical is the greatest sample of the own mean, given the shared mean, given all sites (Hong,
	// Kveton, Zaheer and Ghavamzadeh 2022).
	Hierarchical Rule = "hierarchical"
)

// PersonalizedParams are the parameters of learner personalized-printed.
type PersonalizedParams struct {
	Rule  Rule    `want:"mixture|robust|hierarchical" doc:"Others weigh a fixed share, as far as a known dissimilarity allows (robust), or by a known variance."`
	Known float64 `want:"0 up to 1" doc:"Of the rule: the share of the own mean, the greatest difference between sites, or their standard deviation."`
}

// Personalized chooses for the site's own users as papers do that know how far sites are apart. Each mean has
// the variance 1/4n of n rewards and the one of its noise, which the papers do not have; radii are
// √(2 ln t · variance).
type Personalized struct {
	bandit.Arms
	bandit.Stateless
	PersonalizedParams
	self  int
	rng   *rand.Rand
	index []float64 // by arm; scratch
}

var _ bandit.BySite = (*Personalized)(nil)

// Words implements [bandit.Params].
func (PersonalizedParams) Words() bandit.Words {
	return bandit.Words{Name: "personalized-printed", Summary: "chooses for the site's own users by rules of papers that are given how far sites are apart"}
}

// New implements [bandit.Params].
func (p PersonalizedParams) New(c bandit.Config) (bandit.Learner, error) {
	return &Personalized{bandit.Arms{N: c.Arms}, bandit.Stateless{}, p, c.Self, c.Rand, make([]float64, c.Arms)}, nil
}

// NeedsSites implements [bandit.BySite].
func (*Personalized) NeedsSites() bool { return true }

// Choose returns the arm with the greatest index. It forces no arm and leaves none to others, since these serve
// the mean over sites.
func (u *Personalized) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	level := 2 * math.Log(float64(t.Round+2))
	for k := range u.index {
		switch u.Rule {
		case Mixture:
			u.index[k] = u.mixture(b, k, level)
		case Robust:
			u.index[k] = u.robust(b, k, level)
		case Hierarchical:
			u.index[k] = u.hierarchical(b, k)
		}
	}
	propensity := 1.
	if u.Rule == Hierarchical {
		propensity = 0 // not computed
	}
	return bandit.Choice{Arm: bandit.Greatest(b, t, u.index, u.index), Propensity: propensity}
}

// rows returns the own mean and its variance, infinite without one, and the mean of others by inverse
// variances, to each of which more is added.
func (u *Personalized) rows(b *bandit.Belief, k int, more float64) (own, ownVar, other, otherVar float64) {
	ownVar, weights := math.Inf(1), 0.
	for _, s := range b.Sites[k] {
		v := 1/(4*s.N) + 2*s.LaplaceSumSq + s.GaussVar
		if s.Peer == u.self {
			own, ownVar = s.Mean, v
			continue
		}
		weights += 1 / (v + more)
		other += s.Mean / (v + more)
	}
	if weights > 0 {
		other /= weights
	}
	return own, ownVar, other, 1 / weights
}

func (u *Personalized) mixture(b *bandit.Belief, k int, level float64) float64 {
	mean, variance, known, n := 0., 0., u.Known == 0, float64(len(b.Sites[k]))
	for _, s := range b.Sites[k] {
		by := (1 - u.Known) / n
		if s.Peer == u.self {
			by += u.Known
			known = true
		}
		mean += by * s.Mean
		variance += by * by * (1/(4*s.N) + 2*s.LaplaceSumSq + s.GaussVar)
	}
	if !known {
		return math.Inf(1)
	}
	return mean + math.Sqrt(level*variance)
}

// shares is the number of shares of the own mean among which rule robust looks for the best.
const shares = 20

func (u *Personalized) robust(b *bandit.Belief, k int, level float64) float64 {
	own, ownVar, other, otherVar := u.rows(b, k, 0)
	index, least := math.Inf(1), math.Inf(1)
	for i := range shares + 1 {
		of := float64(i) / shares
		mean, variance := 0., 0.
		if of > 0 {
			mean, variance = of*own, of*of*ownVar
		}
		if of < 1 {
			mean, variance = mean+(1-of)*other, variance+(1-of)*(1-of)*otherVar
		}
		if radius := math.Sqrt(level*variance) + (1-of)*u.Known; radius < least {
			index, least = mean+radius, radius
		}
	}
	return index
}

func (u *Personalized) hierarchical(b *bandit.Belief, k int) float64 {
	square := u.Known * u.Known
	own, ownVar, other, otherVar := u.rows(b, k, square)
	// The prior of the shared mean has mean 1/2 and the variance of a uniform one, 1/12.
	precision := 12 + 1/otherVar + 1/(ownVar+square)
	mean := (12*.5 + own/(ownVar+square)) / precision
	if !math.IsInf(otherVar, 1) {
		mean += other / otherVar / precision
	}
	shared := mean + u.rng.NormFloat64()/math.Sqrt(precision)
	if square == 0 {
		return shared
	}
	mean, precision = shared/square, 1/square
	if !math.IsInf(ownVar, 1) {
		mean, precision = mean+own/ownVar, precision+1/ownVar
	}
	return mean/precision + u.rng.NormFloat64()/math.Sqrt(precision)
}
