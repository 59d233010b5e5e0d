package bandit

import (
	"encoding/binary"
	"fmt"
	"math"
)

// squares returns the distances between sites that are thought possible, as variances 2t² of the
// difference between the means of an arm.
func squares() (all [Points]float64) {
	for g, t := range [Points]float64{.003, .01, .02, .04, .07, .12, .2, .35} {
		all[g] = 2 * t * t
	}
	return all
}

// Points is the number of distances that are thought possible.
const Points = 8

// Distances are how far other sites are from the own one: a posterior over the grid for each of them.
// The prior is common to all sites and fitted to what they release (empirical Bayes).
type Distances struct {
	Squares   [Points]float64   // as variances of the difference between the means of an arm
	posterior [][Points]float64 // by site
	rewards   float64           // own ones when they were last computed
}

// NewDistances returns distances of which nothing is known.
func NewDistances() Distances { return Distances{Squares: squares()} }

const (
	growth   = 17. / 16 // of own rewards until distances are computed again
	fits     = 8        // steps in which the prior is fitted (expectation-maximization)
	pseudo   = .5       // sites at each distance that the prior has seen before
	unheard  = 1. / Points
	logScale = 700 // likelihoods below e^-logScale of the greatest are 0
)

// precision returns the expected precision of another site's mean, of a variance, for the own site.
func (d *Distances) precision(site int, variance float64) (sum float64) {
	if site >= len(d.posterior) {
		for _, x := range &d.Squares {
			sum += unheard / (variance + x)
		}
		return sum
	}
	p := &d.posterior[site]
	for g, x := range &d.Squares {
		sum += p[g] / (variance + x)
	}
	return sum
}

// Share returns which part of a precision of another site's parameter is left for the own site.
func (d *Distances) Share(site int, precision float64) float64 {
	if precision == 0 {
		return 0
	}
	return d.precision(site, 1/precision) / precision
}

// Heard returns the number of sites of which more than the prior is known: those before it.
func (d *Distances) Heard() int { return len(d.posterior) }

// Expected returns the expected distance of a site.
func (d *Distances) Expected(site int) (sum float64) {
	for g, p := range d.posterior[site] {
		sum += p * math.Sqrt(d.Squares[g]/2)
	}
	return sum
}

// Due reports whether n own rewards are enough more, or fewer, for distances to be computed again.
func (d *Distances) Due(n float64) bool {
	return n >= growth*d.rewards && n > 0 || n < d.rewards
}

// Renew computes the posteriors from n own rewards and the logarithm of the likelihood of each distance
// of each site.
func (d *Distances) Renew(n float64, self int, likelihood [][Points]float64) {
	d.rewards = n
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
	prior := [Points]float64{}
	for g := range prior {
		prior[g] = unheard
	}
	for range fits {
		var seen [Points]float64
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
			prior[g] = (seen[g] + pseudo) / (total + pseudo*Points)
		}
	}
}

// Save returns the state, and other numbers that belong to it.
func (d *Distances) Save(others []float64) []byte {
	b, _ := binary.Append(nil, binary.BigEndian, append(others[:len(others):len(others)], d.rewards)) // numbers have a size
	b, _ = binary.Append(b, binary.BigEndian, d.posterior)
	return b
}

// LoadDistances returns distances with a saved state, and sets the other numbers.
func LoadDistances(state []byte, others []float64) (Distances, error) {
	const site = 8 * Points
	begin := 8 * (len(others) + 1)
	if len(state) < begin || (len(state)-begin)%site != 0 {
		return Distances{}, fmt.Errorf("bandit: saved state of %d bytes, want %d and %d for every site", len(state), begin, site)
	}
	numbers, d := make([]float64, len(others)+1), NewDistances()
	d.posterior = make([][Points]float64, (len(state)-begin)/site)
	_, _ = binary.Decode(state, binary.BigEndian, numbers) // as long as they are
	_, _ = binary.Decode(state[begin:], binary.BigEndian, d.posterior)
	copy(others, numbers)
	d.rewards = numbers[len(others)]
	return d, nil
}
