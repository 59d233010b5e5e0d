package network

import (
	"slices"
	"sync"
)

// A Roll is which peers a peer has heard since it started. A folder that was restored from a backup does
// not know what the peer has signed since. Others do, so a signer hears them before it signs.
type Roll struct {
	mu     sync.Mutex
	heard  []int // places
	rounds int
	enough bool // also when the network has grown since
}

// silence is after how many rounds of exchanges a peer signs that could reach no other.
const silence = 6

// Add counts a round of exchanges of the document with all peers that are present, of whom those
// in some places could be reached.
func (r *Roll) Add(places []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, places...)
	r.rounds++
}

// Enough reports whether enough was heard to sign: others that are a quorum with this peer, and at
// least one peer, unless none could be reached for some time. A peer that is alone need not hear
// any.
func (r *Roll) Enough(others []int, quorum int, alone bool) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, place := range others {
		if slices.Contains(r.heard, place) {
			n++
		}
	}
	r.enough = r.enough || alone || r.rounds > 0 && n >= quorum-1 && (len(r.heard) > 0 || r.rounds >= silence)
	return r.enough
}
