package network

import (
	"slices"
	"sync"
)

// A Roll is which peers a peer has heard since it started. A folder that was restored from a backup does
// not know what the peer has signed since. Others do, so a signer hears them before it signs.
type Roll struct {
	mu      sync.Mutex
	heard   []int // places
	rounds  int
	current bool // see [Roll.Confirm]
	enough  bool // others that are a quorum with this peer, also when the network has grown since
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

// Confirm states whether neighbours have confirmed, since this process started, that the folder is no old copy.
func (r *Roll) Confirm(current bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = current
}

// met reports whether others were heard that are a quorum with the peer in a place, and at least one peer, unless none
// could be reached for some time.
func (r *Roll) met(d *Document, self int) bool {
	if r == nil || d.present() == 1 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, i := range d.Signers() {
		if i != self && slices.Contains(r.heard, i) {
			n++
		}
	}
	r.enough = r.enough || r.rounds > 0 && n >= d.Quorum()-1 && (len(r.heard) > 0 || r.rounds >= silence)
	return r.enough
}

// awaits returns the places of the peers that the peer in a place has to hear before it signs: all that are present, except
// those with a name in without. With a folder that is confirmed as current it suffices to have met others.
// docs/proofs/document.md says why.
func (r *Roll) awaits(d *Document, self int, without []string) (places []int) {
	met := r.met(d, self)
	if r == nil || d.present() == 1 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current && met {
		return nil
	}
	for i, p := range d.Peers {
		if p.Standing == Present && i != self && !slices.Contains(r.heard, i) && (r.rounds == 0 || !slices.Contains(without, p.Name)) {
			places = append(places, i)
		}
	}
	return places
}
