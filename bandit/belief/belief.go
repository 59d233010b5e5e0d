// Package belief is what a protocol passes to a learner: floats about the parts of a statistic,
// computed only from releases and public counts. Nothing turns them back into a release. Neither
// side sees the other's types: learners do not know peers and noise mechanisms, protocols do not
// know arms and rewards.
package belief

import (
	"math"
	"slices"
)

// Means are what is known of every part of a statistic. Slices have an entry per part; X has Dim
// entries per part.
type Means struct {
	// X has the estimate of every part, one after another: the mean of its updates, or their sum
	// over all peers if the statistic is linear.
	X []float64
	// SampleVar is Σ a²/n over the sample means of n updates that are averaged with weights a:
	// the variance of a part's mean if a single update has variance 1. Its inverse is the number
	// of updates on which the part rests, as if all were one site's. It is +Inf if nothing is
	// known.
	SampleVar []float64
	// The noise in X. LaplaceSumSq is Σ b² over its Laplace terms of scale b, LaplaceMax their
	// greatest b, and GaussVar the variance of its Gaussian terms.
	LaplaceSumSq, LaplaceMax, GaussVar []float64
}

// NewMeans returns Means of a number of parts, each of dim numbers, of which nothing is known.
func NewMeans(parts, dim int) Means {
	m := Means{
		X:            make([]float64, parts*dim),
		SampleVar:    make([]float64, parts),
		LaplaceSumSq: make([]float64, parts),
		LaplaceMax:   make([]float64, parts),
		GaussVar:     make([]float64, parts),
	}
	for k := range m.SampleVar {
		m.SampleVar[k] = math.Inf(1)
	}
	return m
}

// Known reports whether anything is known of a part.
func (m *Means) Known(part int) bool { return m.SampleVar[part] <= math.MaxFloat64 }

// NoiseDev returns the standard deviation of the noise in a part.
func (m *Means) NoiseDev(part int) float64 {
	return math.Sqrt(2*m.LaplaceSumSq[part] + m.GaussVar[part])
}

// A Belief is all that a learner may decide from. Slices except Forced and Epochs have an entry
// per part. All belong to the maker of the Belief and are valid until the next step of its peer.
//
//	field                          is filled by
//	Means                          every protocol
//	Pulls                          every protocol
//	Sites                          rows, phases, local, and batch without an analyzer
//	PerSite                        consensus, coordinator, sink
//	Ahead                          phases
//	Epoch, Epochs, Revision, Own   gis, coordinator, sink
//	Forced                         the agent, for a learner that explores in epochs
type Belief struct {
	Means
	// Sites has each site's mean and what it rests on, if X is the plain mean over sites of their
	// means, and each site's sum, if X is the sum of sums; otherwise it is empty.
	Sites [][]Site
	// PerSite is the number of updates of a part at a site, as a mean over sites; 0 if nothing is
	// known, and if the protocol does not know it.
	PerSite []float64

	Pulls  []uint64 // this peer's own choices
	Forced []int    // parts to be chosen before all others, ascending; often empty
	Ahead  []bool   // parts about which more choices of this peer reveal almost nothing, since others have far fewer

	// What a learner that explores in epochs needs; empty with other protocols.

	Epoch uint64 // newest epoch that is complete, from 1; 0 before the first
	// Epochs has what is known at the end of every complete epoch, the first one first; the last
	// of them is Means. A late release changes its own epoch and all later ones.
	Epochs   []Means
	Revision uint64    // grows with every change of Epochs
	Own      []float64 // means of what this peer's own streams have released; -Inf before the first release
}

// A Site is the mean of one peer's site, or its sum, and what it rests on: N updates, and noise with
// the moments of [Means]. Released is N without updates under way; 0 where there is a sum.
type Site struct {
	Peer                                  int
	Mean                                  float64
	Sum                                   []float64 // Dim numbers; empty where there is a mean
	N, LaplaceSumSq, LaplaceMax, GaussVar float64
	Released                              float64
}

// New returns a Belief of a number of parts, each of dim numbers, of which nothing is known.
func New(parts, dim int) Belief {
	return Belief{
		Means: NewMeans(parts, dim), Sites: make([][]Site, parts), PerSite: make([]float64, parts), Pulls: make([]uint64, parts),
		Ahead: make([]bool, parts),
	}
}

// IsAhead reports whether this peer is ahead of others in a part.
func (b *Belief) IsAhead(part int) bool { return part < len(b.Ahead) && b.Ahead[part] }

// NoiseTail returns y with P(Y > y) ≤ exp(-l) for a sum Y of independent Laplace terms with Σ b²
// = v and max b and of a Gaussian one of variance g: Chernoff's bound at s with 1/s² = b²(1 +
// 2v/b²l) + g/2l, which is the best s for g alone, and within 2 % of it for Laplace terms alone.
func NoiseTail(v, b, g, l float64) float64 {
	if b == 0 {
		return math.Sqrt(2 * g * l)
	}
	p := v / (b * b)
	if g == 0 {
		return b * (l + p*math.Log1p(l/(2*p))) * math.Sqrt(1+2*p/l)
	}
	s := 1 / math.Sqrt(b*b*(1+2*p/l)+g/(2*l))
	return (l-p*math.Log1p(-b*b*s*s))/s + g*s/2
}

// Replace sets a part of m to what it is in of, and reports whether that is a change.
func (m *Means) Replace(of *Means, part int) (changed bool) {
	dim := len(m.X) / len(m.SampleVar)
	mine, x := m.X[part*dim:][:dim], of.X[part*dim:][:dim]
	for _, pair := range [...][2]*float64{
		{&m.SampleVar[part], &of.SampleVar[part]},
		{&m.LaplaceSumSq[part], &of.LaplaceSumSq[part]},
		{&m.LaplaceMax[part], &of.LaplaceMax[part]},
		{&m.GaussVar[part], &of.GaussVar[part]},
	} {
		changed = changed || *pair[0] != *pair[1]
		*pair[0] = *pair[1]
	}
	changed = changed || !slices.Equal(mine, x)
	copy(mine, x)
	return changed
}

// Copy returns a copy of sites, in the memory of an earlier one.
func Copy(to, sites []Site) []Site {
	for i, s := range sites {
		if i == len(to) {
			to = append(to, Site{})
		}
		s.Sum = append(to[i].Sum[:0], s.Sum...)
		to[i] = s
	}
	return to[:len(sites)]
}
