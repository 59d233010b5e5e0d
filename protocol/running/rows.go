// Package running has protocol rows, in which every site signs its running sums by the clock, all peers get them, and each merges
// them arm by arm.
package running

import (
	"fmt"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
	"peerd.dev/protocol/rows"
)

// The messages of rows.
const (
	rowsRow    protocol.Kind = 32 // an origin's newest running sums, signed
	rowsDigest protocol.Kind = 33 // labels of the sender's newest rows; asks for newer ones
	rowsWant   protocol.Kind = 34 // the same, in answer to a digest that named newer ones
)

// Params are the parameters of protocol rows.
type Params struct {
	Every uint64     `want:"1..1073741824" unit:"rounds" fixed:"yes" doc:"Rounds between a site's rows; fewer rows carry less noise."`
	Pull  uint64     `want:"1..1000000" unit:"rounds" changes:"yes" doc:"Rounds between digests, which show rows that were missed."`
	Merge rows.Merge `want:"mean|trimmed" changes:"yes" doc:"Estimate from rows: their mean, or that without the f largest and f smallest."`
	F     int        `want:"1..1000000" unit:"peers" changes:"yes" doc:"Lying sites to withstand, with merge: trimmed."`
	// Relays are idle: they have a role and no arms.
	Relays int `want:"0..1000000" unit:"peers" fixed:"yes" doc:"How many first peers of the network file have no arms and pass rows on."`
}

// Words implements [protocol.Params].
func (p Params) Words() protocol.Words {
	return protocol.Words{
		Name: "rows", Summary: "every site's newest noised sums, signed, spread to all and merged locally",
		When:   "when it must stay hidden that a user was there (`privacy.counts: noised`), or when peers without arms relay between the sites",
		Public: "how many rewards of every action each row holds",
		Mixed:  p.Merge.Mixed(),
	}
}

// Traits implements [protocol.Traited].
func (p Params) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{rowsRow: "row", rowsDigest: "digest", rowsWant: "want"}, Leaf: "every", NoisedCounts: true, Sites: p.Merge == rows.MergeMean}
}

// Recommend implements [protocol.Recommended]: by the clock, sums of few rewards are released too.
func (p Params) Recommend(r protocol.Recommendation) protocol.Recommendation {
	if p.Merge == rows.MergeTrimmed {
		r.Learner = "thompson"
	}
	return r
}

// Cadence implements [protocol.Params].
func (p Params) Cadence() protocol.Cadence { return protocol.Cadence{Rounds: p.Every, Noun: "row"} }

// Check implements [protocol.Checked].
func (p Params) Check(n protocol.Net) (field, want string) {
	switch {
	case n.Horizon > 0 && p.Every > n.Horizon:
		return "every", "at most privacy.horizon, or no row is ever sent"
	case n.Peers > 0 && p.Relays >= n.Peers:
		return "relays", fmt.Sprintf("fewer than the %d peers, so that some have arms", n.Peers)
	}
	if want = p.Merge.Check(p.F, n.Peers-p.Relays); want != "" {
		return "f", want
	}
	return "", ""
}

// Among implements [protocol.Resized].
func (p Params) Among(int) protocol.Params {
	p.Relays = 0
	return p
}

// Idle reports whether a peer is a relay.
func (p Params) Idle(self protocol.Peer) bool { return int64(self) < int64(p.Relays) }

// Small implements [protocol.Shrinking].
func (p Params) Small(leaf uint64) protocol.Params {
	p.Every, p.Pull = leaf, min(p.Pull, leaf+1)
	return p
}

// sums spreads every site's own running sums. A row contains an origin's newest sums of all arms
// with their counts; see [digests]. A site releases one every Every rounds, with or without
// records. Every peer merges the newest row of each origin locally, so peers with the same rows
// have the same state.
//
// Between two rows a peer learns nothing new of its own and would always choose the same arm. So
// that its choices go to different arms, the SampleVar of an own mean counts all choices so far.
// Those without a released reward count as if they had paid the known mean (Desautels, Krause and
// Burdick 2014); the release of their rewards corrects it. The noise is the released sum's. With
// noised counts the number of choices is hidden, so one choice per round is counted, made or not.
// Beyond the horizon there are no more rows, and only released pulls count.
type sums struct {
	rows.Merging
	digests
	p      Params
	silent bool     // the horizon is reached
	rowed  []uint64 // with noised counts: choices before the newest own row, by arm
}

// New implements [protocol.Params].
func (p Params) New(c protocol.Config) (protocol.Protocol, error) {
	r := &sums{p: p, rowed: make([]uint64, c.Parts)}
	r.digests = newDigests(c, rowsRow, p.Pull, r.check)
	r.Open(c, p.Merge, p.F, &r.Flood, &r.digests, r.sample, func(k int) { r.Merge(&r.Known, k) }, r.fields)
	return r, nil
}

// Chosen counts the pull.
func (r *sums) Chosen(arm int) {
	r.Known.Pulls[arm]++
	r.Stale[arm] = true
}

// Tick lets go of silent origins, and sends digests.
func (r *sums) Tick(t protocol.Round, out *protocol.Outbox) error {
	r.Depart(t, 0)
	return r.Body.Tick(t, out)
}

// Released sends the sums of all arms as a row.
func (r *sums) Released(own []protocol.Own, out *protocol.Outbox) error {
	r.Renew()
	sums := make([]dp.Release, len(own))
	for k := range own {
		if own[k].Over {
			r.silent = true
			return nil
		}
		sums[k] = own[k].Leaf.Sum
	}
	row, err := dp.Concat(sums)
	if err != nil {
		return err
	}
	copy(r.rowed, r.Known.Pulls)
	r.Pass(r.Sign(own[0].Number, 0, []dp.Release{row}), r.C.Self, out)
	return nil
}

// check refuses a message that is not a valid row of its origin.
func (r *sums) check(m *protocol.Message) error {
	values, counts := r.C.Parts, r.C.Parts
	if r.C.NoisedCounts {
		values, counts = 2*r.C.Parts, 0
	}
	if m.Body() != 1 || m.Release(0).Len() != values || m.Release(0).Counts() != counts {
		return m.Refuse("want one release of %d values and %d counts", values, counts)
	}
	if r.p.Idle(m.Label().Origin) {
		return m.Refuse("a relay has no rewards, so no row is its own")
	}
	return spread.Plausible(&r.C.Charge, m, m.Release(0))
}

// sample returns the sample of arm k in the newest row of an origin.
func (r *sums) sample(p protocol.Peer, k int) (belief.Site, bool) {
	if r.Newest[p].Kind() == 0 {
		return belief.Site{}, false
	}
	body := r.Newest[p].Release(0)
	if r.C.NoisedCounts {
		s, ok := countedSample(p, body, k)
		if p == r.C.Self && !r.silent {
			s.N += float64(r.Known.Pulls[k] - r.rowed[k])
		}
		return s, ok
	}
	if body.Count(k) == 0 {
		return belief.Site{}, false
	}
	released := float64(body.Count(k))
	n := released
	if p == r.C.Self && !r.silent {
		n = max(n, float64(r.Known.Pulls[k])) // an earlier life may have pulled more
	}
	return rows.Site(p, body.At(k)/released, n, released, body.NoiseMoments().Over(released)), true
}

func (r *sums) fields(v *state.Visitor) {
	r.digests.fields(v)
	v.Bool(&r.silent)
	v.Uints(r.Known.Pulls)
	if r.C.NoisedCounts {
		v.Uints(r.rowed)
	}
	r.Silence(v)
}
