// Package hub has what protocols share in which peers report to one of them: the ways to it, what it holds, requests to it.
package hub

import (
	"slices"

	"peerd.dev/protocol"
)

// A Hub is one peer that all others send reports to, as a peer of the network sees it: the ways to
// the hub, and its own place on them. It follows from the published graph.
type Hub struct {
	Ways

	self       protocol.Peer
	root       protocol.Peer // Everyone if there is no hub
	neighbours []protocol.Peer
}

// NewHub returns a hub at a place in the network file, from 1; 0 for none. Ways to it are shortest paths.
func NewHub(c *protocol.Config, place int) Hub {
	root := protocol.Everyone
	if place > 0 {
		root = protocol.Peer(place - 1)
	}
	return Hub{Ways: NewWays(c.Graph, protocol.Peer(max(0, place-1))), self: c.Self, root: root, neighbours: c.Neighbours()}
}

// None reports whether the network has no hub.
func (h *Hub) None() bool { return h.root == protocol.Everyone }

// Root returns the peer that is the hub; protocol.Everyone if there is none.
func (h *Hub) Root() protocol.Peer { return h.root }

// Here reports whether this peer is the hub.
func (h *Hub) Here() bool { return h.self == h.root }

// Reached reports whether this peer is not the hub and has a way to it.
func (h *Hub) Reached() bool { return !h.None() && h.self != h.root && h.Reaches(h.self) }

// Next returns the next peer on the way to the hub.
func (h *Hub) Next() protocol.Peer { return h.Parent[h.self] }

// Links returns the number of links from this peer to the hub; -1 if there is no way.
func (h *Hub) Links() int { return h.Depth[h.self] }

// Linked reports whether this peer has a link to another one.
func (h *Hub) Linked(p protocol.Peer) bool {
	_, ok := slices.BinarySearch(h.neighbours, p)
	return ok
}

// Passes reports whether a report of a peer reaches this one from a neighbour on its way to the hub.
func (h *Hub) Passes(origin, from protocol.Peer) bool {
	return int64(origin) < int64(len(h.Parent)) && origin != h.root && h.Child(from, h.self) && h.Over(origin, from)
}

// Hand sends an answer to the next peers on the ways to a peer, Everyone for all.
func (h *Hub) Hand(m protocol.Message, to protocol.Peer, out *protocol.Outbox) {
	for _, n := range h.neighbours {
		if h.Child(n, h.self) && (to == protocol.Everyone || h.Over(to, n)) {
			out.Send(n, m)
		}
	}
}
