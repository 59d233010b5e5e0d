package protocol

// The kinds that belong to no protocol. Their numbers are part of the wire format, as those
// of protocols are, which stand in their files; deliveries of one round are taken in by
// ascending kind, so that an exchange's answers come before new exchanges.
const (
	kindRoundEnd Kind = 1 // a round's messages on a link are complete
	kindPresence Kind = 2 // a peer is there

	maxKind Kind = 127
)
