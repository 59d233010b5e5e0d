package epochs

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// Chosen counts the pull. The first choice after an answer determines the time of the next report.
func (x *pooling) Chosen(arm int) {
	x.belief.Pulls[arm]++
	s := &x.site
	if x.byEpoch || s.bound || x.number() == 0 || x.alone() {
		return
	}
	if s.gap *= 2; arm != s.arm {
		s.arm, s.gap = arm, 1
	}
	s.bound, s.due, x.stale = true, x.round+protocol.Round(s.gap), true
}

// alone reports whether this peer cannot expect an answer.
func (x *pooling) alone() bool {
	return !x.hub.Reached() || x.waits(2*x.deadline)
}

// waits reports whether this peer has awaited an answer for a number of rounds.
func (x *pooling) waits(rounds uint64) bool {
	return x.site.waiting && x.round >= x.site.since+protocol.Round(rounds)
}

// Released processes the new sums of arms.
func (x *pooling) Released(own []protocol.Own, _ *protocol.Outbox) error {
	s := &x.site
	for i := range own {
		arm := int(own[i].Stream)
		if own[i].Over {
			s.over[arm] = true
			continue
		}
		sum, err := spread.Grown(s.sums[arm], own[i].Leaf)
		if err != nil {
			return err
		}
		s.sums[arm] = sum
		s.leaves++
		if n := sum.Count(0); n > 0 && x.byEpoch {
			x.belief.Own[arm] = sum.At(0) / float64(n)
		}
	}
	s.explored, x.stale = true, true
	return nil
}

// endAlone ends the epochs of a peer alone.
func (x *pooling) endAlone() error {
	if !x.byEpoch || !x.site.explored {
		return nil
	}
	body, err := x.pool([][]dp.Release{x.site.sums})
	if err != nil {
		return err
	}
	x.keep(x.meansOf(x.number()+1, body))
	x.site.explored = false
	return nil
}

// begins reports whether a report is to be sent now: it is due, or there was no answer for Patience
// rounds. A site that only lacks means asks for them.
func (x *pooling) begins(due bool, out *protocol.Outbox) bool {
	s := &x.site
	switch {
	case s.waiting && x.round < s.asked+protocol.Round(x.patience):
		return false
	case s.waiting:
	case due:
		s.waiting, s.since = true, x.round
	case s.late:
		s.late = false
		x.ask(nil, out)
		return false
	default:
		return false
	}
	s.asked = x.round
	return true
}

// ask sends sums, or none, towards the hub, and requests the means after the newest of this peer.
func (x *pooling) ask(body []dp.Release, out *protocol.Outbox) {
	out.Send(x.hub.Next(), x.request(x.ofReport, x.site.leaves, body))
}

// request returns a message of a kind and number that requests the means after the newest of this
// peer. It can name peers.
func (x *pooling) request(kind protocol.Kind, seq uint64, body []dp.Release, peers ...protocol.Label) protocol.Message {
	return x.c.Press.Signed(protocol.Content{
		Kind: kind, Label: protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: seq},
		Refs: append([]protocol.Label{{Origin: x.hub.Root(), Seq: x.number()}}, peers...), Body: body,
	})
}
