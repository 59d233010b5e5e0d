package bandit

import (
	"math"
)

// A Gift says which decisions a site gives, and chooses for them.
type Gift struct {
	Arms
	Stateless
	self  int
	first uint64
	from  int
	count int
}

// NewGift returns the rule.
func NewGift(arms, sites, self int, scale float64) *Gift {
	r := (arms + 1) / 2
	g := &Gift{Arms: Arms{arms}, self: self, from: self * r % arms, count: r}
	for b := 1.; b <= 8 && sites >= 8; b++ {
		if math.Sqrt((.2*b+2*scale*scale)*float64(arms)/float64(sites*r))/b <= .15 {
			g.first = uint64(b)
			break
		}
	}
	return g
}

// First implements [Giver].
func (g *Gift) First() uint64 { return g.first }

// Most returns how many rewards.
func (g *Gift) Most() (rewards, draws float64) { return float64(4 * g.first), 3 }

// Wants implements [Giver].
func (g *Gift) Wants(b *Belief) bool { return g.lacking(b, &Turn{}) >= 0 }

func (g *Gift) lacking(b *Belief, t *Turn) int {
	for i := range g.count {
		k := (g.from + i) % g.N
		if b.Pulls[k] < g.first && !t.excludes(k) {
			return k
		}
	}
	return -1
}

// Choose implements [Learner].
func (g *Gift) Choose(b *Belief, t Turn) Choice {
	if k := g.lacking(b, &t); k >= 0 {
		return Choice{Arm(k), 1}
	}
	return Choice{Greatest(b, t, b.X, b.X), 1}
}
