package gossip

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/network"

	"peerd.dev/protocol"
)

// PeerStatus is the state of a peer and of the link to it.
type PeerStatus struct {
	Peer        protocol.Peer
	ID          string
	Neighbour   bool
	Dialled     bool // the peer has dialled this end, by a connection that lasts
	State       LinkState
	LastError   string        // newest reason why the link was down; kept when it comes up
	RTT         time.Duration // of the newest exchange of hellos; 0 before
	Incarnation uint32        // newest that the peer has announced

	Checkpoint protocol.Checkpoint // the neighbour's highest, in this run or an earlier one
	Alarm      string              // why the neighbour's checkpoint was refused, or that two histories of the peer are signed; empty if neither
	Alarms     uint64              // how often it was refused

	// The link's traffic, including the length prefixes of frames. Frames counts messages; bytes
	// include checkpoints. Keepalives and hellos are not counted.
	FramesIn, FramesOut, BytesIn, BytesOut uint64

	Queued   int       // messages waiting to be sent
	Dropped  uint64    // messages dropped: the queue was full or the link broke
	Refused  uint64    // hellos, streams, messages and exchanges of the network document that broke the rules
	LastSeen time.Time // newest sign of life, by link or topic; zero for none
}

// Totals are the counters that belong to no single link.
type Totals struct {
	Strangers     uint64 // connections of unlisted peers refused
	Limited       uint64 // connections refused before the peer was known: too many from one address, or from all
	Clones        uint64 // connections refused that were made with this peer's own key
	Undeliverable uint64 // messages to peers that are not neighbours, or too long
	TopicIn       uint64 // messages of others delivered, announcements included
	TopicBytesOut uint64 // published; forwarding is not counted
	TopicBytesIn  uint64
	TopicDropped  uint64 // dropped because a queue of the topic was full
	TopicRefused  uint64 // of others: invalid, unsigned, unlisted or stale
}

// Status returns the status of every other peer, by index.
func (h *Host) Status() []PeerStatus {
	var all []PeerStatus
	for _, m := range h.members {
		if m.index == h.cfg.Self {
			continue
		}
		s := PeerStatus{Peer: m.index, ID: m.id.String(), State: None}
		if l := h.neighbours[m.index]; l != nil {
			var reason error
			s.Neighbour, s.Queued = true, len(l.queue)
			s.State, s.RTT, reason = l.state()
			s.LastError = oneLine(reason)
			s.Checkpoint = l.remembered().Checkpoint
			s.Alarm, s.Alarms = l.warning()
		}
		s.Alarm = cmp.Or(s.Alarm, m.forked())
		s.Dialled = slices.ContainsFunc(h.libp2p.Network().ConnsToPeer(m.id), func(c network.Conn) bool { return c.Stat().Direction == network.DirInbound })
		// Counters that are incremented before the state changes are read after it, so that a
		// refusal never shows without its count.
		s.Incarnation = m.incarnation.Load()
		s.FramesIn, s.FramesOut = m.framesIn.Load(), m.framesOut.Load()
		s.BytesIn, s.BytesOut = m.bytesIn.Load(), m.bytesOut.Load()
		s.Dropped, s.Refused = m.dropped.Load(), m.refused.Load()
		if ns := m.seen.Load(); ns != 0 {
			s.LastSeen = time.Unix(0, ns)
		}
		all = append(all, s)
	}
	return all
}

// Totals returns the counters that belong to no single link.
func (h *Host) Totals() Totals {
	t := Totals{
		Strangers: h.gate.strangers.Load(), Limited: h.gate.limited.Load(), Clones: h.gate.clones.Load(),
		Undeliverable: h.undeliverable.Load(),
	}
	if h.topic != nil {
		on := &h.topic.tracer
		t.TopicIn, t.TopicBytesOut, t.TopicBytesIn = on.in.Load(), on.bytesOut.Load(), on.bytesIn.Load()
		t.TopicDropped, t.TopicRefused = on.dropped.Load(), on.refused.Load()
	}
	return t
}

// ID returns this peer's id.
func (h *Host) ID() string { return h.libp2p.ID().String() }

// Addrs returns the addresses on which this peer can be dialled.
func (h *Host) Addrs() []string {
	addrs, err := h.libp2p.Network().InterfaceListenAddresses()
	if err != nil {
		return nil
	}
	all := make([]string, len(addrs))
	for i, a := range addrs {
		all[i] = a.String() + "/p2p/" + h.ID()
	}
	return all
}

// Ready returns once the links to all neighbours are up. When ctx ends before
// that, its error names the missing ones with the reason for each.
func (all *links) Ready(ctx context.Context) error {
	for {
		changed, missing := all.change(), all.missing()
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-all.work.Done():
			return fmt.Errorf("gossip: not ready: %w", all.Err())
		case <-ctx.Done():
			return fmt.Errorf("gossip: not linked: %s: %w", strings.Join(missing, "; "), ctx.Err())
		}
	}
}

func (all *links) missing() (missing []string) {
	for _, n := range all.cfg.Neighbours {
		state, _, reason := all.neighbours[n].state()
		if state == Up {
			continue
		}
		s := fmt.Sprintf("peer %d (%s)", n, state)
		if reason != nil {
			s += ": " + oneLine(reason)
		}
		missing = append(missing, s)
	}
	return missing
}
