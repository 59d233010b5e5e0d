package node

import "fmt"

// Inside is what only the people of a site may see: it follows from exact rewards of its own users. Nothing that leaves the
// site depends on it.
type Inside struct {
	Given, Kept uint64    // decisions
	Pending     uint64    // decisions that wait for their reward
	Pulls       []uint64  // decisions by arm, given and kept; nil by features
	Rewards     []float64 // own rewards by arm since its mean last changed; nil by features
	Means       []float64 // of these
	Estimates   []float64 // means from which kept choices follow: own rewards and, as far as others are alike, theirs; nil by features
}

// Format implements [fmt.Formatter].
func (Inside) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }
