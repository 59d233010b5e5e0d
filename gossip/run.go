package gossip

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/libp2p/go-libp2p/core/network"
)

// A Run is a random number of a process, which it has from its start to its end: two copies of a
// peer's folder that run at once have the same key, incarnation and checkpoint, and different
// runs. Zero is none.
//
// A neighbour is connected with one run of a peer at a time. To another one it says so in its
// hello, and refuses it; so of two copies that start together the neighbour accepts the one
// that comes first. As a run that the neighbour has accepted was reported to, and a peer
// releases nothing before its neighbours have reported, copies that reach a common neighbour do
// not both release. A process that replaces its host keeps its run, since neighbours may not have noticed
// the end of the old one.
type Run uint64

// NewRun draws a run.
func NewRun() Run {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return Run(binary.LittleEndian.Uint64(b[:]) | 1)
}

// errRival is wrapped by errors about two runs of one peer.
var errRival = fmt.Errorf("%w: its key runs twice", ErrMismatch)

// claims are the connections with a neighbour on which it has said which run of it is there. A
// connection belongs to one process.
type claims map[network.Conn]Run

// linked returns the run of the neighbour that this end is connected with; zero for none.
func (l *link) linked() Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c, r := range l.claims {
		if !c.IsClosed() {
			return r
		}
	}
	return 0
}

// claim notes that a run of the neighbour is at the other end of a connection. It refuses a second
// one while the first is connected.
func (l *link) claim(c network.Conn, r Run) error {
	if r == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, had := range l.claims {
		switch {
		case other.IsClosed():
			delete(l.claims, other)
		case had != r:
			return fmt.Errorf("%w: another process with it is connected", errRival)
		}
	}
	l.claims[c] = r
	return nil
}

// checkRival returns an error if the neighbour is connected with another run of this peer.
func (l *link) checkRival(ours, theirs *hello) error {
	if ours.run == 0 || theirs.linked == 0 || theirs.linked == ours.run {
		return nil
	}
	if l.h.cfg.OnRival != nil {
		l.h.cfg.OnRival(l.index)
	}
	return fmt.Errorf("%w: this peer's key runs twice: the neighbour is connected with another process that has it", ErrMismatch)
}
