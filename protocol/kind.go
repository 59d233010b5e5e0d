package protocol

// The kinds that belong to no protocol. All kinds are part of the wire format; a protocol's kinds
// are in its own files. Deliveries of one round are processed by ascending kind, so that answers
// come before new exchanges.
const (
	kindRoundEnd Kind = 1 // all messages of a round on a link have been sent
	kindPresence Kind = 2 // a peer is running

	maxKind Kind = 127
)

// FirstFree is the first kind for protocols of other modules; no protocol of this module uses kinds
// from it to 127. Peers of one network agree on their meaning.
const FirstFree = 96
