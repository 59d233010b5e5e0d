package spread

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Batching returns the cadence of batches of decisions that grow, or stay as long as the first.
func Batching(first uint64, growth float64) protocol.Cadence {
	if growth == 0 {
		return protocol.Cadence{Decisions: first, Noun: "batch"}
	}
	return protocol.Cadence{First: first, Growth: growth, Noun: "batch"}
}

// Advance adds leaves to own sums, and shows the sums with leaves that have not been shown: when
// they are due and no leaf is held, or at the horizon, after which no leaf comes.
func Advance(own []protocol.Own, sums, shown []dp.Release, due func(part dp.StreamID) bool, show func(part dp.StreamID)) error {
	for i := range own {
		part := own[i].Stream
		if !own[i].Over {
			sum, err := Grown(sums[part], own[i].Leaf)
			if err != nil {
				return err
			}
			sums[part] = sum
		}
		if LeavesOf(&sums[part]) > LeavesOf(&shown[part]) && (own[i].Over || !own[i].Held && due(part)) {
			show(part)
		}
	}
	return nil
}

// Ended reports whether a batch, counted in leaves, has ended since the sum that was shown.
func Ended(batches protocol.Cadence, sum, shown *dp.Release) bool {
	before := LeavesOf(shown)
	return LeavesOf(sum)-before >= batches.Size(before)
}

// LeavesOf returns how many leaves a sum is over.
func LeavesOf(sum *dp.Release) uint64 {
	over := sum.Span()
	return over.To - over.From
}

// Grown returns the sum of all releases of a stream, from the sum before and its newest leaf: a
// running sum includes earlier leaves.
func Grown(total dp.Release, leaf *dp.Leaf) (dp.Release, error) {
	if total.Empty() || leaf.Sum.Span().From == 0 {
		return leaf.Sum, nil
	}
	return dp.Plus(total, leaf.Sum)
}
