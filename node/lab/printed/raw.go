package printed

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/bandit/gram"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// Raw says what follows from a peer's records as they are, where papers print that and the product takes
// releases. It protects no user whose record is replaced; see docs/proofs/linear.md and docs/lab/proofs/local.md.
// The zero Raw is nothing.
type Raw struct {
	// Choices depend on the records of the open batch, as in Algorithm 1 of Zhou and Chowdhury (2024).
	Choices bool `want:"true|false" default:"false" shared:"yes" fixed:"yes" later:"yes" doc:"Choices follow from raw records of the batch, too, as in Algorithm 1 of paper 002. Not private; for lockstep."`
	// News is how much of it in the records since the last message is worth a message, as in Algorithm 1, line 12, of
	// Dubey and Pentland (2020); with 0 every batch is. All batches are released and charged for either way.
	News float64 `want:"0 to 1000000000" default:"0" shared:"yes" fixed:"yes" later:"yes" doc:"As protocol.batch.threshold, from raw records; 0 sends every batch. Not private; for lockstep."`
}

// String returns what follows from raw records in words; empty for nothing.
func (r Raw) String() string {
	switch {
	case r.Choices && r.News > 0:
		return "choices and messages"
	case r.Choices:
		return "choices"
	case r.News > 0:
		return "messages"
	}
	return ""
}

// Wrap returns a learner and a protocol that share the raw records of a peer with streams of a spec, one for
// each part: the learner chooses from them, and the protocol keeps batches that are not worth a message.
func (r Raw) Wrap(s dp.Spec, l bandit.Learner, p protocol.Protocol) (bandit.Learner, protocol.Protocol, error) {
	if s.Streams != l.Statistic().Parts {
		return nil, nil, fmt.Errorf("printed: raw records of %d parts in %d streams, want as many", l.Statistic().Parts, s.Streams)
	}
	rounding, err := newRounding(s)
	if err != nil {
		return nil, nil, err
	}
	width := l.Statistic().Width()
	x := &rawRecords{of: r, rounding: rounding, parts: make([]rawPart, s.Streams)}
	for k := range x.parts {
		x.parts[k] = rawPart{open: make([]float64, width), unsent: make([]float64, width), known: make([]float64, width)}
	}
	return &rawLearner{l, x}, &rawProtocol{p, x}, nil
}

// rawRecords are a peer's records that are not released or not sent. Its learner has them in its saved state.
type rawRecords struct {
	of       Raw
	rounding *rounding
	parts    []rawPart
	seen     bandit.Belief // scratch: with the open records
	all      []float64     // scratch
}

// rawPart is the raw records of a part.
type rawPart struct {
	open    []float64 // sums of the open leaf
	records uint64    // in it

	unsent []float64 // sums of closed leaves since the last message
	late   uint64    // records in them
	known  []float64 // the belief after the last message; 0 before the first
	noise  float64   // variance of the noise in each number of known
}

// added returns a belief of sums with the records of the open leaves, if choices depend on them.
func (r *rawRecords) added(b *bandit.Belief) *bandit.Belief {
	if !r.of.Choices {
		return b
	}
	x, variance := append(r.seen.X[:0], b.X...), append(r.seen.SampleVar[:0], b.SampleVar...)
	r.seen = *b
	r.seen.X, r.seen.SampleVar = x, variance
	for k, p := range r.parts {
		if p.records == 0 {
			continue
		}
		for i, sum := range p.open {
			x[k*len(p.open)+i] += sum
		}
		variance[k] = 1 / (1/variance[k] + float64(p.records))
	}
	return &r.seen
}

// close moves the records of a leaf that has closed to the unsent ones, and reports whether these are not worth
// a message yet: whether what they add to the log-determinant of what was known after the last message, times
// their number, is below News. After the horizon records stay open for ever.
func (r *rawRecords) close(own *protocol.Own) (early bool) {
	p := &r.parts[own.Stream]
	if r.of.News > 0 {
		p.late += p.records
		r.all = append(r.all[:0], p.known...)
		for i, x := range p.open {
			p.unsent[i] += x
			r.all[i] += p.unsent[i]
		}
		growth, linear := gram.Growth(r.all, p.known, p.noise)
		early = linear && float64(p.late)*growth < r.of.News
	}
	if !own.Over {
		clear(p.open)
		p.records = 0
	}
	return early
}

// sent records that a message has left, after which the belief is b.
func (r *rawRecords) sent(part dp.StreamID, b *bandit.Belief) {
	p := &r.parts[part]
	clear(p.unsent)
	copy(p.known, b.X[int(part)*len(p.known):])
	p.late, p.noise = 0, b.GaussVar[part]+2*b.LaplaceSumSq[part]
}

func (r *rawRecords) fields(v *state.Visitor) {
	for i := range r.parts {
		p := &r.parts[i]
		v.Floats(p.open)
		v.Uint(&p.records)
		v.Floats(p.unsent)
		v.Uint(&p.late)
		v.Floats(p.known)
		v.Float(&p.noise)
	}
}

// rawLearner is a learner that keeps the records of its peer.
type rawLearner struct {
	bandit.Learner
	raw *rawRecords
}

// Update implements [bandit.Learner]. A record that the curator will refuse is none.
func (l *rawLearner) Update(p bandit.Pull, x []float64) []float64 {
	all := l.Learner.Update(p, x)
	part := &l.raw.parts[l.Part(p.Arm)]
	if record, err := l.raw.rounding.round(all[len(x):]); err == nil {
		for i := range part.open {
			part.open[i] += record[i]
		}
		part.records++
	}
	return all
}

// Choose implements [bandit.Learner].
func (l *rawLearner) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	return l.Learner.Choose(l.raw.added(b), t)
}

// Renew implements [bandit.Renewer] for a learner that does.
func (l *rawLearner) Renew(b *bandit.Belief) {
	if r, ok := l.Learner.(bandit.Renewer); ok {
		r.Renew(l.raw.added(b))
	}
}

// Chances implements [bandit.Sampler] for a learner that does; with others all are 0.
func (l *rawLearner) Chances(p []float64, b *bandit.Belief, t bandit.Turn, own bandit.Arm, samples int, rng *rand.Rand) {
	if s, ok := l.Learner.(bandit.Sampler); ok {
		s.Chances(p, l.raw.added(b), t, own, samples, rng)
	}
}

// Radii implements [bandit.Bounder] for a learner that does, without raw records.
func (l *rawLearner) Radii(r []bandit.Radius, b *bandit.Belief, round uint64) []bandit.Radius {
	if of, ok := l.Learner.(bandit.Bounder); ok {
		r = of.Radii(r, b, round)
	}
	return r
}

// rawVersion is the version of a saved rawLearner.
const rawVersion = 1

// Save implements [bandit.Learner].
func (l *rawLearner) Save() []byte { return state.Save(rawVersion, l.fields) }

// Load implements [bandit.Learner].
func (l *rawLearner) Load(saved []byte) error { return state.Load(saved, rawVersion, l.fields) }

func (l *rawLearner) fields(v *state.Visitor) {
	v.Part(l.Learner.Save, l.Learner.Load)
	l.raw.fields(v)
}

// rawProtocol is a protocol that keeps batches which are not worth a message.
type rawProtocol struct {
	protocol.Protocol
	raw *rawRecords
}

// Released implements [protocol.Protocol].
func (p *rawProtocol) Released(own []protocol.Own, out *protocol.Outbox) error {
	own = slices.Clone(own)
	for i := range own {
		own[i].Held = p.raw.close(&own[i])
	}
	if err := p.Protocol.Released(own, out); err != nil {
		return err
	}
	for i := range own {
		if p.raw.of.News > 0 && !own[i].Held {
			p.raw.sent(own[i].Stream, p.Belief())
		}
	}
	return nil
}

// Lost implements [protocol.Dependent] for a protocol that does.
func (p *rawProtocol) Lost() (needed protocol.Peer, lost bool) {
	if d, ok := p.Protocol.(protocol.Dependent); ok {
		return d.Lost()
	}
	return 0, false
}
