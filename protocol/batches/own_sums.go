package batches

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// batching returns the cadence of batches of decisions that grow, or stay as long as the first.
func batching(first uint64, growth float64) protocol.Cadence {
	if growth == 0 {
		return protocol.Cadence{Decisions: first, Noun: "batch"}
	}
	return protocol.Cadence{First: first, Growth: growth, Noun: "batch"}
}

// advance adds leaves to own sums, and shows the sums with leaves that have not been shown: when
// they are due and no leaf is held, or at the horizon, after which no leaf comes.
func advance(own []protocol.Own, sums, shown []dp.Release, due func(part dp.StreamID) bool, show func(part dp.StreamID)) error {
	for i := range own {
		part := own[i].Stream
		if !own[i].Over {
			sum, err := spread.Grown(sums[part], own[i].Leaf)
			if err != nil {
				return err
			}
			sums[part] = sum
		}
		if spread.LeavesOf(&sums[part]) > spread.LeavesOf(&shown[part]) && (own[i].Over || !own[i].Held && due(part)) {
			show(part)
		}
	}
	return nil
}

// ended reports whether a batch, counted in leaves, has ended since the sum that was shown.
func ended(batches protocol.Cadence, sum, shown *dp.Release) bool {
	before := spread.LeavesOf(shown)
	return spread.LeavesOf(sum)-before >= batches.Size(before)
}
