package gossip

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// A stream of clockProtocol has a peer say what time its clock shows, as Unix time in ns of 8 bytes, the high ones first.

// clocks know by how much this peer's clock is ahead of others.
type clocks struct {
	*base
	heard []atomic.Pointer[comparison] // by peer; nil before it was asked
}

func newClocks(b *base) *clocks {
	return &clocks{b, make([]atomic.Pointer[comparison], len(b.members))}
}

// CompareClock asks a peer, which need not be a neighbour, what time its clock shows. What it answers is in [Host.Ahead].
func (c *clocks) CompareClock(ctx context.Context, with protocol.Peer) error {
	asked := c.cfg.time()
	return c.trade(ctx, with, clockProtocol, func(s network.Stream) error {
		var b [8]byte
		if _, err := io.ReadFull(s, b[:]); err != nil {
			return fmt.Errorf("gossip: %w", err)
		}
		at, now := time.Unix(0, int64(binary.BigEndian.Uint64(b[:]))), c.cfg.time()
		c.heard[with].Store(&comparison{now, least(asked.Sub(at), now.Sub(at))})
		return nil
	})
}

// A comparison is by how much this peer's clock was ahead of another one at a time.
type comparison struct {
	at    time.Time
	ahead time.Duration
}

// now returns by how much it is ahead if it has been set since, and the other one has not.
func (c *comparison) now(t time.Time) time.Duration {
	return c.ahead + (t.Round(0).Sub(c.at.Round(0)) - t.Sub(c.at)).Round(time.Millisecond) // its two clocks are not read at once
}

// least returns by how much a clock is ahead, or behind, at least, if it is ahead by low to high: the other clock was read at some
// time between the question and its answer, which a busy machine delays.
func least(low, high time.Duration) time.Duration { return max(low, min(0, high)) }

// time returns what the clock shows.
func (c *Config) time() time.Time { return time.Now().Add(c.wrong) }

// tellClock serves a stream of clockProtocol.
func (c *clocks) tellClock(s network.Stream, _ *trader) error {
	_, err := s.Write(binary.BigEndian.AppendUint64(nil, uint64(c.cfg.time().UnixNano())))
	return err
}

// Ahead returns by how much this peer's clock is ahead of the clocks of other peers at least, as their median, and how many
// peers have answered [Host.CompareClock], which every link does. Half of them cannot move it. It is 0 if the time that answers were on
// the way explains the difference.
func (c *clocks) Ahead() (median time.Duration, peers int) {
	var all []time.Duration
	for i := range c.heard {
		if x := c.heard[i].Load(); x != nil {
			all = append(all, x.now(c.cfg.time()))
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return least(all[(len(all)-1)/2], all[len(all)/2]), len(all)
}
