package protocol

import "peerd.dev/dp"

// countsMessage returns the counts as they are in round t.
func (a *average) countsMessage(t Round) Message {
	label := Label{Origin: a.c.Self, Incarnation: a.c.Incarnation, Seq: uint64(t)}
	if !a.c.Reuse {
		return Message{&message{kind: averageCounts, label: label, body: a.body(a.counts.Release())}}
	}
	a.newest ^= 1
	m := &a.reused[a.newest]
	if m.body == nil {
		m.body = make([]dp.Release, 1)
	}
	a.counts.ReleaseTo(&m.body[0])
	*m = message{kind: averageCounts, label: label, body: m.body}
	return Message{m}
}
