package rows

import (
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

// merger computes a belief from the sample means of the origins.
type merger struct {
	silence
	by     Merge
	f      int
	self   protocol.Peer
	member func(protocol.Peer) bool
	sample func(p protocol.Peer, k int) (belief.Site, bool) // returns the sample of an origin and an arm, if there is one
	sites  [][]belief.Site                                  // by arm, of the origins that count: ascending, then new ones
	sorted []int                                            // by arm, how many sites are ascending
	fresh  []belief.Site                                    // scratch of sort
	column []float64                                        // scratch of trimmed
}

func newMerger(c protocol.Config, by Merge, f int, of func(protocol.Peer, int) (belief.Site, bool)) merger {
	return merger{silence: newSilence(c.Peers()), by: by, f: f, self: c.Self, member: c.Member, sample: of, sites: make([][]belief.Site, c.Parts), sorted: make([]int, c.Parts)}
}

// Site returns the sample of what an origin has released of an arm: n pulls, released and under way, with the mean and
// the noise of those that are released.
func Site(origin protocol.Peer, mean, n, released float64, noise dp.NoiseMoments) belief.Site {
	return belief.Site{Peer: int(origin), Mean: mean, N: n, Released: released, LaplaceSumSq: noise.LaplaceSumSq, LaplaceMax: noise.LaplaceMax, GaussVar: noise.GaussVar}
}

// place returns the index of an origin among the sites of an arm; -1 if it is not there.
func (r *merger) place(origin protocol.Peer, k int) int {
	sorted, i := r.sites[k][:r.sorted[k]], int(origin)
	if i < len(sorted) && sorted[i].Peer == i { // all up to it are there
		return i
	}
	if i, there := slices.BinarySearchFunc(sorted, int(origin), func(s belief.Site, p int) int { return s.Peer - p }); there {
		return i
	}
	for i := len(sorted); i < len(r.sites[k]); i++ {
		if r.sites[k][i].Peer == int(origin) {
			return i
		}
	}
	return -1
}

// mostFresh is how many sites may wait to be sorted. Sites are 80 bytes each, so inserting them one by one would move
// megabytes a round where a thousand sites begin.
const mostFresh = 64

// sort puts the sites of an arm in ascending order.
func (r *merger) sort(k int) {
	all, n := r.sites[k], r.sorted[k]
	if n == len(all) {
		return
	}
	r.fresh = append(r.fresh[:0], all[n:]...)
	slices.SortFunc(r.fresh, func(a, b belief.Site) int { return a.Peer - b.Peer })
	for at, i, j := len(all)-1, n-1, len(r.fresh)-1; j >= 0; at-- {
		if i >= 0 && all[i].Peer > r.fresh[j].Peer {
			all[at] = all[i]
			i--
		} else {
			all[at] = r.fresh[j]
			j--
		}
	}
	r.sorted[k] = len(all)
}

// renew takes the newest sample of an origin and an arm. Merging then visits no rows. A peer's own sample also depends
// on its choices, so Merge renews it.
func (r *merger) renew(origin protocol.Peer, k int) {
	i := r.place(origin, k)
	s, known := belief.Site{}, false
	if r.counts(origin) {
		s, known = r.sample(origin, k)
	}
	switch {
	case known && i >= 0:
		r.sites[k][i] = s
	case known:
		if n := len(r.sites[k]); n == cap(r.sites[k]) { // most of a peer's memory, so no more than all need
			r.sites[k] = append(make([]belief.Site, 0, min(max(4, 2*n), len(r.heard))), r.sites[k]...)
		}
		r.sites[k] = append(r.sites[k], s)
		if len(r.sites[k]) > r.sorted[k]+mostFresh {
			r.sort(k)
		}
	case i >= 0:
		r.sort(k)
		i = r.place(origin, k)
		r.sites[k] = slices.Delete(r.sites[k], i, i+1)
		r.sorted[k]--
	}
}

// renewOrigin takes the newest samples of all arms of an origin.
func (r *merger) renewOrigin(origin protocol.Peer) {
	for k := range r.sites {
		r.renew(origin, k)
	}
}

// renewAll takes the newest samples of all origins.
func (r *merger) renewAll() {
	for p := range r.heard {
		r.renewOrigin(protocol.Peer(p))
	}
}

// Merge makes one estimate of part k of a belief.
func (r *merger) Merge(b *belief.Belief, k int) {
	r.renew(r.self, k)
	r.sort(k)
	sites, f := r.sites[k], 0
	if r.by == MergeTrimmed {
		f = r.f
		if len(sites) <= 2*f { // too few to identify liars: use the own sample only
			f, sites = 0, sites[:0]
			if i := r.place(r.self, k); i >= 0 {
				sites = r.sites[k][i:][:1]
			}
		}
	}
	b.X[k], b.SampleVar[k], b.Sites[k] = 0, spread.Inf, nil
	spread.SetNoise(&b.Means, k, dp.NoiseMoments{})
	if len(sites) == 0 {
		return
	}
	m := float64(len(sites) - 2*f)
	var mean, v float64
	var noise dp.NoiseMoments
	if f == 0 {
		b.Sites[k] = sites
		for i := range sites {
			s := &sites[i]
			mean += s.Mean / m
			v += 1 / s.N / m
			noise.LaplaceSumSq += s.LaplaceSumSq / m
			noise.LaplaceMax = max(noise.LaplaceMax, s.LaplaceMax)
			noise.GaussVar += s.GaussVar / m
		}
	} else {
		mean, _ = r.trimmed(sites, func(s *belief.Site) float64 { return s.Mean })
		v, _ = r.trimmed(sites, func(s *belief.Site) float64 { return 1 / s.N })
		noise.LaplaceSumSq, _ = r.trimmed(sites, func(s *belief.Site) float64 { return s.LaplaceSumSq })
		_, noise.LaplaceMax = r.trimmed(sites, func(s *belief.Site) float64 { return s.LaplaceMax })
		noise.GaussVar, _ = r.trimmed(sites, func(s *belief.Site) float64 { return s.GaussVar })
	}
	b.X[k], b.SampleVar[k] = mean, v/m
	spread.SetNoise(&b.Means, k, dp.NoiseMoments{LaplaceSumSq: noise.LaplaceSumSq / m, LaplaceMax: noise.LaplaceMax / m, GaussVar: noise.GaussVar / m})
}

// counts reports whether the rows of an origin count: it takes part in the network, and has not left the estimates.
func (r *merger) counts(origin protocol.Peer) bool { return r.member(origin) && !r.gone[origin] }

// rewards returns how many rewards an origin's rows hold, or a number of at least enough if that is reached.
func (r *merger) rewards(origin protocol.Peer, enough float64) (n float64) {
	for k := range r.sites {
		if s, known := r.sample(origin, k); known {
			if n += s.N; n >= enough {
				break
			}
		}
	}
	return n
}

// replaceable reports whether this peer's rows, with a number of rewards, say better what the rows of a silent origin say:
// these hold under an eighth as many, and the means differ by no more than errors explain. The sum over arms of squared
// differences over their variances is compared with a quantile of the chi-squared distribution, about .999, in the
// approximation of Wilson and Hilferty (1931).
func (r *merger) replaceable(origin protocol.Peer, own float64) bool {
	const deviations = 3 // of a normal variable
	if theirs := r.rewards(origin, own/patience); theirs == 0 || patience*theirs >= own {
		return false
	}
	off, arms := 0., 0.
	for k := range r.sites {
		a, known := r.sample(origin, k)
		b, ours := r.sample(r.self, k)
		if known && ours {
			off += (a.Mean - b.Mean) * (a.Mean - b.Mean) / (variance(&a) + variance(&b))
			arms++
		}
	}
	spread := 2 / (9 * max(1, arms))
	return off <= arms*math.Pow(1-spread+deviations*math.Sqrt(spread), 3)
}

// variance returns the greatest variance of a mean of rewards from 0 to 1, with its noise.
func variance(s *belief.Site) float64 { return 1/(4*s.N) + (2*s.LaplaceSumSq + s.GaussVar) }

// trimmed returns the mean of one number of the samples, without the f greatest and the f least,
// and the greatest that remains. Each number is trimmed separately: otherwise a liar with a mean in
// the middle could claim one pull, or no noise, and so set the uncertainty of all peers.
func (r *merger) trimmed(sites []belief.Site, of func(*belief.Site) float64) (mean, most float64) {
	r.column = r.column[:0]
	for i := range sites {
		r.column = append(r.column, of(&sites[i]))
	}
	slices.Sort(r.column)
	kept := r.column[r.f : len(r.column)-r.f]
	for _, x := range kept {
		mean += x / float64(len(kept))
		most = max(most, x)
	}
	return mean, most
}
