package protocol

import "math"

// forcing limits how many pulls others can force by what they claim: of an arm, 4 ln t + N
// in t rounds, for N peers.
type forcing struct {
	peers  int
	forced []uint64 // pulls of each arm that were forced
	allow  float64  // pulls of an arm that may be
	until  Round    // when that is renewed
}

func newForcing(c Config) forcing {
	return forcing{peers: c.Peers(), forced: make([]uint64, c.Parts)}
}

// may reports whether arm k may be pulled in round t only because others pulled it. The
// logarithm is renewed every 64th of the rounds.
func (f *forcing) may(k int, t Round) bool {
	if t >= f.until {
		f.allow = 4*math.Log(float64(t+1)) + float64(f.peers)
		f.until = t + 1 + t/64
	}
	return float64(f.forced[k]) < f.allow
}
