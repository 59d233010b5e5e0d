package protocol

import (
	"fmt"
	"math"
	"math/bits"
)

// A Cadence says when the leaves of a peer's streams close. It is data of a protocol's
// configuration, and the agent follows it. So only public values, that is, rounds, choices and
// quotas, decide when noise is drawn. At most one of Rounds, Decisions, First and Epochs is set;
// with none of them every record closes a leaf of its stream.
type Cadence struct {
	// Rounds is the length of a leaf by the clock. The leaves of all streams close at its end, with
	// or without records.
	Rounds uint64
	// Tied closes a leaf for every Rounds of the clock, for those that passed without this peer too, so that leaves of one
	// number are over the same rounds at all peers.
	Tied bool
	// Decisions is the length of a leaf in own decisions. The leaves of all streams close
	// when the last of them has its reward, or its window has ended.
	Decisions uint64
	// First and Growth are for leaves that grow, in each stream separately: the next leaf closes at
	// max(First, ⌈Growth × records in closed leaves⌉) records.
	First  uint64
	Growth float64
	// Limit is the number of rounds after which a leaf with at least one record closes, for a
	// cadence with First; 0 for no limit.
	Limit uint64
	// Window is the number of rounds, by the clock, after which leaves with a record close and
	// their lengths begin again, for a cadence with First; 0 for never.
	Window uint64
	// Epochs is the number of leaves of a learner that explores in epochs. The leaves of all parts
	// that an epoch explores close together, when it has all its records.
	Epochs uint64
	// Lanes is the number of estimators that take turns, round by round. A lane is the set of
	// streams of one estimator; 0 means 1.
	Lanes uint64
	// Noun is the word for a leaf in texts: reward, row, batch, epoch.
	Noun string
}

// Check returns an error if the fields contradict each other.
func (c Cadence) Check() error {
	set := 0
	for _, n := range []uint64{c.Rounds, c.Decisions, c.First, c.Epochs} {
		if n > 0 {
			set++
		}
	}
	switch {
	case set > 1:
		return fmt.Errorf("protocol: a cadence of %+v, want one of rounds, decisions, first and epochs", c)
	case c.First > 0 && !(c.Growth >= 0 && c.Growth <= 16):
		return fmt.Errorf("protocol: leaves grow by %v, want 0 to 16", c.Growth)
	case c.Limit > 0 && c.First == 0:
		return fmt.Errorf("protocol: leaves close after %d rounds at the latest, and do not grow", c.Limit)
	case c.Window > 0 && (c.First == 0 || c.Lanes > 1):
		return fmt.Errorf("protocol: leaves begin again after %d rounds, and do not grow in one lane", c.Window)
	case c.Epochs > 0 && c.Lanes > 1:
		return fmt.Errorf("protocol: epochs in %d lanes, want one", c.Lanes)
	case c.Noun == "":
		return fmt.Errorf("protocol: a cadence without a noun")
	}
	return nil
}

// SynchronousLeaves reports whether the leaves of all streams of a lane close at the same time.
func (c Cadence) SynchronousLeaves() bool { return c.Rounds > 0 || c.Decisions > 0 }

// FollowsChoices reports whether leaves close when parts have been chosen often enough. Messages,
// and the times at which they are sent, then depend on earlier releases and not on the clock alone.
func (c Cadence) FollowsChoices() bool { return c.First > 0 || c.Epochs > 0 }

// Streams returns the number of streams for a statistic with a number of parts.
func (c Cadence) Streams(parts int) int { return parts * int(c.lanes()) }

func (c Cadence) lanes() uint64 { return max(1, c.Lanes) }

// Stream returns the stream for a choice of a part in round t.
func (c Cadence) Stream(part, parts int, t Round) int {
	return int(uint64(t)%c.lanes())*parts + part
}

// Leaves returns the number of leaves that a stream can close in a number of rounds, at least 1.
func (c Cadence) Leaves(rounds uint64) uint64 {
	of := rounds / c.lanes()
	if rounds%c.lanes() > 0 {
		of++
	}
	switch {
	case c.Epochs > 0:
		return c.Epochs
	case c.Rounds > 0:
		return max(1, rounds/c.Rounds)
	case c.Decisions > 0:
		return max(1, of/c.Decisions)
	case c.Window > 0:
		one := c
		one.Window = 0
		n := rounds / c.Window * one.Leaves(c.Window)
		if rest := rounds % c.Window; rest > 0 || n == 0 {
			n += one.Leaves(rest)
		}
		return n
	case c.First > 0:
		n := uint64(0)
		for records := uint64(0); records < of; n++ {
			next, carry := bits.Add64(records, c.Size(records), 0)
			if carry > 0 {
				return n + 1
			}
			records = next
		}
		if c.Limit > 0 {
			n += of / c.Limit
		}
		return max(1, n)
	}
	return max(1, of)
}

// Size returns the number of records that close the next leaf of a stream, for a cadence with
// First, given the number of records in its closed leaves.
func (c Cadence) Size(closed uint64) uint64 {
	return max(c.First, uint64(math.Ceil(c.Growth*float64(closed))))
}

// Fewest returns the least number of leaves of a stream that can contain a number of records, for a
// cadence with First.
func (c Cadence) Fewest(records uint64) uint64 {
	c.Limit, c.Window, c.Lanes = 0, 0, 0
	return c.Leaves(records)
}

// Holding returns the first leaf, from 1, by whose end a stream can have had a number of records,
// at one record per round.
func (c Cadence) Holding(records uint64) uint64 {
	switch n := max(c.Rounds, c.Decisions); {
	case records == 0:
		return 1
	case n > 0:
		return (records-1)/n + 1
	case c.First > 0:
		return c.Fewest(records)
	case c.Epochs > 0:
		return c.Leaves(records)
	}
	return records
}

// Text describes in words when a leaf closes: "after every reward".
func (c Cadence) Text() string {
	every := func(n uint64, noun string) string {
		if n == 1 {
			return "every " + noun
		}
		return fmt.Sprintf("every %d %ss", n, noun)
	}
	switch {
	case c.Rounds > 0:
		return every(c.Rounds, "round")
	case c.Decisions > 0:
		return every(c.Decisions, "decision")
	case c.First > 0:
		text := fmt.Sprintf("after %d rewards, and then whenever the rewards so far have grown by %.4g %%", c.First, 100*c.Growth)
		if c.Limit > 0 {
			text += fmt.Sprintf(", or %d rounds after its first one", c.Limit)
		}
		if c.Window > 0 {
			text += fmt.Sprintf("; the same from the start every %d rounds", c.Window)
		}
		return text
	case c.Epochs > 0:
		return "at the end of every epoch"
	}
	return "after every reward"
}
