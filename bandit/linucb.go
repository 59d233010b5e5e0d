package bandit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit/gram"
)

// LinearIndex names the index by which learner linucb chooses.
type LinearIndex string

// The indices.
const (
	// SampledIndex is ⟨x, θ̃⟩ with a θ̃ drawn around the estimate for every choice, so that sites
	// with the same releases and actions do not all choose the same.
	SampledIndex LinearIndex = "sample"
	// BoundIndex is ⟨x, θ̂⟩ plus radius times the deviation of its error.
	BoundIndex LinearIndex = "bound"
	// CalibratedIndex is the upper confidence bound of ridge regression with a proved radius:
	// docs/proofs/linear.md.
	CalibratedIndex LinearIndex = "calibrated"
	// PaperIndex is the upper confidence bound printed in the paper that releases such records.
	// It is not proved as printed.
	PaperIndex LinearIndex = "paper"
)

// LinearRecords names what learner linucb adds up.
type LinearRecords string

// The records.
const (
	// WithoutSquares is what the estimate needs: Σ x xᵀ and Σ x y.
	WithoutSquares LinearRecords = "plain"
	// WithSquares adds Σ y², as the Privatizer of Dubey and Pentland (2020) releases it. Nothing
	// needs that number, and a record moves it further than the others.
	WithSquares LinearRecords = "squares"
	// CentredRewards uses the reward minus ½, which is at most ½ in absolute value, so that
	// learning from it has half the noise. Features get a constant, which learns what was
	// subtracted; see docs/proofs/records.md.
	CentredRewards LinearRecords = "centred"
)

// LinUCBParams are the parameters of learner linucb.
type LinUCBParams struct {
	Features int           `want:"1..120" fixed:"yes" doc:"Numbers that describe an action. An application sends this many for each, with a sum of squares of at most 1."`
	Context  int           `want:"0..120" fixed:"yes" later:"yes" doc:"Numbers of the context that an application sends with a decision and that all its actions share, with a sum of squares of at most 1; 0 for no context. Simulated worlds offer the results of the map, and no context."`
	Map      FeatureMap    `want:"concat|outer|interactions" fixed:"yes" later:"yes" doc:"How features are made of a context c and an action x: both (concat, context + features numbers); the products of every number of c with every number of x (outer, context × features numbers); or these products and x (interactions, (1 + context) × features numbers). The result has at most 120 numbers. Without a context it is the action's numbers."`
	Index    LinearIndex   `want:"sample|bound|calibrated|paper" doc:"How actions are ranked: by the reward under a sampled parameter (sample), by the estimated reward plus radius times its error (bound), by a proved bound, which is far wider (calibrated), or by the bound that papers print, which is not proved and is for comparison (paper)."`
	Radius   float64       `want:"over 0 up to 16" doc:"Width of exploration in standard errors, for index sample or bound. 6 held in every test; smaller explores less."`
	Records  LinearRecords `want:"plain|centred|squares" fixed:"yes" later:"yes" doc:"What is released: sums of products of features with each other and with rewards (plain); with rewards minus 1/2, which halves the noise in what is learned, for rewards that are a constant plus a linear function of features (centred: peerd adds the constant, so send none); or, as in paper 000, also sums of squared rewards: more noise, no benefit (squares)."`
}

func (p LinUCBParams) inputs() Inputs { return Inputs{p.Features, p.Context, p.Map} }

// Check implements [Checked].
func (p LinUCBParams) Check(int) (field, want string) {
	d, most := p.inputs().Dim(), maxFeatures
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

// maxFeatures is the greatest number of features.
const maxFeatures = 120

// LinUCB chooses by features. Its statistic is one part for all arms: the Gram matrix Σ x xᵀ and
// the vector Σ x y over features x, of norm at most 1, and rewards y in [0,1], which are assumed
// to be ⟨x, θ⟩ on average for one θ of norm at most 1. With centred rewards the vector is Σ x
// (y-½), x has a constant, and rewards are assumed to be ½ + ⟨x, θ⟩. It decides only from
// released sums (Zhou and Chowdhury 2024, Algorithm 8), so its estimate changes with releases and
// not with pulls. While nothing is known, all arms are equally likely.
//
// The chosen arm depends on features, which are private; the part does not.
type LinUCB struct {
	Stateless
	d       int
	index   LinearIndex
	radius  float64
	kind    gram.Kind // of the released sums
	records Kind      // of the statistic
	affine  *affine   // makes features; nil unless rewards are centred
	peers   float64   // number of sites whose sums are added up
	leaves  float64   // number that a site releases in its life
	rng     *rand.Rand

	from       basis // inputs of the estimate
	known      bool
	estimate   gram.Estimate
	beta       float64 // factor of |W x|
	statedFrom basis
	stated     Parameter
	theta      []float64  // scratch: sampled
	normal     []float64  // scratch
	scores     []float64  // by arm; scratch
	able       []Arm      // arms that can have the greatest index; scratch
	features   []Features // theirs; scratch
	squares    []float64  // theirs; scratch
}

// basis is the input of an estimate.
type basis struct {
	x        []float64
	n, noise float64
}

// replace sets f from b, and reports whether it has changed.
func (f *basis) replace(b *Belief) bool {
	n, noise := 1/b.SampleVar[0], b.GaussVar[0]
	if f.n == n && f.noise == noise && slices.Equal(f.x, b.X) {
		return false
	}
	*f = basis{append(f.x[:0], b.X...), n, noise}
	return true
}

var _ Learner = (*LinUCB)(nil)

// Words implements [Params].
func (LinUCBParams) Words() Words {
	return Words{"linucb", "chooses by features, of which rewards are a linear function that is learned"}
}

// Traits implements [Traited].
func (p LinUCBParams) Traits() Traits { return Traits{Contextual: true, Inputs: p.inputs()} }

// Small has few features.
func (p LinUCBParams) Small() Params {
	p.Features, p.Context = min(p.inputs().Dim(), 3), 0
	return p
}

// New implements [Params].
func (p LinUCBParams) New(c Config) (Learner, error) {
	switch {
	case p.Features < 1 || p.Features > maxFeatures:
		return nil, fmt.Errorf("bandit: features %d, want 1 to %d", p.Features, maxFeatures)
	case p.Context < 0:
		return nil, fmt.Errorf("bandit: context %d, want 0 or more", p.Context)
	case p.Context > 0 && p.Map != Concat && p.Map != Outer && p.Map != Interactions:
		return nil, fmt.Errorf("bandit: map %q, want concat, outer or interactions", p.Map)
	case p.Index != SampledIndex && p.Index != BoundIndex && p.Index != CalibratedIndex && p.Index != PaperIndex:
		return nil, fmt.Errorf("bandit: index %q, want sample, bound, calibrated or paper", p.Index)
	case !(p.Radius > 0 && p.Radius <= 16):
		return nil, fmt.Errorf("bandit: radius %v, want over 0 up to 16", p.Radius)
	case p.Records != WithoutSquares && p.Records != CentredRewards && p.Records != WithSquares:
		return nil, fmt.Errorf("bandit: records %q, want plain, centred or squares", p.Records)
	}
	if field, want := p.Check(c.Arms); field != "" {
		return nil, fmt.Errorf("bandit: %s, want %s", field, want)
	}
	d, kind, records := p.inputs().Dim(), gram.Linear, Linear
	var made *affine
	switch p.Records {
	case WithoutSquares:
	case WithSquares:
		kind, records = gram.Corner, Corner
	case CentredRewards:
		made = newAffine(c.Arms, d)
		d, kind, records = d+1, gram.Centred, Centred
	}
	return &LinUCB{
		records: records, affine: made,
		d: d, index: p.Index, radius: p.Radius, kind: kind, peers: float64(c.Peers), leaves: float64(max(1, c.Leaves)), rng: c.Rand,
		theta: make([]float64, d), normal: make([]float64, d),
		scores: make([]float64, c.Arms), able: make([]Arm, 0, c.Arms), features: make([]Features, 0, c.Arms), squares: make([]float64, c.Arms),
	}, nil
}

// Statistic returns one part for all arms.
func (l *LinUCB) Statistic() Statistic {
	return Statistic{Parts: 1, Dim: l.d, Kind: l.records}
}

// Part returns the only one.
func (*LinUCB) Part(Arm) int { return 0 }

// Update appends the features, which package dp shortens if they are too long, and the reward or,
// if rewards are centred, twice its excess over ½.
func (l *LinUCB) Update(p Pull, x []float64) []float64 {
	if l.affine != nil {
		return append(appendAffine(x, p.Features), 2*float64(p.Reward)-1)
	}
	return append(append(x, p.Features...), float64(p.Reward))
}

// learn recomputes the estimate if its inputs have changed.
func (l *LinUCB) learn(b *Belief) {
	if !l.from.replace(b) {
		return
	}
	l.known = false
	if !b.Known(0) {
		return
	}
	g, err := gram.Of(b.X, l.from.noise, l.kind, l.d)
	if err != nil {
		return
	}
	switch {
	case l.index == CalibratedIndex:
		l.estimate, l.beta, l.known = ridge(g, l.from.n)
	case l.index == PaperIndex && l.kind == gram.Corner:
		l.estimate, l.beta, l.known = dubeyPentland(g, l.peers, l.leaves)
	case l.index == PaperIndex:
		l.estimate, l.beta, l.known = zhouChowdhury(g, l.from.n, l.leaves)
	default:
		l.beta = l.radius
		l.estimate, l.known = aware(g)
	}
}

// Summarize returns, for every arm, the number of records on which the parameter rests, which is
// the same for all. Estimates are 0, since they depend on features.
func (l *LinUCB) Summarize(b *Belief) Summary {
	n := len(l.scores)
	return Summary{make([]float64, n), slices.Repeat([]float64{1 / b.SampleVar[0]}, n), make([]float64, n), l.parameter(b)}
}
