package protocol

// Presence returns the announcement of a running peer.
func Presence(self Peer, incarnation uint32) Message {
	return Message{&message{kind: kindPresence, label: Label{Origin: self, Incarnation: incarnation}}}
}

// IsPresence reports whether m announces a peer.
func (m Message) IsPresence() bool { return m.kind == kindPresence }

// EndRound ends round t of lockstep: it sends each of the peers the number of messages
// that were addressed to it in the round.
func (o *Outbox) EndRound(self Peer, t Round, peers []Peer) {
	n := len(o.envelopes)
	for _, p := range peers {
		messages := uint64(0)
		for _, e := range o.envelopes[:n] {
			if e.To == p {
				messages++
			}
		}
		o.Send(p, Message{&message{kind: kindRoundEnd, label: Label{Origin: self, Seq: messages}, round: t}})
	}
}

// IsRoundEnd reports whether m ends a round, and the number of messages that it names.
func (m Message) IsRoundEnd() (messages uint64, ok bool) {
	return m.label.Seq, m.kind == kindRoundEnd
}
