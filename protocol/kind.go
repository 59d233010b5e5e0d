package protocol

// The kinds that belong to no protocol. Their numbers are part of the wire format, as those
// of protocols are, which stand in their files; deliveries of one round are taken in by
// ascending kind, so that an exchange's answers come before new exchanges.
const (
	kindRoundEnd Kind = 1 // a round's messages on a link are complete
	kindPresence Kind = 2 // a peer is there

	maxKind Kind = 127
)

// FirstFree is the first kind that no protocol of this module has, nor will have. Those from it to
// 127 are for protocols of other modules; peers of one network agree on what they mean.
const FirstFree = 96
