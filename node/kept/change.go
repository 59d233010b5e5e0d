package kept

import (
	"math"
	"math/bits"
	"slices"

	"peerd.dev/dp/state"
)

const (
	// unit is a reward of 1 in sums. Sums of integers are exact, so they do not depend on the order of rewards; a reward is
	// rounded by at most 2^-21, to the grid of package dp.
	unit = 1 << 20
	// block is how many rewards are between marks. With fewer a change is found earlier by up to as many rewards, for more time.
	block = 16
	// near is how many marks there are between the newest reward and the first pair of marks of a spacing that is not
	// kept farther away. With 8, up to a quarter of what is compared with what was before can be from before a change.
	near = 8
	// miss is the probability that an arm whose mean stays is ever found to have changed. It is a bound, which is far from what happens: of
	// 1,200 sites of 2 or 5 arms with a miss of 1, 18 found a change in 20,000 decisions. A change found wrongly costs
	// what it costs to learn once more; ten times less makes the wait for a change of .1 a tenth longer.
	miss = 1e-2
)

// record holds the exact rewards of one arm since the last change of its mean that was found. If the mean stays after that
// one, the probability that another is ever found is at most miss, however the arm is chosen. The zero value is ready.
type record struct {
	total         // of rewards that are not forgotten
	from  total   // of them when the last change was found: later ones alone are searched, as the change was chosen by the others
	marks []total // at some counts since, ascending
}

// total is a number of rewards and their sum in units.
type total struct{ n, sum uint64 }

func (t total) minus(u total) total { return total{t.n - u.n, t.sum - u.sum} }

// mean returns the mean of rewards.
func (t total) mean() float64 { return float64(t.sum) / unit / float64(t.n) }

// add adds a reward from 0 to 1, and reports whether it shows that the mean has changed. What was before the change is then forgotten.
func (r *record) add(reward float64) (changed bool) {
	r.n++
	r.sum += uint64(math.Round(reward * unit))
	if (r.n-r.from.n)%block > 0 {
		return false
	}
	if m, found := r.find(); found {
		r.total = r.minus(m)
		r.from, r.marks = r.total, r.marks[:0]
		return true
	}
	r.mark()
	return false
}

// find returns the mark that most likely divides two means, and whether one of all marks shows beyond chance that there are two. Marks share the
// probability of a miss: the one after j = 2^v i blocks, i odd, has the share 1/(i(i+1)(v+1)(v+2)). Their sum is below 1, and
// marks far apart, which are there for small changes, have larger ones.
func (r *record) find() (at total, found bool) {
	most := 0.
	for _, m := range r.marks {
		before, after := m.minus(r.from), r.minus(m)
		x := apart(before, after)
		if x > most {
			most, at = x, m
		}
		if x > 0 {
			v := bits.TrailingZeros64(before.n / block)
			i := before.n / block >> v
			found = found || x > math.Log(float64(i*(i+1))*float64((v+1)*(v+2))/miss)
		}
	}
	return at, found
}

// apart returns how many nats speak for a mean before and another one after a mark, or 0 if they are too few for any mark. If there is one mean,
// the probability that they are ever more than l is at most e^-l. It is like the generalized likelihood ratio of Besson, Kaufmann, Maillard and
// Seznec (Efficient Change-Point Detection for Tackling Piecewise-Stationary Bandits, 2022), for all rewards between 0 and 1: by convexity a reward X
// of mean μ has E (q/μ)^X ((1-q)/(1-μ))^(1-X) ≤ 1 for each q. So the product of these over rewards, mixed over q by a law for those before the mark and
// for those after it, is a supermartingale that begins at 1, and Ville's inequality holds for it. The mean that makes it least is that of all rewards.
func apart(before, after total) float64 {
	a, b := float64(before.n), float64(after.n)
	p, q := before.mean(), after.mean()
	all := (a*p + b*q) / (a + b)
	// The nats are at most χ², which takes no logarithms and is almost always low.
	if gap := p - q; a*b/(a+b)*gap*gap <= -math.Log(miss)*all*(1-all) {
		return 0
	}
	return mixed(a, p) + mixed(b, q) + (a+b)*entropy(all)
}

// mixed returns the logarithm of the likelihood of n rewards, mixed over means by the Beta(1/2, 1/2) law, which costs least for the worst mean
// (Krichevsky and Trofimov 1981).
func mixed(n, mean float64) float64 {
	x, _ := math.Lgamma(n*mean + .5)
	y, _ := math.Lgamma(n*(1-mean) + .5)
	z, _ := math.Lgamma(n + 1)
	return x + y - z - math.Log(math.Pi)
}

// entropy returns the entropy of a reward that is 0 or 1, in nats.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log(p) - (1-p)*math.Log1p(-p)
}

// mark adds a mark and drops those that are too far away for their spacing. Which ones depends on counts alone.
func (r *record) mark() {
	r.marks = slices.DeleteFunc(append(r.marks, r.total), func(m total) bool {
		spacing := (m.n - r.from.n) & -(m.n - r.from.n) // the greatest power of 2 that divides it
		return r.n-m.n > near*spacing
	})
}

func (r *record) fields(v *state.Visitor) {
	r.from.fields(v)
	state.List(v, &r.marks, func(m *total) { m.fields(v) })
	r.total.fields(v)
	last := r.from
	for _, m := range r.marks {
		v.Check(m.n > last.n && (m.n-r.from.n)%block == 0 && m.follows(last), "a mark at %d rewards after one at %d", m.n, last.n)
		last = m
	}
	v.Check(r.from.follows(total{}) && r.follows(last) && r.n < 1<<43, "%d rewards, the last mark at %d", r.n, last.n)
}

// follows reports whether a total can be of u and later rewards.
func (t total) follows(u total) bool {
	return t.n >= u.n && t.sum >= u.sum && t.sum-u.sum <= (t.n-u.n)*unit
}

func (t *total) fields(v *state.Visitor) {
	v.Uint(&t.n)
	v.Uint(&t.sum)
}
