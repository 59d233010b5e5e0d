package linear

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
)

// Index names the index by which learner linucb chooses.
type Index string

// The indices.
const (
	// SampledIndex is ⟨x, θ̃⟩ with a θ̃ drawn around the estimate for every choice, so that sites
	// with the same releases and actions do not all choose the same.
	SampledIndex Index = "sample"
	// BoundIndex is ⟨x, θ̂⟩ plus radius times the deviation of its error.
	BoundIndex Index = "bound"
	// CalibratedIndex is the upper confidence bound of ridge regression with a proved radius:
	// docs/proofs/linear.md.
	CalibratedIndex Index = "calibrated"
)

// Records names what learner linucb adds up.
type Records string

// The records.
const (
	// WithoutSquares is what the estimate needs: Σ x xᵀ and Σ x y.
	WithoutSquares Records = "plain"
	// CentredRewards uses the reward minus ½, which is at most ½ in absolute value, so that
	// learning from it has half the noise. Features get a constant, which learns what was
	// subtracted; see docs/proofs/records.md.
	CentredRewards Records = "centred"
)

// LinUCBParams are the parameters of learner linucb.
type LinUCBParams struct {
	Features int               `want:"1..120" fixed:"yes" doc:"Numbers of an action, with squares that sum to at most 1."`
	Context  int               `want:"0..120" fixed:"yes" later:"yes" doc:"Numbers of the context that all actions of a decision share, with squares that sum to at most 1. Simulated worlds offer none."`
	Map      bandit.FeatureMap `want:"concat|outer|interactions" fixed:"yes" later:"yes" doc:"Features of a context c and an action x: both (concat), all products (outer), or these and x (interactions). At most 120 numbers."`
	Index    Index             `want:"sample|bound|calibrated" doc:"How actions are ranked: under a sampled parameter, by the estimate plus radius times its error (bound), or by a proved bound, far wider (calibrated)."`
	Radius   float64           `want:"over 0 up to 16" doc:"Width of exploration in standard errors, for sample and bound. 6 held in every test."`
	Records  Records           `want:"plain|centred" fixed:"yes" later:"yes" doc:"What is released: products of features with each other and with rewards, or with rewards minus 1/2 (centred): half the noise, for a constant plus a linear function."`
}

func (p LinUCBParams) inputs() bandit.Inputs {
	return bandit.Inputs{Action: p.Features, Context: p.Context, Map: p.Map}
}

// Check implements [bandit.Checked].
func (p LinUCBParams) Check(int) (field, want string) {
	d, most := p.inputs().Dim(), bandit.MaxFeatures
	if p.Records == CentredRewards {
		most-- // for the constant
	}
	switch {
	case d <= most:
		return "", ""
	case p.Context == 0:
		return "features", fmt.Sprintf("at most %d with learner.linucb.records: %s, which adds one", most, p.Records)
	}
	return "context", fmt.Sprintf("fewer, or fewer features: with learner.linucb.map: %s and learner.linucb.features: %d they make %d numbers, and %d is the most", p.Map, p.Features, d, most)
}

// LinUCB chooses by features. Its statistic is one part for all arms: the Gram matrix Σ x xᵀ and
// the vector Σ x y over features x, of norm at most 1, and rewards y in [0,1]. Rewards are
// assumed to be ⟨x, θ⟩ on average for one θ of norm at most 1. With centred rewards the vector is
// Σ x (y-½), x has a constant, and rewards are assumed to be ½ + ⟨x, θ⟩. It decides only from
// released sums (Zhou and Chowdhury 2024, Algorithm 8), so its estimate changes with releases and
// not with pulls. While nothing is known, all arms are equally likely.
//
// The chosen arm depends on features, which are private; the part does not.
type LinUCB struct {
	bandit.Stateless
	linear
	self    int // the peer's place
	by      Estimator
	sampled bool // the parameter is drawn for every choice

	from       basis // inputs of the estimate
	known      bool
	estimate   gram.Estimate
	beta       float64 // factor of |W x|
	statedFrom basis
	stated     bandit.Parameter
}

// basis is the input of an estimate.
type basis struct {
	x        []float64
	n, noise float64
}

// replace sets f from b, and reports whether it has changed.
func (f *basis) replace(b *bandit.Belief) bool {
	n, noise := 1/b.SampleVar[0], b.GaussVar[0]
	if f.n == n && f.noise == noise && slices.Equal(f.x, b.X) {
		return false
	}
	*f = basis{append(f.x[:0], b.X...), n, noise}
	return true
}

var _ bandit.Sampler = (*LinUCB)(nil)

// Words implements [bandit.Params].
func (LinUCBParams) Words() bandit.Words {
	return bandit.Words{Name: "linucb", Summary: "chooses by features, of which rewards are a linear function that is learned"}
}

// Traits implements [bandit.Traited].
func (p LinUCBParams) Traits() bandit.Traits {
	return bandit.Traits{Contextual: true, Inputs: p.inputs()}
}

// Small has few features.
func (p LinUCBParams) Small() bandit.Params {
	p.Features, p.Context = min(p.inputs().Dim(), 3), 0
	return p
}

// New implements [bandit.Params].
func (p LinUCBParams) New(c bandit.Config) (bandit.Learner, error) {
	if field, want := p.Check(c.Arms); field != "" {
		return nil, fmt.Errorf("bandit: %s, want %s", field, want)
	}
	by := Estimator(Ridge)
	if p.Index != CalibratedIndex {
		by = func(g gram.Gram, _ float64) (gram.Estimate, float64, bool) {
			e, ok := aware(g)
			return e, p.Radius, ok
		}
	}
	d, records := p.inputs().Dim(), bandit.Linear
	if p.Records == CentredRewards {
		d, records = d+1, bandit.Centred
	}
	l := NewLinUCB(c, d, records, by)
	l.sampled = p.Index == SampledIndex
	return l, nil
}

// An Estimator returns the estimate from the sums over n records, and the factor β of its error: the index
// of features x is ⟨x, θ̂⟩ + β|Wx|.
type Estimator func(g gram.Gram, n float64) (e gram.Estimate, beta float64, ok bool)

// NewLinUCB returns a learner of d features that adds up records of a kind and chooses by an estimator, for
// laboratories, which compare others than [LinUCBParams] name.
func NewLinUCB(c bandit.Config, d int, records bandit.Kind, by Estimator) *LinUCB {
	return &LinUCB{linear: newLinear(c, d, records), self: c.Self, by: by}
}

// learn recomputes the estimate if its inputs have changed.
func (l *LinUCB) learn(b *bandit.Belief) {
	if !l.from.replace(b) {
		return
	}
	l.known = false
	if !b.Known(0) {
		return
	}
	if g, err := gram.Of(b.X, l.from.noise, kind(l.records), l.d); err == nil {
		l.estimate, l.beta, l.known = l.by(g, l.from.n)
	}
}

// Summarize returns, for every arm, the number of records on which the parameter rests, which is
// the same for all. Estimates are 0, since they depend on features.
func (l *LinUCB) Summarize(b *bandit.Belief) bandit.Summary {
	n := len(l.scores)
	return bandit.Summary{
		Estimates: make([]float64, n), Samples: slices.Repeat([]float64{1 / b.SampleVar[0]}, n), NoiseDevs: make([]float64, n), Parameter: l.parameter(b),
	}
}
