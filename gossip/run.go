package gossip

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/libp2p/go-libp2p/core/network"
)

// A Run identifies a process by a random number that it keeps from start to end. Two copies of a
// peer's folder that run at once have the same key, incarnation and checkpoint, but different
// runs. Zero is none.
//
// A neighbour is connected with one run of a peer at a time. It refuses a second run and says so
// in its hello, so of two copies that start together the neighbour accepts the first to connect.
// A peer releases nothing before its neighbours have reported what they remember, and they report
// it only to the run that they have accepted. So two copies that have a common neighbour do not
// both release. A process that replaces its host keeps its run, since neighbours may not have
// noticed the end of the old host.
type Run uint64

// NewRun draws a run.
func NewRun() Run {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return Run(binary.LittleEndian.Uint64(b[:]) | 1)
}

// errRival is wrapped by errors about two runs of one peer.
var errRival = fmt.Errorf("%w: its key runs twice", ErrMismatch)

// claims maps each connection with a neighbour to the run that the neighbour announced on it. A
// connection belongs to one process.
type claims map[network.Conn]Run

// linked returns the neighbour's run that this end is connected with; zero for none.
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

// claim records that run r of the neighbour is at the other end of connection c. It refuses a
// second run while the first is connected.
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
