package protocol

// The kinds. Their numbers are part of the wire format; deliveries of one round
// are taken in by ascending kind, so that an exchange's answers come before new
// exchanges.
const (
	kindRoundEnd Kind = 1 // a round's messages on a link are complete
	kindPresence Kind = 2 // a peer is there

	averageDelta  Kind = 16 // what the asked peer added; the asking one subtracts it; and its pull counts
	averageBusy   Kind = 17 // the asked peer declines
	averageAsk    Kind = 18 // an exchange begins; brings what the asking peer has, and its pull counts
	averageCounts Kind = 19 // pull counts, every round

	rowsRow    Kind = 32 // an origin's newest running sums, signed
	rowsDigest Kind = 33 // the newest rows that the sender holds; asks for newer ones
	rowsWant   Kind = 34 // the same, in answer to a digest that named newer ones

	maxKind Kind = 127
)
