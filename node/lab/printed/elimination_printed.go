package printed

import (
	"peerd.dev/bandit"
	"peerd.dev/node/lab/learner"
)

// EliminationParams are the parameters of learner elimination-printed, which are elimination's.
type EliminationParams learner.EliminationParams

// Elimination is [learner.Elimination] with the radius that paper 003 prints, whose part for noise,
// r√(8L)/(√M ε S), does not hold for a few sites: Chernoff's bound without the case of heavy tails.
// As the noise of r epochs has LaplaceSumSq r/(√M ε S)², this is the bound for r times the moment
// and terms without a greatest scale. So the learner is one whose beliefs say that.
type Elimination struct {
	*learner.Elimination
	seen  bandit.Belief // as the embedded learner sees it
	known uint64        // 1 + the revision of which its epochs are; 0 for none
}

var (
	_ bandit.Phased  = (*Elimination)(nil)
	_ bandit.Bounder = (*Elimination)(nil)
)

// Words implements [bandit.Params].
func (EliminationParams) Words() bandit.Words {
	return bandit.Words{Name: "elimination-printed", Summary: "explores in epochs with the radius of paper 003, which is too narrow for a few sites"}
}

// Traits implements [bandit.Traited].
func (p EliminationParams) Traits() bandit.Traits { return learner.EliminationParams(p).Traits() }

// Small implements [bandit.Shrinking].
func (p EliminationParams) Small() bandit.Params {
	return EliminationParams(bandit.Small(learner.EliminationParams(p)).(learner.EliminationParams))
}

// Check implements [bandit.Checked].
func (p EliminationParams) Check(arms int) (field, want string) {
	return learner.EliminationParams(p).Check(arms)
}

// New implements [bandit.Params].
func (p EliminationParams) New(c bandit.Config) (bandit.Learner, error) {
	l, err := learner.EliminationParams(p).New(c)
	if err != nil {
		return nil, err
	}
	return &Elimination{Elimination: l.(*learner.Elimination)}, nil
}

// Quota implements [bandit.Phased].
func (e *Elimination) Quota(b *bandit.Belief) []uint64 { return e.Elimination.Quota(e.see(b)) }

// Choose implements [bandit.Learner].
func (e *Elimination) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	return e.Elimination.Choose(e.see(b), t)
}

// Radii implements [bandit.Bounder], for the newest epoch. Nothing is promised of a radius that is
// smaller than elimination's.
func (e *Elimination) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	valid := e.Elimination.Radii(nil, b, round)
	r = e.Elimination.Radii(r, e.see(b), round)
	for k, one := range r[len(r)-len(valid):] {
		if one.Size < valid[k].Size {
			r[len(r)-len(valid)+k].Miss = 1
		}
	}
	return r
}

// see returns a belief whose noise gives the printed radius.
func (e *Elimination) see(b *bandit.Belief) *bandit.Belief {
	epochs := e.seen.Epochs
	if e.known != b.Revision+1 {
		e.known, epochs = b.Revision+1, nil
		for i := range b.Epochs {
			epochs = append(epochs, printedNoise(&b.Epochs[i], uint64(i)+1))
		}
	}
	e.seen = *b
	if e.seen.Epochs = epochs; len(epochs) > 0 {
		e.seen.Means = epochs[len(epochs)-1]
	}
	return &e.seen
}

// printedNoise returns means after epoch r, with r times the Laplace noise and no greatest term.
func printedNoise(m *bandit.Means, r uint64) bandit.Means {
	n := *m
	n.LaplaceSumSq, n.LaplaceMax = make([]float64, len(m.LaplaceSumSq)), make([]float64, len(m.LaplaceMax))
	for k, v := range m.LaplaceSumSq {
		n.LaplaceSumSq[k] = float64(r) * v
	}
	return n
}
