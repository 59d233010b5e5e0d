package gossip

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"

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

// claims know the run that a neighbour announced on each connection. A
// connection belongs to one process.
type claims struct {
	mu sync.Mutex
	of map[network.Conn]Run
}

// linked returns the neighbour's run that this end is connected with; zero for none.
func (a *claims) linked() Run {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c, r := range a.of {
		if !c.IsClosed() {
			return r
		}
	}
	return 0
}

// claim records that run r of the neighbour is at the other end of connection c. It refuses a
// second run while the first is connected.
func (a *claims) claim(c network.Conn, r Run) error {
	if r == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for other, had := range a.of {
		switch {
		case other.IsClosed():
			delete(a.of, other)
		case had != r:
			return fmt.Errorf("%w: another process with it is connected", errRival)
		}
	}
	a.of[c] = r
	return nil
}
