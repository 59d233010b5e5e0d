package gossip

import (
	"bufio"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/gossip/wire"
)

// hello returns a peer's hello without its checkpoints.
func (c *Config) hello() wire.Hello {
	return wire.Hello{
		Self: c.Self, Incarnation: c.Incarnation, Policy: c.Policy, Checkpoints: c.Checkpoints, Network: c.Network,
	}
}

// askHello sends a hello on a stream that this end opened, and returns the answer and how long it took.
func (c *Config) askHello(s network.Stream, r *bufio.Reader, ours *wire.Hello) (theirs wire.Hello, rtt time.Duration, err error) {
	began := time.Now()
	if err = wire.WriteHello(s, ours); err == nil {
		theirs, err = wire.ReadHello(r)
	}
	if err != nil {
		return theirs, 0, fmt.Errorf("hello: %w", err)
	}
	rtt = time.Since(began)
	theirs.Differ = c.tradeTerms(s, r, ours, &theirs, true)
	return theirs, rtt, nil
}

// tradeTerms exchanges terms on a stream whose hellos have different policies. It returns what differs, or "" if that is not known.
func (c *Config) tradeTerms(s network.Stream, r *bufio.Reader, ours, theirs *wire.Hello, opener bool) string {
	if theirs.Policy == ours.Policy || wire.WriteTerms(s, c.Terms) != nil {
		return ""
	}
	said, err := wire.ReadTerms(r)
	if err != nil {
		return ""
	}
	if opener {
		linger(s, r)
	}
	return wire.CompareTerms(c.Terms, said)
}
