package averaging

import (
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Released processes the new sum of an arm. An arm with more pulls than the budget pays for falls
// silent by itself: the others have streams and leaves of their own, and the number of pulls is
// public.
func (a *average) Released(own []protocol.Own, _ *protocol.Outbox) error {
	for i := range own {
		if err := a.own(&own[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *average) own(o *protocol.Own) error {
	b, arm := &a.belief, int(o.Stream)
	if o.Over {
		a.silent[arm] = true
		b.SampleVar[arm] = spread.Inf
		if n := a.ownCounts.At(arm); n > 0 {
			b.SampleVar[arm] = 1 / float64(n)
		}
		return nil
	}
	sum := &o.Leaf.Sum
	if err := a.ownCounts.Raise(arm, sum); err != nil {
		return err
	}
	noise, err := a.mixed.ReplaceByMean(arm, sum)
	if err != nil {
		return err
	}
	spread.SetNoise(&b.Means, arm, noise)
	b.SampleVar[arm] = 1 / float64(max(sum.Count(0), b.Pulls[arm]))
	b.X[arm] = a.mixed.At(arm)
	return nil
}

// Tick shares the counts and begins an exchange where a link's clock says so.
func (a *average) Tick(t protocol.Round, out *protocol.Outbox) error {
	a.round = t
	if len(a.links) > 0 {
		m := a.made.Take(averageCounts, a.label(uint64(t)), 1)
		a.counts.ReleaseTo(vouch.For(m.Release(0)))
		for i := range a.links {
			out.Send(a.links[i].peer, m)
		}
	}
	// Only now, so that this round's pull is sent with the next round's counts: one hop per round
	// (Lemma 1).
	a.counts.RaiseTo(a.ownCounts)
	a.joinByCounts()
	if a.pendingLink >= 0 && a.waited(a.pendingLink, t) {
		a.pendingLink = -1
	}
	if i := a.due(t); i >= 0 {
		a.ask(i, t, out)
	}
	a.made.Turn()
	return nil
}

// Receive processes counts, questions and answers.
func (a *average) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	i := a.link(from)
	if i < 0 {
		return m.Refuse("from peer %d, who is no neighbour", from)
	}
	if m.Label().Origin != from {
		return m.Refuse("forwarded by peer %d", from)
	}
	switch m.Kind() {
	case averageCounts:
		return a.claim(i, &m)
	case averageAsk:
		return a.answer(i, &m, out)
	case averageDelta, averageBusy:
		return a.settle(i, &m)
	default:
		return m.Refuse("unknown to protocol average")
	}
}
