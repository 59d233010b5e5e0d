package linear

import (
	"math"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
)

// priorPart is the share of an ellipsoid around a set that comes from |θ| ≤ 1; the rest comes
// from sums.
const priorPart = .3

// stated returns an ellipsoid in which θ lies after all releases, of n records each, except with
// probability missed: |⟨x, θ̂-θ⟩| ≤ size·|Wx| for all x. It contains the set of Anderson and
// Rubin (1949), the θ for which B - Vθ is as small as ξ + n - Nθ is, and |θ| ≤ 1. So it needs
// neither an estimate nor a positive definite V. See docs/proofs/linear.md.
func stated(g gram.Gram, n float64) (e gram.Estimate, size float64, ok bool) {
	d, v, w := float64(g.V.SymmetricDim()), g.Noise.Diagonal, g.Noise.B
	each := missed / 3 / (2 * n * n) // as in Ridge
	rewards := math.Sqrt(rewardVar * (2*math.Log(1/each) + d*math.Log(1+n/d)))
	noise := math.Sqrt(w*d+v*(d+1)/2) + math.Sqrt(-2*(w+v)*math.Log(each))
	shift := max(g.Margin(each)+1, noise*noise/(rewards*rewards))
	most := rewards + noise/math.Sqrt(shift)

	residual, centre := 0., 0. // BᵀR⁻¹B and θ̂ᵀPθ̂
	e, ok = g.Estimate(func(eigenvalue, along float64) (gain, precision float64) {
		weight := (1 - priorPart) / (most * most * (max(0, eigenvalue) + shift))
		precision = weight*eigenvalue*eigenvalue + priorPart
		gain = weight * eigenvalue / precision
		residual += weight * along * along
		centre += gain * gain * along * along * precision
		return gain, precision
	})
	return e, math.Sqrt(max(0, 1-residual+centre)), ok
}

// parameter returns the summary of θ.
func (l *LinUCB) parameter(b *bandit.Belief) bandit.Parameter {
	if !l.statedFrom.replace(b) {
		return l.stated
	}
	l.stated = bandit.Parameter{}
	if !b.Known(0) {
		return l.stated
	}
	g, err := gram.Of(b.X, b.GaussVar[0], kind(l.records), l.d)
	if err != nil {
		return l.stated
	}
	if e, size, ok := stated(g, 1/b.SampleVar[0]); ok {
		l.stated = bandit.Parameter{Error: size * e.Reach, Raised: e.Raised}
	}
	if e, ok := aware(g); ok {
		l.stated.Reading = l.reading(e.Theta, e.Half)
	}
	return l.stated
}
