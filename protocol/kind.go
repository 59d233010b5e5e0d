package protocol

// The kinds that belong to no protocol. All kinds are part of the wire format; a protocol's kinds
// are in its own files. Deliveries of one round are processed by ascending kind, so that answers
// come before new exchanges.
//
// Every protocol has a range of its own, which nothing else may use, since old folders and peers of other builds hold
// messages by number:
//
//	1 to 2: no protocol
//	16 to 19: average
//	24 to 26: shuffle
//	32 to 34: rows
//	40 to 42: phases
//	48 to 50: gis
//	56 to 58: local
//	64 to 64: consensus
//	72 to 73: coordinator
//	80 to 82: sink
//	88 to 92: batch
//
// All others below [FirstFree] are free for one more protocol of this module. Begin at a multiple of 8.
const (
	kindRoundEnd Kind = 1 // all messages of a round on a link have been sent
	kindPresence Kind = 2 // a peer is running

	maxKind Kind = 127
)

// FirstFree is the first kind for protocols of other modules; no protocol of this module uses kinds
// from it to 127. Peers of one network agree on their meaning.
const FirstFree = 96
