package bandit

import (
	"math"
	"slices"

	"peerd.dev/bandit/belief"
)

// Best returns the arm with the greatest mean at a peer's own site, as its own released rewards show it, or NoArm
// while they do not. If it is asked after every release for ever, the probability that it ever returns an arm which is not
// the best is at most miss. Whatever other sites release does not enter. Absent arms do not count. It wants noise of its
// own for every leaf, which adds up, and means that stay the same. See docs/proofs/best.md.
func Best(b *Belief, self int, absent []Arm, miss float64) Arm {
	bounds := Bounds(b, self, miss)
	best, least := NoArm, math.Inf(-1)
	for k, x := range bounds {
		if x.Low > least && !slices.Contains(absent, Arm(k)) {
			best, least = Arm(k), x.Low
		}
	}
	for k, x := range bounds {
		if Arm(k) != best && !slices.Contains(absent, Arm(k)) && x.High > least {
			return NoArm
		}
	}
	return best
}

// A Bound is what is known of a mean reward; infinite if that is nothing.
type Bound struct{ Low, High float64 }

// Bounds returns bounds of every arm's mean at a peer's own site, from its own released rewards. Asked after every release for ever,
// for a given arm the probability that its mean is ever above High, or another's ever below Low, is at most miss together. It wants what
// [Best] wants.
func Bounds(b *Belief, self int, miss float64) []Bound {
	level, all := math.Log(float64(len(b.Sites))/miss), make([]Bound, len(b.Sites))
	for k := range all {
		all[k] = Bound{math.Inf(-1), math.Inf(1)}
		if s := siteOf(b, k, self); s != nil {
			all[k] = Bound{1 - above(1-s.Mean, s, level), above(s.Mean, s, level)}
		}
	}
	return all
}

// siteOf returns what a site has released of an arm, or nil.
func siteOf(b *Belief, k, site int) *belief.Site {
	for i := range b.Sites[k] {
		if s := &b.Sites[k][i]; s.Peer == site && s.Released > 0 {
			return s
		}
	}
	return nil
}

// tilts are the numbers of arguments s of the bound: 2, 1, 1/2 and so on. The last ones are for ten million rewards.
const tilts = 16

// above returns a number that the mean of rewards, estimated to be y by a site, exceeds at some time with a probability of at most
// e^-level.
func above(y float64, s *belief.Site, level float64) float64 {
	level += math.Log(tilts)
	n, least := s.Released, 1.
	b, g := s.LaplaceMax*n, s.GaussVar*n*n // of sums
	draws := 0.
	if b > 0 {
		draws = s.LaplaceSumSq / (s.LaplaceMax * s.LaplaceMax)
	}
	for j := range tilts {
		t := math.Ldexp(2, -j)
		if b*t >= 1 {
			continue
		}
		x := level + t*n*y - draws*math.Log1p(-b*b*t*t) + g*t*t/2
		least = min(least, math.Expm1(-x/n)/math.Expm1(-t))
	}
	return least
}
