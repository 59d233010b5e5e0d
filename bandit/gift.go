package bandit

import (
	"math"
	"sort"
)

// A Gift is the [Giver] of sites without features, and the learner of the decisions that they give. Both follow from releases
// and given decisions alone.
//
// First every arm gets one batch from about half of the sites. Then all give more of the arms that may be the best one, until
// these are known well, or releases show that sites differ. A site that joins later finds arms known, and gives little.
// Whatever others send, a site gives no more than [Gift.Most]. docs/decisions/learners.md has what was tried.
type Gift struct {
	Arms
	Stateless
	self, share int     // first batches are of share arms, from self * share on
	half        float64 // of the sites that first batches of an arm are from
	first       uint64
	scale       float64
}

const (
	joinDev   = .13 // standard deviation of an arm's mean that all first batches aim at: with more, own rewards soon show as much
	mostFirst = 8   // rewards in a first batch; longer ones cost a site more than it learns from others
	mostGiven = 40  // rewards in all first batches of a site: where actions are many, more are not paid back in thousands of decisions
	doubled   = 4   // times the first batch is all that is given of an arm: more rewards cost more than they teach
	wellDev   = .05 // standard deviation of a mean that is known well: to confuse closer arms costs little
	ruledOut  = 2   // standard deviations by which an arm that is given no more is below the best one
)

// NewGift returns the rule of a site of a network: its place among the sites with arms, and the scale of the Laplace noise of
// a draw, 0 for none.
func NewGift(arms, sites, self int, scale float64) *Gift {
	g := &Gift{Arms: Arms{arms}, self: self, share: (arms + 1) / 2, scale: scale}
	g.half = float64(sites*g.share) / float64(arms) / 2
	for n := uint64(mostFirst); n > 0 && g.variance(float64(n)) <= 2*g.half*joinDev*joinDev; n-- {
		g.first = n
	}
	if g.first*uint64(g.share) > mostGiven {
		g.first = 0
	}
	return g
}

// LeastSites returns the least number of sites of which [NewGift] has some give; ok is false if there is none, since arms are
// too many for one reward of each.
func LeastSites(arms int, scale float64) (sites int, ok bool) {
	const most = 1e8
	sites = sort.Search(most, func(n int) bool { return NewGift(arms, n, 0, scale).First() > 0 })
	return sites, sites < most
}

// variance returns the variance of a mean of n rewards with one draw of noise.
func (g *Gift) variance(n float64) float64 { return rewardVar/n + 2*g.scale*g.scale/(n*n) }

// First returns the number of rewards in an arm's first batch; 0 if nothing is to be given, since joining would not pay yet.
func (g *Gift) First() uint64 { return g.first }

// Most returns how many rewards of an arm a site that follows the rule has released at most; where the rule gives nothing, the most at any network.
func (g *Gift) Most() float64 {
	if g.first == 0 {
		return doubled * mostFirst
	}
	return float64(doubled * g.first)
}

// Wants reports whether the next decision is to be given.
func (g *Gift) Wants(b *Belief) bool {
	arm, _ := g.next(b, &Turn{})
	return arm != NoArm
}

// Choose returns the arm to give; if there is none, the best one by releases.
func (g *Gift) Choose(b *Belief, t Turn) Choice {
	arm, best := g.next(b, &t)
	if arm == NoArm {
		arm = best
	}
	return Choice{arm, 1}
}

// next returns the arm to give, or NoArm, and the best arm by releases.
func (g *Gift) next(b *Belief, t *Turn) (arm, best Arm) {
	arms, top, alike := g.pool(b)
	arm, best, rivals, least := NoArm, NoArm, 0, math.Inf(1) // of ranks
	for k := range arms {
		if !arms[k].below(top) {
			rivals++
		}
	}
	for i := range arms {
		k := (g.self*g.share + i) % g.N // so that sites begin with different arms
		if t.Excludes(k) {
			continue
		}
		a, pulls, rank := &arms[k], float64(b.Pulls[k]), math.Inf(1)
		if best == NoArm || a.mean > arms[best].mean {
			best = Arm(k)
		}
		switch full := a.own + max(float64(g.first), a.own); {
		case pulls >= full || full > float64(doubled*g.first): // rewards are on their way, or it was the last batch
		case pulls > a.own:
			rank = -1 // a batch is lost until it is full
		case a.sites <= g.half && i < g.share && pulls == 0: // ruled out or not, since the few may be liars
			rank = 0
		case a.sites > g.half && alike && rivals > 1 && !a.below(top) && a.dev > wellDev:
			rank = 1 + pulls
		}
		if rank < least {
			arm, least = Arm(k), rank
		}
	}
	return arm, best
}

// released is what sites have released of an arm; own are the site's own rewards.
type released struct{ mean, dev, sites, own float64 }

// below reports whether another arm rules this one out.
func (a *released) below(b *released) bool { return b.mean-a.mean > ruledOut*math.Hypot(a.dev, b.dev) }

// pool averages what sites have released of each arm, and finds the best of those that enough of them have; alike reports
// that sites differ by no more than noise explains. A row counts for no more than the rule allows a site.
func (g *Gift) pool(b *Belief) (arms []released, top *released, alike bool) {
	arms, top = make([]released, g.N), &released{}
	squares, free := 0., 0. // degrees of freedom
	for k := range arms {
		a, precision, sum, square := &arms[k], 0., 0., 0.
		for _, s := range b.Sites[k] {
			if s.Peer == g.self {
				a.own = s.Released
			}
			n := max(1, min(s.Released, float64(doubled*g.first)))
			w, x := 1/max(g.variance(n), rewardVar/n+2*s.LaplaceSumSq+s.GaussVar), min(max(s.Mean, 0), 1)
			if w > 0 && x >= 0 { // and not NaN
				a.sites, precision, sum, square = a.sites+1, precision+w, sum+w*x, square+w*x*x
			}
		}
		if a.dev = 1 / math.Sqrt(precision); a.sites > 0 {
			a.mean = sum / precision
			squares, free = squares+square-sum*a.mean, free+a.sites-1
		}
		if a.sites > g.half && a.mean >= top.mean {
			top = a
		}
	}
	return arms, top, squares <= free
}
