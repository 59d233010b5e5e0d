package bandit

import "math"

// A Gift says which decisions a site gives, and chooses for them. A given decision's choice follows from releases, and its
// reward goes into them; all other decisions are the site's own affair. Its rule is a function of the Belief alone, so it has
// nothing to save, and a site gives no more of an arm than [Gift.Most], whatever others send.
//
// A site first gives one batch of each arm of its share, which is half of all arms, so that all sites together know every arm
// roughly. Then all give more of the arms that may be the best one, until these are known well. A site that comes later finds
// arms known and gives nothing of them.
type Gift struct {
	Arms
	Stateless
	self, share int // of arms
	first       uint64
	scale       float64 // of the noise of a draw
	many        bool    // enough sites to go on after first batches
}

const (
	// joinDev is the standard deviation of an arm's mean over all sites that first batches aim at: with more, a site learns as
	// much from few decisions of its own.
	joinDev = .15
	// mostFirst is the greatest first batch. A larger one costs more regret than the releases of others save.
	mostFirst = 8
	// doubled is the number of first batches in all rewards that a site gives of an arm, in mostDraws draws of noise: batches double the
	// rewards twice. A draw for fewer rewards would be mostly noise, and more rewards were more than they save.
	doubled, mostDraws = 4, 3
	// roughDev is the standard deviation from which on an arm is known roughly. It is more than joinDev because arms
	// have unequal numbers of sites when their number does not divide.
	roughDev = .2
	// wellDev is the standard deviation from which on an arm is known well: with this, actions that others cannot tell apart
	// differ by less than what further rewards are worth.
	wellDev = .05
	// manySites is the number of sites below which further batches do not pay for what they cost.
	manySites = 8
	// ruledOut is how many standard deviations of the difference an arm's mean is below the best one's to be given no more.
	ruledOut = 2
)

// NewGift returns the rule of one site of a network: its place among the sites with arms, and the scale of the Laplace noise of
// a draw, 0 for none.
func NewGift(arms, sites, self int, scale float64) *Gift {
	g := &Gift{Arms: Arms{arms}, self: self, share: (arms + 1) / 2, scale: scale, many: sites >= manySites}
	perArm := float64(sites*g.share) / float64(arms)
	for n := uint64(1); n <= mostFirst; n++ {
		if math.Sqrt(g.variance(float64(n))/perArm) <= joinDev {
			g.first = n
			break
		}
	}
	return g
}

// variance returns the least variance of a site's mean of n rewards: with one draw of noise.
func (g *Gift) variance(n float64) float64 { return rewardVar/n + 2*g.scale*g.scale/(n*n) }

// First returns the number of rewards in an arm's first batch; 0 if the site gives nothing, because joining would not pay.
func (g *Gift) First() uint64 { return g.first }

// Most returns how many rewards of an arm a site that follows the rule has released at most, and in how many draws of noise.
func (g *Gift) Most() (rewards, draws float64) { return float64(doubled * g.first), mostDraws }

// Wants reports whether the next decision is to be given.
func (g *Gift) Wants(b *Belief) bool {
	arm, _ := g.next(b, &Turn{})
	return arm != NoArm
}

// Choose returns the arm to give; without one, the best arm by releases.
func (g *Gift) Choose(b *Belief, t Turn) Choice {
	arm, best := g.next(b, &t)
	if arm == NoArm {
		arm = best
	}
	return Choice{arm, 1}
}

// next returns the arm to give next, which is NoArm for none, and the best one by releases, of those that are not excluded. Its
// order of arms begins with the site's share, so that sites begin with different arms.
func (g *Gift) next(b *Belief, t *Turn) (arm, best Arm) {
	arms, alike := g.pool(b)
	top, rivals := 0, 0
	for k := range arms {
		if arms[k].mean > arms[top].mean {
			top = k
		}
	}
	for k := range arms {
		if !arms[k].below(&arms[top]) {
			rivals++
		}
	}
	arm, best = NoArm, NoArm
	urgency := math.Inf(1)
	for i := range arms {
		k := (g.self*g.share + i) % g.N
		if t.excludes(k) {
			continue
		}
		a := &arms[k]
		if best == NoArm || a.mean > arms[best].mean {
			best = Arm(k)
		}
		pulls, full := float64(b.Pulls[k]), a.own+max(float64(g.first), a.own)
		u, dev := math.Inf(1), math.Sqrt(a.variance)
		switch {
		case pulls >= full || full > float64(doubled*g.first): // rewards are on their way, or it was all
		case pulls > a.own: // the batch under way comes first, since until it is full all of it is lost
			u = -1
		case a.below(&arms[top]):
		case pulls == 0 && i < g.share && dev > roughDev:
			u = 0
		case g.many && alike && rivals > 1 && dev > wellDev && dev <= roughDev:
			u = 1 + pulls
		}
		if u < urgency {
			arm, urgency = Arm(k), u
		}
	}
	return arm, best
}

// released is what all sites have released of an arm.
type released struct {
	mean, variance float64
	own            float64 // rewards of the own site
}

// below reports whether an arm is ruled out by the best one.
func (a *released) below(best *released) bool {
	return best.mean-a.mean > ruledOut*math.Sqrt(best.variance+a.variance)
}

// pool averages what sites have released of every arm, by variance, and reports whether their means differ no more than
// chance explains: the sum of squares is at most a standard deviation above its mean. Where sites differ, more of what one
// gives tells others nothing. Another site has at most what the rule allows, and at least its noise; what is
// not within [0,1] is noise, or a lie.
func (g *Gift) pool(b *Belief) (arms []released, alike bool) {
	arms = make([]released, g.N)
	squares, degrees := 0., 0.
	for k := range arms {
		a, weights, sum, square := &arms[k], 0., 0., 0.
		for i := range b.Sites[k] {
			s := &b.Sites[k][i]
			if s.Peer == g.self {
				a.own = s.Released
			}
			n := max(1, min(s.Released, float64(doubled*g.first)))
			w := 1 / max(g.variance(n), rewardVar/n+2*s.LaplaceSumSq+s.GaussVar)
			x := min(max(s.Mean, 0), 1)
			if w > 0 && x >= 0 { // not NaN
				weights, sum, square, degrees = weights+w, sum+w*x, square+w*x*x, degrees+1
			}
		}
		if a.variance = 1 / weights; weights > 0 {
			a.mean = sum / weights
			squares += square - sum*a.mean
			degrees--
		}
	}
	return arms, squares <= degrees+math.Sqrt(2*degrees)
}
