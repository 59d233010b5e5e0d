package network

import (
	"slices"
	"sync"
)

// A Roll is which peers a peer has heard since it started. A folder that was restored from a backup does not know what the peer has signed
// since. Others do, so a signer hears them before it signs.
type Roll struct {
	mu      sync.Mutex
	heard   []int // places
	rounds  int
	current bool
}

// silence is after how many rounds of exchanges a peer with a confirmed folder signs that could reach no other.
const silence = 6

// Add counts a round of exchanges of the document with all peers that are present, of whom those in some places could be reached.
func (r *Roll) Add(places []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard, r.rounds = append(r.heard, places...), r.rounds+1
}

// Confirm states whether neighbours have confirmed, since this process started, that the folder is no old copy.
func (r *Roll) Confirm(current bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = current
}

// awaits returns the names of the peers that the peer in a place has to hear before it signs: all that are present. With a folder that is
// confirmed as current it suffices to have heard one of them, or that none could be reached for some time. docs/proofs/document.md says why.
func (r *Roll) awaits(d *Document, self int) (names []string) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current && r.rounds > 0 && (len(r.heard) > 0 || r.rounds >= silence) {
		return nil
	}
	for i, p := range d.Peers {
		if p.Standing == Present && i != self && !slices.Contains(r.heard, i) {
			names = append(names, p.Name)
		}
	}
	return names
}
