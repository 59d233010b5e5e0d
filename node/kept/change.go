package kept

import (
	"math"
	"math/bits"
	"slices"

	"peerd.dev/dp/state"
)

const (
	// unit is a reward of 1 in sums, by the grid of package dp. Sums of integers are exact and do not depend on the order of rewards.
	unit = 1 << 20
	// block is how many rewards are between marks. With 4 a large change costs 7 % less, for four times the time.
	block = 16
	// near is after how many times its spacing a mark is dropped, where the spacing is the greatest power of 2 that divides its count. With 8, marks
	// are at most a quarter as far from each other as from the newest reward, and there are about 4 for each doubling of rewards.
	near = 8
	// miss bounds the probability that an arm whose mean stays is ever found to have changed. Much less happens: with a miss of 1, 1,200 sites found
	// 19 changes in 20,000 decisions each. One costs learning once more; a tenth of it makes the wait for a change of .1 a tenth longer.
	miss = 1e-2
)

// record holds the exact rewards of one arm since the last change of its mean that was found. If the mean stays from then on, the
// probability that another is ever found is at most miss, however the arm is chosen. The zero value is ready.
type record struct {
	total         // of rewards that are not forgotten
	from  total   // of them when that was found: later ones alone are searched, as the change was chosen by these
	marks []total // at some counts since, ascending
}

// total is a number of rewards and their sum in units.
type total struct{ n, sum uint64 }

func (t *total) fields(v *state.Visitor) {
	v.Uint(&t.n)
	v.Uint(&t.sum)
}

func (r *record) fields(v *state.Visitor) {
	r.from.fields(v)
	state.List(v, &r.marks, func(m *total) { m.fields(v) })
	r.total.fields(v)
	before := total{}
	for _, t := range slices.Concat([]total{r.from}, r.marks, []total{r.total}) {
		u := t.minus(before)
		v.Check(t.n < 1<<43 && t.n >= before.n && t.sum >= before.sum && u.sum <= u.n*unit, "%d more rewards with a sum of %d", u.n, u.sum)
		before = t
	}
}

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
	r.marks = slices.DeleteFunc(append(r.marks, r.total), func(m total) bool {
		j := m.n - r.from.n
		return r.n-m.n > near*(j&-j)
	})
	return false
}

// find returns the mark that most likely divides two means, and whether any mark shows that there are two. Marks share the level: the one after
// j = 2^v i blocks, i odd, has 1/(i(i+1)(v+1)(v+2)) of it, less than 1 together. Those far apart, by which small changes are found, have more.
func (r *record) find() (at total, found bool) {
	most := 0.
	for _, m := range r.marks {
		before := m.minus(r.from)
		if x := apart(before, r.minus(m)); x > 0 {
			v := bits.TrailingZeros64(before.n / block)
			i := float64(before.n / block >> v)
			found = found || x > math.Log(i*(i+1)*float64((v+1)*(v+2))/miss)
			if x > most {
				most, at = x, m
			}
		}
	}
	return at, found
}

// apart returns how many nats speak for one mean before and another one after a mark, or 0 if they are too few for any mark. If there is one mean μ,
// the probability that they ever exceed l is at most e^-l: by convexity a reward X has E (q/μ)^X ((1-q)/(1-μ))^(1-X) ≤ 1 for each q. The product of
// these, mixed over q by a law of its own before and after the mark, is a supermartingale, for which Ville's inequality holds. The mean of all
// is the μ that makes it least. Besson, Kaufmann, Maillard and Seznec (Efficient Change-Point Detection for Tackling Piecewise-Stationary
// Bandits, 2022) have maxima in place of mixtures.
func apart(before, after total) float64 {
	a, b, p, q := float64(before.n), float64(after.n), before.mean(), after.mean()
	all := (a*p + b*q) / (a + b)
	// The nats are at most χ², which takes no logarithms and is almost always low.
	if gap := p - q; a*b/(a+b)*gap*gap <= -math.Log(miss)*all*(1-all) {
		return 0
	}
	return mixed(a, p) + mixed(b, q) - (a+b)*(all*math.Log(all)+(1-all)*math.Log1p(-all))
}

// mixed returns the logarithm of the likelihood of n rewards, mixed by the Beta(1/2, 1/2) law (Krichevsky and Trofimov 1981).
func mixed(n, mean float64) float64 {
	x, _ := math.Lgamma(n*mean + .5)
	y, _ := math.Lgamma(n*(1-mean) + .5)
	z, _ := math.Lgamma(n + 1)
	return x + y - z - math.Log(math.Pi)
}
