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

// Lost implements [protocol.Dependent]. The hub waits for a deadline for each level.
func (x *pooling) Lost() (needed protocol.Peer, lost bool) {
	return x.hub.Root(), x.hub.Reached() && x.alone()
}

// alone reports whether this peer cannot expect an answer.
func (x *pooling) alone() bool {
	return !x.hub.Reached() || x.site.Lasts(x.round, uint64(1+x.levels)*x.deadline)
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

// isDue reports whether it is time for a report. With schedule doubling it is sent early enough for
// the answer to arrive in time.
func (x *pooling) isDue() bool {
	s := &x.site
	if x.byEpoch {
		return s.explored
	}
	for k := range s.sums {
		if s.sums[k].Empty() && !s.over[k] {
			return false
		}
	}
	return (s.bound || x.number() == 0) && x.round+protocol.Round(2*x.hub.Links()-1) >= s.due
}

// ask requests the means after the newest of this peer.
func (x *pooling) ask(out *protocol.Outbox) {
	out.Send(x.hub.Next(), x.request(x.ofReport, x.site.leaves, nil))
}

// request returns a message of a kind and number that requests the means after the newest of this
// peer. It can name peers.
func (x *pooling) request(kind protocol.Kind, seq uint64, body []dp.Release, peers ...protocol.Label) protocol.Message {
	return x.c.Press.Signed(protocol.Content{
		Kind: kind, Label: protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: seq},
		Refs: append([]protocol.Label{{Origin: x.hub.Root(), Seq: x.number()}}, peers...), Body: body,
	})
}
