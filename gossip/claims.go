package gossip

import (
	"fmt"
	"sync"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
)

// errRival is wrapped by errors about two runs of one peer.
var errRival = fmt.Errorf("%w: its key runs twice", wire.ErrMismatch)

// claims know the run that a neighbour announced on each connection. A
// connection belongs to one process.
type claims struct {
	mu sync.Mutex
	of map[network.Conn]wire.Run
}

// linked returns the neighbour's run that this end is connected with; zero for none.
func (a *claims) linked() wire.Run {
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
func (a *claims) claim(c network.Conn, r wire.Run) error {
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
