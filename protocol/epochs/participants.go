package epochs

import (
	"math"
	"slices"

	"peerd.dev/protocol"
)

// mostAhead is the greatest number of epochs by which others can be ahead. Epochs grow, so it is
// not reached.
const mostAhead = 64

// participants returns the number of sites that take part in an epoch.
func participants(share float64, sites int) int {
	return max(1, int(math.Ceil(share*float64(sites)-1e-9)))
}

// drawn returns which sites take part in an epoch, by public random numbers, which are equal at all
// peers.
func drawn(c *protocol.Config, share float64, sites int, epoch uint64) []bool {
	n := participants(share, sites)
	if n == sites {
		return slices.Repeat([]bool{true}, sites)
	}
	in := make([]bool, sites)
	for _, i := range c.PublicRand("participants", epoch).Perm(sites)[:n] {
		in[i] = true
	}
	return in
}
