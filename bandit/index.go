package bandit

// Evidence is what a belief says of one arm, for learners of other packages that choose by it; see docs/proofs/klucb.md.
type Evidence struct {
	known moments // from which the evidence is
	e     evidence
}

// Renew takes what a belief says of an arm, and reports whether it is other than before.
func (x *Evidence) Renew(b *Belief, arm int) (changed bool) {
	if x.known.are(b, arm) {
		return false
	}
	x.known = momentsOf(b, arm)
	x.e.take(b, arm)
	return true
}

// Greatest returns the greatest mean that the evidence does not rule out, with exponents up to a level.
func (x *Evidence) Greatest(level float64) float64 {
	x.e.even = 0
	return x.e.greatest(level)
}

// Below reports that the greatest mean is below q, from 0 to 1, or that this is not certain. It is much cheaper than [Evidence.Greatest].
func (x *Evidence) Below(q, level float64) bool {
	x.e.even = 0 // what is returned must not depend on earlier calls
	return q > 0 && (x.known.atLeast(q)*(1-rounding)-rounding > level || x.e.rulesOut(q, level))
}

// moments summarize a belief about an arm: they change with every release.
type moments struct{ y, sampleVar, v, b, g float64 }

func momentsOf(b *Belief, k int) moments {
	return moments{b.X[k], b.SampleVar[k], b.LaplaceSumSq[k], b.LaplaceMax[k], b.GaussVar[k]}
}

// are reports whether a belief has them.
func (m *moments) are(b *Belief, k int) bool {
	return m.y == b.X[k] && m.sampleVar == b.SampleVar[k] && m.v == b.LaplaceSumSq[k] && m.b == b.LaplaceMax[k] && m.g == b.GaussVar[k]
}
