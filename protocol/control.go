package protocol

// Presence returns the announcement that a peer is there.
func Presence(self Peer, incarnation uint32) Message {
	return Message{&message{kind: kindPresence, label: Label{Origin: self, Incarnation: incarnation}}}
}

// IsPresence reports whether m announces a peer.
func (m Message) IsPresence() bool { return m.kind == kindPresence }

// Mark ends round t of lockstep: each of the peers is told how many messages of
// the round were addressed to it.
func (o *Outbox) Mark(self Peer, t Round, peers []Peer) {
	n := len(o.envelopes)
	for _, p := range peers {
		messages := uint64(0)
		for _, e := range o.envelopes[:n] {
			if e.To == p {
				messages++
			}
		}
		o.send(p, Message{&message{kind: kindMark, label: Label{Origin: self, Seq: messages}, round: t}})
	}
}

// IsMark reports whether m ends a round, and then of how many messages.
func (m Message) IsMark() (messages uint64, ok bool) {
	return m.label.Seq, m.kind == kindMark
}
