package sim

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/internal/wanted"
	"peerd.dev/protocol"
)

// MeanAbsence is the mean number of rounds for which churn takes a peer away.
const MeanAbsence = 50

// Faults are what the network does to messages. The zero Faults do nothing.
type Faults struct {
	Loss      float64  `want:"probability" default:"0" doc:"Probability that a message is lost."`                                                 // probability that a message is lost
	Duplicate float64  `want:"probability" default:"0" doc:"Probability that a message arrives twice."`                                           // probability that it arrives twice
	Reorder   float64  `want:"probability" default:"0" doc:"Probability that a message is delayed by up to 3 rounds."`                            // probability that it is overtaken: 1 to 3 rounds late
	Delay     int      `want:"0..1000" default:"0" unit:"rounds" doc:"Maximum delay of a message; delays are uniform from 0."`                    // it arrives 0 to Delay rounds late, uniformly
	Partition []uint64 `want:"span" default:"[]" unit:"rounds" doc:"From the first round to before the last, no message crosses between halves."` // none, or the rounds from … to before which no message crosses between the halves
	Churn     float64  `want:"probability" default:"0" doc:"Probability, each round, that a peer goes away."`                                     // probability, in each round, that a peer goes away for a while; it keeps its memory
	// Stop, if it is over 0, is the round from which the first honest peer with arms is away: for ever, or up to round
	// Resume, if that is over 0. Without Resume the peer's regret does not count.
	Stop   uint64 `want:"0.." default:"0" unit:"rounds" doc:"Round from which the first honest site is away, its regret uncounted; 0 for never."`
	Resume uint64 `want:"0.." default:"0" unit:"rounds" doc:"Round in which it resumes, with its memory and counted; 0 for never."`

	none bool
}

func (f *Faults) check() error {
	if err := wanted.Error(*f, "faults"); err != nil {
		return err
	}
	if p := f.Partition; len(p) > 0 && (len(p) != 2 || p[0] > p[1]) {
		return fmt.Errorf("sim: partition %v, want two rounds in order", p)
	}
	if f.Resume > 0 && (f.Stop == 0 || f.Resume <= f.Stop) {
		return fmt.Errorf("sim: a peer that stops in round %d and resumes in round %d, want them in order", f.Stop, f.Resume)
	}
	f.none = f.Loss == 0 && f.Duplicate == 0 && f.Reorder == 0 && f.Delay == 0 && len(f.Partition) == 0
	return nil
}

// stopped reports whether the peer that stops is away in a round.
func (f *Faults) stopped(t protocol.Round) bool {
	return f.Stop > 0 && uint64(t) >= f.Stop && (f.Resume == 0 || uint64(t) < f.Resume)
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
	return len(f.Partition) > 0 && uint64(t) >= f.Partition[0] && uint64(t) < f.Partition[1] && (from < n/2) != (to < n/2)
}
