// A curator of one's own that hands out what it likes: the Leaf is a struct, but what is
// in it must be a Release.
package leak

import "peerd.dev/dp"

type open struct{ reward float64 }

func (o open) Leaf(dp.StreamID, uint64) (dp.Leaf, error) {
	return dp.Leaf{Sum: o.reward}, nil
}

// cannot use o.reward (variable of type float64) as dp.Release value in struct literal
