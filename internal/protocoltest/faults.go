package protocoltest

import (
	"math/rand/v2"
	"slices"

	"peerd.dev/protocol"
)

// Faults are what a network does to messages: it loses a share of them, repeats a share,
// makes a share up to three rounds late, and lets none across a cut.
type Faults struct {
	Rand               *rand.Rand
	Lose, Repeat, Late float64                           // shares, from 0 to 1
	Cut                func(from, to protocol.Peer) bool // nil for nowhere
	slow               [4][]Parcel
}

// Befall changes what is under way.
func (f *Faults) Befall(n *Network) {
	under := slices.Clone(n.Underway)
	n.Underway = append(n.Underway[:0], f.slow[0]...)
	copy(f.slow[:], f.slow[1:])
	f.slow[len(f.slow)-1] = nil
	for _, p := range under {
		if f.Rand.Float64() < f.Lose {
			continue
		}
		copies := 1
		if f.Rand.Float64() < f.Repeat {
			copies = 2
		}
		for range copies {
			if f.Rand.Float64() < f.Late {
				k := f.Rand.IntN(3)
				f.slow[k] = append(f.slow[k], p)
			} else {
				n.Underway = append(n.Underway, p)
			}
		}
	}
	if f.Cut != nil {
		n.Underway = slices.DeleteFunc(n.Underway, func(p Parcel) bool { return f.Cut(p.From, p.To) })
	}
}
