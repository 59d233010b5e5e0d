package sim

import (
	"peerd.dev/protocol"
)

// mail holds the messages in transit: for every peer a ring of boxes, one for each round.
type mail struct {
	boxes [][][]protocol.Delivery // by rounds from now, by peer
	spare [][]protocol.Delivery   // of the present round
}

func newMail(peers, rounds int) *mail {
	m := &mail{boxes: make([][][]protocol.Delivery, rounds+1), spare: make([][]protocol.Delivery, peers)}
	for i := range m.boxes {
		m.boxes[i] = make([][]protocol.Delivery, peers)
	}
	return m
}

// put delivers d to a peer late rounds after the start of the next one.
func (m *mail) put(to, late int, d protocol.Delivery) {
	m.boxes[late][to] = append(m.boxes[late][to], d)
}

// take returns what a peer receives in this round. It is valid until turn.
func (m *mail) take(i int) []protocol.Delivery { return m.spare[i] }

// turn begins the next round.
func (m *mail) turn() {
	old := m.spare
	m.spare = m.boxes[0]
	copy(m.boxes, m.boxes[1:])
	for i := range old {
		old[i] = old[i][:0]
	}
	m.boxes[len(m.boxes)-1] = old
}
