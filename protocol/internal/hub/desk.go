package hub

import (
	"slices"

	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// A Desk is what a hub has of the peers that report to it.
type Desk struct {
	Newest   []protocol.Message // reports, by origin; empty before the first
	Held     []protocol.Label   // of the newest answer that a peer has, as it reports
	Reported []bool             // peers that wait for the next answer
	Began    protocol.Round     // when the first of them reported
}

// NewDesk returns the desk of a hub of a number of peers, without reports.
func NewDesk(peers int) Desk {
	return Desk{
		Newest: slices.Repeat([]protocol.Message{protocol.NoMessage()}, peers), Held: make([]protocol.Label, peers), Reported: make([]bool, peers),
	}
}

// Take stores a report, whose first reference is the answer that its origin holds, unless it is older than the present one.
func (d *Desk) Take(m protocol.Message, now protocol.Round) {
	i, held := m.Label().Origin, m.Ref(0)
	if old := &d.Newest[i]; old.Kind() != 0 && (protocol.Newer(old.Label(), m.Label()) || old.Label() == m.Label() && d.Held[i].Seq > held.Seq) {
		return
	}
	if !d.Begun() {
		d.Began = now
	}
	d.Newest[i], d.Held[i], d.Reported[i] = m, held, true
}

// Begun reports whether a peer waits for an answer.
func (d *Desk) Begun() bool { return slices.Contains(d.Reported, true) }

// Visit visits the newest report of every peer, and what else there is of the peer. A load keeps the reports that are good.
func (d *Desk) Visit(v *state.Visitor, rest func(peer int), good func(m *protocol.Message) bool) {
	n := v.Len(len(d.Newest))
	if n > len(d.Newest) { // new peers are at the end of a network
		v.Fail("reports of %d peers, want %d", n, len(d.Newest))
		n = 0
	}
	for i := range n {
		m := d.Newest[i]
		spread.VisitMessage(v, &m)
		rest(i)
		if !v.Loading() || m.Kind() == 0 {
			continue
		}
		if int64(m.Label().Origin) != int64(i) || m.Refs() == 0 {
			v.Fail("report %d is not of peer %d", i, i)
			break
		}
		if good(&m) {
			d.Newest[i] = m
		}
	}
}
