package gossip

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	corep2p "github.com/libp2p/go-libp2p/core/protocol"

	"peerd.dev/gossip/wire"
)

// The protocols of streams. What each carries is said where it is served.
const (
	linkProtocol     = "/peerd/link/2"
	probeProtocol    = "/peerd/probe/2"
	clockProtocol    = "/peerd/clock/1"
	documentProtocol = "/peerd/document/3"
	memoryProtocol   = "/peerd/memory/3"
)

const (
	dialTimeout  = 5 * time.Second
	helloTimeout = 5 * time.Second
	// lingerTimeout is the longest time that an end which refuses a stream waits for the
	// other end to read the reason.
	lingerTimeout = time.Second
)

// ask opens a stream of a protocol to a peer, on which talk has a time to ask and to read the answer, and ends it.
func ask(ctx context.Context, h host.Host, to peer.ID, on corep2p.ID, talk func(s network.Stream) error) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s, err := h.NewStream(ctx, to, on)
	if err != nil {
		return err
	}
	defer func() { _ = s.Reset() }()
	defer context.AfterFunc(ctx, func() { _ = s.Reset() })()
	return talk(s)
}

// linger ends what this end sends and waits until the other end has read it: a reset would overtake it.
func linger(s network.Stream, r io.Reader) {
	_ = s.CloseWrite()
	_ = s.SetReadDeadline(time.Now().Add(lingerTimeout))
	_, _ = io.Copy(io.Discard, r)
}

// hello returns a peer's hello without its checkpoints.
func (c *Config) hello() wire.Hello {
	return wire.Hello{Self: c.Self, Incarnation: c.Incarnation, Policy: c.Policy, Checkpoints: c.Checkpoints, Network: c.Network}
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
