package averaging

import (
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// ask sends link i a question: a new one, or the open one again.
func (a *average) ask(i int, t protocol.Round, out *protocol.Outbox) {
	l := &a.links[i]
	l.sent = t
	if !l.open {
		l.seq++
		l.open = true
		a.pendingLink = i // a repeat blocks no exchange: the neighbour may never come back
	}
	m := a.made.Take(averageAsk, a.label(l.seq), 2)
	a.mixed.ReleaseTo(vouch.For(m.Release(0)))
	a.ownCounts.ReleaseTo(vouch.For(m.Release(1)))
	out.Send(l.peer, m)
}

// answer decides a question once and returns the same answer to its copies.
func (a *average) answer(i int, m *protocol.Message, out *protocol.Outbox) error {
	l := &a.links[i]
	if m.Body() != 2 || m.Release(1).Counts() != a.c.Parts {
		return m.Refuse("want an estimate and %d counts", a.c.Parts)
	}
	if l.answer != 0 && !protocol.Newer(m.Label(), l.last) {
		if m.Label() == l.last {
			a.reply(l, out)
		}
		return nil // a copy of an older question: its answer has arrived
	}
	if a.pendingLink >= 0 {
		l.last, l.answer, l.delta = m.Label(), averageBusy, dp.Release{}
		a.reply(l, out)
		return nil
	}
	d, err := a.mixed.HalfDifference(*m.Release(0))
	if err != nil {
		return m.Refuse("%v", err)
	}
	if err := a.mixed.Add(d); err != nil {
		return m.Refuse("%v", err)
	}
	l.last, l.answer, l.delta = m.Label(), averageDelta, d
	a.reply(l, out)
	a.joinByNeighbour(*m.Release(1))
	a.refresh()
	return nil
}

func (a *average) reply(l *averageLink, out *protocol.Outbox) {
	if l.answer == averageBusy {
		out.Send(l.peer, a.made.Take(averageBusy, a.label(l.last.Seq), 0, l.last))
		return
	}
	m := a.made.Take(l.answer, a.label(l.last.Seq), 2, l.last)
	l.delta.CopyTo(vouch.For(m.Release(0)))
	a.ownCounts.ReleaseTo(vouch.For(m.Release(1)))
	out.Send(l.peer, m)
}

// settle processes the answer to the open question of link i.
func (a *average) settle(i int, m *protocol.Message) error {
	l := &a.links[i]
	if m.Refs() != 1 {
		return m.Refuse("answers no question")
	}
	q := m.Ref(0)
	if !l.open || q != (protocol.Label{Origin: a.c.Self, Incarnation: a.c.Incarnation, Seq: l.seq}) {
		return nil // answered before
	}
	if m.Kind() == averageDelta {
		if m.Body() != 2 || m.Release(1).Counts() != a.c.Parts {
			return m.Refuse("want a difference and %d counts", a.c.Parts)
		}
		if err := a.mixed.Sub(*m.Release(0)); err != nil {
			return m.Refuse("%v", err)
		}
		a.joinByNeighbour(*m.Release(1))
		a.refresh()
		l.next += a.gap()
		if old := a.round - min(a.round, protocol.Round(a.p.Patience)); l.next < old {
			l.next = old // a peer does not repeat all exchanges that it missed in an absence
		}
	}
	l.open = false
	a.declined = m.Kind() == averageBusy
	if a.pendingLink == i {
		a.pendingLink = -1
	}
	return nil
}
