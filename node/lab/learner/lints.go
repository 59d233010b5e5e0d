package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/score"
)

// LinTSParams are the parameters of learner lints.
type LinTSParams struct {
	Vectors [][]float64 `want:"vectors" doc:"A public row for every arm, with squares that sum to at most 1; rewards are linear in it. Empty takes the world's."`
	Radius  float64     `want:"over 0 up to 16" doc:"Width of exploration in standard errors."`
}

// LinTS is linear Thompson sampling over arms whose vectors x are public (Agrawal and Goyal
// 2013). Rewards are assumed to be ⟨x, θ⟩ on average for one θ of norm at most 1, the same at all
// sites. Only a record's reward is private, so the statistic is the one of learners without
// features: a sum of rewards for each arm, of which one number is released with one draw of
// noise. The Gram matrix follows from vectors and public counts.
//
// A mean m of n rewards of an arm x, with noise of variance v in it, is an observation of ⟨x, θ⟩
// with an error of variance at most w⁻¹ = 1/4n + v. With a prior of covariance I/d on θ and all
// such means,
//
//	P = Σ w x xᵀ + dI,  θ̂ = P⁻¹ Σ w m x,
//
// and each choice has the greatest ⟨x, θ̃⟩ for a θ̃ drawn around θ̂ with covariance radius²·P⁻¹.
// See docs/lab/proofs/vectors.md.
type LinTS struct {
	bandit.Arms
	bandit.Stateless
	d      int
	radius float64
	self   int
	rng    *rand.Rand
	own    []bandit.Features   // of this peer's arms
	of     [][]bandit.Features // by peer; nil if all peers' arms are the same

	seen  []seen // what the estimate was computed from
	scan  []seen // scratch
	theta []float64
	half  score.Triangle // W with P⁻¹ = WᵀW
	spare score.Triangle // noise of the estimate; scratch of Summarize
	drawn []float64      // scratch
	z     []float64      // scratch
	index []float64      // by arm; scratch
}

// seen is the mean of one peer's rewards of an arm.
type seen struct {
	peer, arm int
	mean, n   float64
	noise     float64 // variance
}

var (
	_ bandit.BySite    = (*LinTS)(nil)
	_ bandit.Supported = (*LinTS)(nil)
)

// Words implements [bandit.Params].
func (LinTSParams) Words() bandit.Words {
	return bandit.Words{Name: "lints", Summary: "samples the parameter of rewards that are linear in public vectors of the arms"}
}

// Traits implements [bandit.Traited].
func (p LinTSParams) Traits() bandit.Traits { return bandit.Traits{Vectored: true, Vectors: p.Vectors} }

// Small omits the vectors, since there are other arms.
func (p LinTSParams) Small() bandit.Params {
	p.Vectors = [][]float64{}
	return p
}

// Check implements [bandit.Checked].
func (p LinTSParams) Check(arms int) (field, want string) {
	if !(p.Radius > 0 && p.Radius <= 16) {
		return "radius", "a number over 0 up to 16"
	}
	if len(p.Vectors) > 0 && len(p.Vectors) != arms {
		return "vectors", fmt.Sprintf("%d rows, one for each of arms, not %d", arms, len(p.Vectors))
	}
	for i, row := range p.Vectors {
		if len(row) != len(p.Vectors[0]) || len(row) == 0 {
			return "vectors", fmt.Sprintf("rows of one length, at least 1; row %d has %d numbers, row 0 has %d", i, len(row), len(p.Vectors[0]))
		}
		if square := squareOf(row); !(square <= longestVector) {
			return "vectors", fmt.Sprintf("a sum of squares of at most 1 in each row; row %d has %.4g: divide all rows by the root of the greatest sum", i, square)
		}
	}
	return "", ""
}

// longestVector is the greatest sum of squares, with room for what rounding adds to a length of 1.
const longestVector = 1 + 1e-9

// rewardVar bounds the variance of a reward in [0,1].
const rewardVar = .25

func squareOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v * v
	}
	return sum
}

// New implements [bandit.Params].
func (p LinTSParams) New(c bandit.Config) (bandit.Learner, error) {
	if field, want := p.Check(c.Arms); field != "" {
		return nil, fmt.Errorf("learner: %s: want %s", field, want)
	}
	l := &LinTS{Arms: bandit.Arms{N: c.Arms}, radius: p.Radius, self: c.Self, rng: c.Rand, index: make([]float64, c.Arms)}
	switch {
	case len(p.Vectors) > 0:
		l.own = features(p.Vectors)
	case len(c.Vectors) > 0:
		l.of, l.own = c.Vectors, c.Vectors[c.Self]
	default: // nothing is known of actions, so they have nothing in common
		unit := make([][]float64, c.Arms)
		for k := range unit {
			unit[k] = make([]float64, c.Arms)
			unit[k][k] = 1
		}
		l.own = features(unit)
	}
	if len(l.own) == 0 { // an idle peer chooses nothing
		return l, nil
	}
	if len(l.own) != c.Arms {
		return nil, fmt.Errorf("learner: vectors of %d arms, want %d", len(l.own), c.Arms)
	}
	l.d = len(l.own[0])
	l.theta, l.drawn, l.z = make([]float64, l.d), make([]float64, l.d), make([]float64, l.d)
	l.half, l.spare = score.NewTriangle(l.d), score.NewTriangle(l.d)
	l.estimate()
	return l, nil
}

func features(rows [][]float64) (all []bandit.Features) {
	for _, row := range rows {
		all = append(all, row)
	}
	return all
}

// NeedsSites reports true: each site's mean has a weight of its own.
func (*LinTS) NeedsSites() bool { return true }

// vector returns the vector of an arm of a peer.
func (l *LinTS) vector(peer, arm int) bandit.Features {
	if l.of == nil {
		return l.own[arm]
	}
	return l.of[peer][arm]
}

// Choose returns a forced arm, picked at random, if there is one; otherwise the arm with the
// greatest sampled reward, the lowest among equals. It does not compute the probability of the
// choice.
func (l *LinTS) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, l.rng); ok {
		return c
	}
	l.learn(b)
	for i := range l.z {
		l.z[i] = l.radius * l.rng.NormFloat64()
	}
	copy(l.drawn, l.theta)
	score.AddTransposed(l.drawn, l.half, l.z)
	score.Products(l.index, l.drawn, l.own)
	arg, best := -1, math.Inf(-1)
	for k, s := range l.index {
		if !t.Excludes(k) && (arg < 0 || s > best) {
			arg, best = k, s
		}
	}
	return bandit.Choice{Arm: bandit.Arm(arg), Propensity: 0}
}

// learn recomputes the estimate if its inputs have changed.
func (l *LinTS) learn(b *bandit.Belief) {
	l.scan = l.scan[:0]
	for k := range l.N {
		for _, s := range b.Sites[k] {
			l.scan = append(l.scan, seen{s.Peer, k, s.Mean, s.N, 2*s.LaplaceSumSq + s.GaussVar})
		}
	}
	if slices.Equal(l.scan, l.seen) {
		return
	}
	l.seen, l.scan = l.scan, l.seen
	l.estimate()
}

// mostRewards bounds how many rewards behind a mean count. A site cannot have more, but one that lies can say so, and a
// weight of 2^56 would drown the prior in rounding.
const mostRewards = 1 << 40

// weight returns the inverse of the greatest variance of the error.
func (s *seen) weight() float64 { return 1 / (rewardVar/min(s.n, mostRewards) + s.noise) }

// estimate computes θ̂ and W from what was seen.
func (l *LinTS) estimate() {
	p, u := l.half, l.drawn
	clear(p)
	clear(u)
	for i := range l.d {
		p.Row(i)[i] = float64(l.d)
	}
	for i := range l.seen {
		s := &l.seen[i]
		x, w := l.vector(s.peer, s.arm), s.weight()
		addSquare(p, x, w)
		for j, v := range x {
			u[j] += float64(w * s.mean * v)
		}
	}
	if !p.Cholesky(l.d) {
		panic("learner: a matrix above d·I has no factor")
	}
	p.Invert(l.d)
	clear(l.theta)
	score.AddTransposed(l.theta, p, score.Apply(l.z, p, u))
}

// addSquare adds w·x xᵀ to a symmetric matrix.
func addSquare(m score.Triangle, x []float64, w float64) {
	for i, v := range x {
		row := m.Row(i)
		for j := range row {
			row[j] += float64(w * v * x[j])
		}
	}
}

// Summarize returns the estimated reward of every own arm. All estimates rest on all released
// rewards.
func (l *LinTS) Summarize(b *bandit.Belief) bandit.Summary {
	l.learn(b)
	s := bandit.Summary{Estimates: make([]float64, l.N), Samples: make([]float64, l.N), NoiseDevs: make([]float64, l.N)}
	score.Products(s.Estimates, l.theta, l.own)
	noise, total := l.spare, 0. // of Σ w m x
	clear(noise)
	for i := range l.seen {
		o := &l.seen[i]
		w := o.weight()
		addSquare(noise, l.vector(o.peer, o.arm), w*w*o.noise)
		total += o.n
	}
	for k, x := range l.own {
		y := l.drawn // P⁻¹x
		clear(y)
		score.AddTransposed(y, l.half, score.Apply(l.z, l.half, x))
		s.Samples[k], s.NoiseDevs[k] = total, math.Sqrt(max(0, quadratic(noise, y))) // rounding can make it negative
	}
	return s
}

// Support returns the same for every own arm: all rewards that this site and others have released.
func (l *LinTS) Support(b *bandit.Belief) bandit.Support {
	own, borrowed := 0., 0.
	others := map[int]bool{}
	for k := range b.Sites {
		for i := range b.Sites[k] {
			switch s := &b.Sites[k][i]; s.Peer {
			case l.self:
				own += s.Released
			default:
				borrowed += s.Released
				others[s.Peer] = true
			}
		}
	}
	return bandit.Support{Own: slices.Repeat([]float64{own}, l.N), Borrowed: slices.Repeat([]float64{borrowed}, l.N), Sites: slices.Repeat([]int{len(others)}, l.N)}
}

// quadratic returns yᵀMy.
func quadratic(m score.Triangle, y []float64) (sum float64) {
	for i, v := range y {
		for j, r := range m.Row(i) {
			if j < i {
				r *= 2
			}
			sum += v * r * y[j]
		}
	}
	return sum
}
