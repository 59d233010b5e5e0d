package sim

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/protocol"
)

// MeanAbsence is the mean number of rounds for which churn takes a peer away.
const MeanAbsence = 50

// MaxDelay bounds the delay of a message in rounds.
const MaxDelay = 1000

// Faults are what the network does to messages. The zero Faults do nothing.
type Faults struct {
	Loss      float64   // probability that a message is lost
	Duplicate float64   // probability that it arrives twice
	Reorder   float64   // probability that it is overtaken: 1 to 3 rounds late
	Delay     int       // it arrives 0 to Delay rounds late, uniformly
	Partition [2]uint64 // rounds from … to before which no message crosses between the halves
	Churn     float64   // probability, in each round, that a peer goes away for a while; it keeps its memory

	none bool
}

func (f *Faults) check() error {
	for _, p := range []struct {
		name string
		v    float64
	}{{"loss", f.Loss}, {"duplicate", f.Duplicate}, {"reorder", f.Reorder}, {"churn", f.Churn}} {
		if !(p.v >= 0 && p.v < 1) {
			return fmt.Errorf("sim: %s %v, want 0 up to but not 1", p.name, p.v)
		}
	}
	if f.Delay < 0 || f.Delay > MaxDelay {
		return fmt.Errorf("sim: delay of %d rounds, want 0 to %d", f.Delay, MaxDelay)
	}
	if f.Partition[0] > f.Partition[1] {
		return fmt.Errorf("sim: partition from round %d to %d, want them in order", f.Partition[0], f.Partition[1])
	}
	f.none = f.Loss == 0 && f.Duplicate == 0 && f.Reorder == 0 && f.Delay == 0 && f.Partition[1] == 0
	return nil
}

// horizon returns the greatest number of rounds by which a message can be late.
func (f *Faults) horizon() int {
	if f.Reorder > 0 {
		return f.Delay + 3
	}
	return f.Delay
}

func (f *Faults) delay(rng *rand.Rand) int {
	d := 0
	if f.Delay > 0 {
		d = rng.IntN(f.Delay + 1)
	}
	if f.Reorder > 0 && rng.Float64() < f.Reorder {
		d += 1 + rng.IntN(3)
	}
	return d
}

// cut reports whether the partition separates two of n peers.
func (f *Faults) cut(t protocol.Round, from, to, n int) bool {
	return uint64(t) >= f.Partition[0] && uint64(t) < f.Partition[1] && (from < n/2) != (to < n/2)
}
