package bandit

import "math"

// grid returns the distances between sites that are thought possible: standard deviations of the
// difference between the means of an arm, over √2.
func grid() [points]float64 { return [points]float64{.003, .01, .02, .04, .07, .12, .2, .35} }

const points = 8

// distances are how far other sites are from the own one: a posterior over the grid for each of them.
// The prior is common to all sites and fitted to what they release (empirical Bayes).
type distances struct {
	posterior [][points]float64 // by site
	rewards   float64           // own ones when they were last computed
}

const (
	growth   = 17. / 16 // of own rewards until distances are computed again
	fits     = 8        // steps in which the prior is fitted (expectation-maximization)
	pseudo   = .5       // sites at each distance that the prior has seen before
	unheard  = 1. / points
	logScale = 700 // likelihoods below e^-logScale of the greatest are 0
)

// precision returns the expected precision of another site's mean, of a variance, for the own site.
func (d *distances) precision(site int, variance float64) (sum float64) {
	if site >= len(d.posterior) {
		for _, t := range grid() {
			sum += unheard / (variance + 2*t*t)
		}
		return sum
	}
	for g, t := range grid() {
		sum += d.posterior[site][g] / (variance + 2*t*t)
	}
	return sum
}

// due reports whether n own rewards are enough more, or fewer, for distances to be computed again.
func (d *distances) due(n float64) bool {
	return n >= growth*d.rewards && n > 0 || n < d.rewards
}

// renew computes the posteriors from the arms that the own site and another one have both released.
// Given a distance t, the difference of their means of an arm is normal with both variances and 2t².
func (d *distances) renew(n float64, rows [][]row, self int) {
	d.rewards = n
	var likelihood [][points]float64
	for _, arm := range rows {
		own := find(arm, self)
		for _, r := range arm {
			for r.site >= len(likelihood) {
				likelihood = append(likelihood, [points]float64{})
			}
			if own == nil || r.site == self {
				continue
			}
			l, apart := &likelihood[r.site], (own.mean-r.mean)*(own.mean-r.mean)
			for g, t := range grid() {
				v := own.variance + r.variance + 2*t*t
				l[g] -= (math.Log(v) + apart/v) / 2
			}
		}
	}
	for i := range likelihood {
		l := &likelihood[i]
		most := math.Inf(-1)
		for _, x := range l {
			most = max(most, x)
		}
		for g := range l {
			l[g] = math.Exp(max(l[g]-most, -logScale))
		}
	}
	d.posterior = append(d.posterior[:0], likelihood...)
	prior := [points]float64{}
	for g := range prior {
		prior[g] = unheard
	}
	for range fits {
		var seen [points]float64
		total := 0.
		for i := range likelihood {
			if i == self {
				continue
			}
			p, sum := &d.posterior[i], 0.
			for g := range p {
				p[g] = prior[g] * likelihood[i][g]
				sum += p[g]
			}
			for g := range p {
				p[g] /= sum
				seen[g] += p[g]
			}
			total++
		}
		for g := range prior {
			prior[g] = (seen[g] + pseudo) / (total + pseudo*points)
		}
	}
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
