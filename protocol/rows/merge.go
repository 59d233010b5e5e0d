package rows

import (
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Merge is the name of the way in which the rows of all origins become one estimate.
type Merge string

// The ways to merge.
const (
	// MergeMean takes the mean over origins of every arm's sample mean.
	MergeMean Merge = "mean"
	// MergeTrimmed leaves out the F greatest and the F least means, and likewise for pulls and
	// noise.
	MergeTrimmed Merge = "trimmed"
)

// sample is one origin's sample mean of one arm.
type sample struct {
	mean, n  float64
	released float64 // of n; the others are under way
	noise    dp.NoiseMoments
	peer     protocol.Peer
}

// merger computes a belief from the sample means of the origins.
type merger struct {
	silence
	by      Merge
	f       int
	self    protocol.Peer
	peers   int
	arms    int
	member  func(protocol.Peer) bool
	sample  func(p protocol.Peer, k int) (sample, bool) // returns the sample of an origin and an arm, if there is one
	samples []sample                                    // scratch of merge
	column  []float64                                   // scratch of trimmed
}

func newMerger(c protocol.Config, by Merge, f int, of func(protocol.Peer, int) (sample, bool)) (merger, error) {
	switch {
	case by != MergeMean && by != MergeTrimmed:
		return merger{}, fmt.Errorf("merge %q, want mean or trimmed", by)
	case by == MergeTrimmed && f < 1:
		return merger{}, fmt.Errorf("f is %d, want at least 1 with merge trimmed", f)
	}
	return merger{silence: newSilence(c.Peers()), by: by, f: f, self: c.Self, peers: c.Peers(), arms: c.Parts, member: c.Member, sample: of}, nil
}

// merge makes one estimate of part k of a belief.
func (r *merger) merge(b *belief.Belief, k int) {
	r.samples = r.samples[:0]
	for i := range r.peers {
		if c, ok := r.sample(protocol.Peer(i), k); ok && r.counts(protocol.Peer(i)) {
			c.peer = protocol.Peer(i)
			r.samples = append(r.samples, c)
		}
	}
	f := 0
	if r.by == MergeTrimmed {
		f = r.f
		if len(r.samples) <= 2*f { // too few to identify liars: use the own sample only
			f, r.samples = 0, r.samples[:0]
			if c, ok := r.sample(r.self, k); ok {
				r.samples = append(r.samples, c)
			}
		}
	}
	b.X[k], b.SampleVar[k], b.Sites[k] = 0, spread.Inf, b.Sites[k][:0]
	spread.SetNoise(&b.Means, k, dp.NoiseMoments{})
	if len(r.samples) == 0 {
		return
	}
	if f == 0 {
		for _, c := range r.samples {
			b.Sites[k] = append(b.Sites[k], belief.Site{Peer: int(c.peer), Mean: c.mean, N: c.n, Released: c.released, LaplaceSumSq: c.noise.LaplaceSumSq, LaplaceMax: c.noise.LaplaceMax, GaussVar: c.noise.GaussVar})
		}
	}
	m := float64(len(r.samples) - 2*f)
	b.X[k], _ = r.trimmed(f, func(c *sample) float64 { return c.mean })
	v, _ := r.trimmed(f, func(c *sample) float64 { return 1 / c.n })
	sumSq, _ := r.trimmed(f, func(c *sample) float64 { return c.noise.LaplaceSumSq })
	_, most := r.trimmed(f, func(c *sample) float64 { return c.noise.LaplaceMax })
	g, _ := r.trimmed(f, func(c *sample) float64 { return c.noise.GaussVar })
	b.SampleVar[k] = v / m
	spread.SetNoise(&b.Means, k, dp.NoiseMoments{LaplaceSumSq: sumSq / m, LaplaceMax: most / m, GaussVar: g / m})
}

// counts reports whether the rows of an origin count: it takes part in the network, and has not left the estimates.
func (r *merger) counts(origin protocol.Peer) bool { return r.member(origin) && !r.gone[origin] }

// replaceable reports whether this peer's rows say better what the rows of a silent origin say: these hold under an
// eighth as many rewards, and the means differ by no more than errors explain. The sum over arms of squared
// differences over their variances is compared with a quantile of the chi-squared distribution, about .999, in the
// approximation of Wilson and Hilferty (1931).
func (r *merger) replaceable(origin protocol.Peer) bool {
	const deviations = 3 // of a normal variable
	theirs, own, off, arms := 0., 0., 0., 0.
	for k := range r.arms {
		a, known := r.sample(origin, k)
		b, ours := r.sample(r.self, k)
		if known {
			theirs += a.n
		}
		if ours {
			own += b.n
		}
		if known && ours {
			off += (a.mean - b.mean) * (a.mean - b.mean) / (a.variance() + b.variance())
			arms++
		}
	}
	if theirs == 0 || patience*theirs >= own {
		return false
	}
	spread := 2 / (9 * max(1, arms))
	return off <= arms*math.Pow(1-spread+deviations*math.Sqrt(spread), 3)
}

// variance returns the greatest variance of a mean of rewards from 0 to 1, with its noise.
func (s *sample) variance() float64 { return 1/(4*s.n) + s.noise.Variance() }

// trimmed returns the mean of one number of the samples, without the f greatest and the f least,
// and the greatest that remains. Each number is trimmed separately: otherwise a liar with a mean in
// the middle could claim one pull, or no noise, and so set the uncertainty of all peers.
func (r *merger) trimmed(f int, of func(c *sample) float64) (mean, most float64) {
	r.column = r.column[:0]
	for i := range r.samples {
		r.column = append(r.column, of(&r.samples[i]))
	}
	kept := r.column
	if f > 0 {
		slices.Sort(kept)
		kept = kept[f : len(kept)-f]
	}
	for _, x := range kept {
		mean += x / float64(len(kept))
		most = max(most, x)
	}
	return mean, most
}
