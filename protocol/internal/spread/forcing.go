package spread

import (
	"math"

	"peerd.dev/protocol"
)

// Forcing limits the number of pulls that others can force by their claims: 4 ln t + N of an arm in
// t rounds, for N peers.
type Forcing struct {
	peers  int
	Forced []uint64       // pulls of each arm that were forced
	Allow  float64        // forced pulls of an arm that are allowed
	Until  protocol.Round // when allow is computed again
}

// NewForcing returns the limits of a peer that has forced nothing.
func NewForcing(c protocol.Config) Forcing {
	return Forcing{peers: c.Peers(), Forced: make([]uint64, c.Parts)}
}

// May reports whether a pull of arm k may be forced in round t. The logarithm is computed again
// when the number of rounds has grown by 1/64.
func (f *Forcing) May(k int, t protocol.Round) bool {
	if t >= f.Until {
		f.Allow = 4*math.Log(float64(t+1)) + float64(f.peers)
		f.Until = t + 1 + t/64
	}
	return float64(f.Forced[k]) < f.Allow
}
