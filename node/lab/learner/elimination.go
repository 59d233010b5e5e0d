package learner

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit"
)

// EliminationParams are the parameters of learner elimination.
type EliminationParams struct {
	Alpha  float64 `only:"elimination" want:"0 up to 0.5" doc:"Probability that the best arm is eliminated; 0 takes 1/privacy.horizon."`
	Length float64 `only:"elimination" want:"over 0 up to 1" doc:"Length of epochs, as a share of the paper's."`
	Rounds uint64  `only:"elimination" want:"0..64" unit:"epochs" doc:"Epochs after which the best arm is played to the end; 0 for when one is left."`
	Gap    float64 `only:"elimination" want:"0 up to 1" doc:"With rounds, the least gap of the best arm; 0 if unknown."`
}

// Elimination explores in epochs and eliminates arms that are behind (Li and Song, Algorithms 1,
// 3 and 5, with the budget of one node as ε). After epoch r every remaining arm has been pulled
// S(r) times at each site, so that means that differ by Δ_r = 2^-r, or gap^(r/rounds), can be
// distinguished; arms that are two radii behind the best one are eliminated. Which arms remain
// follows from the Belief about all complete epochs, and is recomputed when a late release
// arrives.
//
// While an epoch waits for other sites, the learner pulls the arm that is best by its own site's
// releases; these pulls enter no release. See docs/lab/proofs/elimination.md.
type Elimination struct {
	bandit.Arms
	bandit.Stateless
	p       EliminationParams
	origins float64 // number of peers whose means are merged
	epsilon float64
	alpha   float64

	sums   []uint64 // S(r), by epoch from 0
	left   []bool   // arms that remain after the newest epoch
	number int      // number of remaining arms
	known  uint64   // 1 + the revision of the Belief from which left and quota were computed; 0 for none
	quota  []uint64 // of the present epoch, by arm
	free   []int    // scratch
	radii  []float64
}

var (
	_ bandit.Phased  = (*Elimination)(nil)
	_ bandit.Bounder = (*Elimination)(nil)
)

// Words implements [bandit.Params].
func (EliminationParams) Words() bandit.Words {
	return bandit.Words{Name: "elimination", Summary: "explores in epochs and leaves out arms that are behind"}
}

// Traits implements [bandit.Traited].
func (EliminationParams) Traits() bandit.Traits { return bandit.Traits{Phased: true} }

// Small makes epochs of a few pulls of an arm, and an end of exploration.
func (p EliminationParams) Small() bandit.Params {
	p.Alpha, p.Length, p.Rounds, p.Gap = .5, .05, 16, .5
	return p
}

// Check implements [bandit.Checked].
func (p EliminationParams) Check(int) (field, want string) {
	if p.Rounds > 0 && (p.Gap == 0 || p.Gap == 1) {
		return "gap", "a number between 0 and 1 with rounds: epochs are as long as the smallest gap needs"
	}
	return "", ""
}

// New implements [bandit.Params].
func (p EliminationParams) New(c bandit.Config) (bandit.Learner, error) {
	if field, want := p.Check(c.Arms); field != "" {
		return nil, fmt.Errorf("learner: %s: want %s", field, want)
	}
	e := &Elimination{
		Arms: bandit.Arms{N: c.Arms}, p: p, origins: float64(c.Origins), epsilon: c.Epsilon, alpha: p.Alpha,
		sums: []uint64{0}, left: make([]bool, c.Arms), quota: make([]uint64, c.Arms), radii: make([]float64, c.Arms),
	}
	if e.alpha == 0 {
		e.alpha = 1 / float64(max(1, c.Horizon))
	}
	return e, nil
}

// renew recomputes which arms remain, and how often the present epoch pulls them: every epoch
// eliminates arms whose mean is too far behind the best one's among those that remained before.
func (e *Elimination) renew(b *bandit.Belief) {
	if e.known == b.Revision+1 {
		return
	}
	e.known, e.number = b.Revision+1, e.N
	for k := range e.left {
		e.left[k] = true
	}
	for i := range b.Epochs {
		e.eliminate(&b.Epochs[i], uint64(i)+1)
	}
	if e.p.Rounds > 0 && uint64(len(b.Epochs)) >= e.p.Rounds {
		e.commit(&b.Epochs[e.p.Rounds-1])
	}
	more := e.pulls(b.Epoch+1) - e.pulls(b.Epoch)
	for k, left := range e.left {
		if e.quota[k] = 0; left {
			e.quota[k] = more
		}
	}
}

// eliminate eliminates what is behind after epoch r.
func (e *Elimination) eliminate(m *bandit.Means, r uint64) {
	if e.number == 1 {
		return
	}
	e.epochRadii(m, r)
	floor := math.Inf(-1)
	for k, left := range e.left {
		if left && m.Known(k) {
			floor = max(floor, m.X[k]-e.radii[k])
		}
	}
	for k, left := range e.left {
		if left && m.Known(k) && m.X[k]+e.radii[k] <= floor {
			e.left[k] = false
			e.number--
		}
	}
}

// commit keeps only the best arm.
func (e *Elimination) commit(m *bandit.Means) {
	best := -1
	for k, left := range e.left {
		if left && m.Known(k) && (best < 0 || m.X[k] > m.X[best]) {
			best = k
		}
	}
	if best < 0 {
		return
	}
	for k := range e.left {
		e.left[k] = k == best
	}
	e.number = 1
}

// Quota implements [bandit.Phased]: every remaining arm is pulled S(r) - S(r-1) times in epoch r.
func (e *Elimination) Quota(b *bandit.Belief) []uint64 {
	e.renew(b)
	if e.number == 1 {
		return nil
	}
	return e.quota
}

// Choose returns the forced arms in turn. Without any, it returns the remaining arm that is best
// by the own site's releases; before the first release the remaining arms take turns.
func (e *Elimination) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	e.renew(b)
	e.free = append(e.free[:0], b.Forced...)
	if e.free = slices.DeleteFunc(e.free, t.Excludes); len(e.free) == 0 {
		e.open(t, func(k int) bool { return e.left[k] })
	} else {
		return e.turn(t)
	}
	if len(e.free) == 0 {
		e.open(t, func(int) bool { return true })
	}
	best := math.Inf(-1)
	for _, k := range e.free {
		best = max(best, b.Own[k])
	}
	if e.free = slices.DeleteFunc(e.free, func(k int) bool { return b.Own[k] < best }); math.IsInf(best, -1) {
		return e.turn(t)
	}
	return bandit.Choice{Arm: bandit.Arm(e.free[0]), Propensity: 1}
}

// open lists the arms that may be chosen and for which of holds.
func (e *Elimination) open(t bandit.Turn, of func(k int) bool) {
	e.free = e.free[:0]
	for k := range e.N {
		if of(k) && !t.Excludes(k) {
			e.free = append(e.free, k)
		}
	}
}

// turn chooses by the number of the round, which is public.
func (e *Elimination) turn(t bandit.Turn) bandit.Choice {
	return bandit.Choice{Arm: bandit.Arm(e.free[t.Round%uint64(len(e.free))]), Propensity: 1}
}
