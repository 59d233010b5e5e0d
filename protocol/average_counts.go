package protocol

import "peerd.dev/dp"

// countsMessage returns the counts as they are in round t.
func (a *average) countsMessage(t Round) Message {
	a.newest ^= 1
	m := &a.reused[a.newest]
	if !a.c.Reuse {
		m = new(message)
	}
	if m.body == nil {
		m.kind, m.label = averageCounts, Label{Origin: a.c.Self, Incarnation: a.c.Incarnation}
		m.body = make([]dp.Release, 1)
	}
	a.counts.ReleaseTo(&m.body[0])
	m.label.Seq, m.frame = uint64(t), ""
	return Message{m}
}
