package protocol

import (
	"slices"

	"peerd.dev/dp"
)

// sample is one origin's sample mean of one arm.
type sample struct {
	mean, n float64
	noise   dp.NoiseMoments
}

// merge makes one estimate of part k of what the newest rows say.
func (r *rows) merge(k int) {
	r.samples = r.samples[:0]
	for i := range r.newest {
		if c, ok := r.sample(Peer(i), k); ok {
			r.samples = append(r.samples, c)
		}
	}
	f := 0
	if r.p.Merge == MergeTrimmed {
		f = r.p.F
		if len(r.samples) <= 2*f { // too few to tell liars apart: trust nobody but oneself
			f, r.samples = 0, r.samples[:0]
			if c, ok := r.sample(r.c.Self, k); ok {
				r.samples = append(r.samples, c)
			}
		}
	}
	b := &r.belief
	b.X[k], b.SampleVar[k] = 0, inf
	setNoise(b, k, dp.NoiseMoments{})
	if len(r.samples) == 0 {
		return
	}
	m := float64(len(r.samples) - 2*f)
	b.X[k], _ = r.trimmed(f, func(c *sample) float64 { return c.mean })
	v, _ := r.trimmed(f, func(c *sample) float64 { return 1 / c.n })
	sumSq, _ := r.trimmed(f, func(c *sample) float64 { return c.noise.LaplaceSumSq })
	_, most := r.trimmed(f, func(c *sample) float64 { return c.noise.LaplaceMax })
	g, _ := r.trimmed(f, func(c *sample) float64 { return c.noise.GaussVar })
	b.SampleVar[k] = v / m
	setNoise(b, k, dp.NoiseMoments{LaplaceSumSq: sumSq / m, LaplaceMax: most / m, GaussVar: g / m})
}

// trimmed returns the mean of what the samples say of one thing, without the f
// greatest and the f least, and the greatest that is left. Each thing is trimmed by
// itself: a liar with a mean in the middle could else claim one pull, or no noise,
// and so set how sure everybody is.
func (r *rows) trimmed(f int, of func(c *sample) float64) (mean, most float64) {
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

// sample returns what the newest row of an origin says of arm k.
func (r *rows) sample(p Peer, k int) (sample, bool) {
	if r.newest[p].kind == 0 || r.newest[p].body[0].Count(k) == 0 {
		return sample{}, false
	}
	body := &r.newest[p].body[0]
	released := float64(body.Count(k))
	n := released
	if p == r.c.Self && !r.silent {
		n = max(n, float64(r.belief.Pulls[k])) // an earlier incarnation may have pulled more
	}
	return sample{body.At(k) / released, n, body.NoiseMoments().Over(released)}, true
}
