package spread

import (
	"math"

	"peerd.dev/protocol"
)

// Forcing limits how many pulls others can force by what they claim: of an arm, 4 ln t + N
// in t rounds, for N peers.
type Forcing struct {
	peers  int
	Forced []uint64       // pulls of each arm that were forced
	Allow  float64        // pulls of an arm that may be
	Until  protocol.Round // when that is renewed
}

// NewForcing returns the limits of a peer that has forced nothing.
func NewForcing(c protocol.Config) Forcing {
	return Forcing{peers: c.Peers(), Forced: make([]uint64, c.Parts)}
}

// May reports whether arm k may be pulled in round t only because others pulled it. The
// logarithm is renewed every 64th of the rounds.
func (f *Forcing) May(k int, t protocol.Round) bool {
	if t >= f.Until {
		f.Allow = 4*math.Log(float64(t+1)) + float64(f.peers)
		f.Until = t + 1 + t/64
	}
	return float64(f.Forced[k]) < f.Allow
}
