package gossip

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// Limit of the exchanges of documents that a peer opens. A daemon opens one a second at most.
const (
	tradePeriod = 10 * time.Second
	maxTrades   = 40 // in a period
)

var errTooMany = fmt.Errorf("%w: more than %d exchanges in %v", errViolation, maxTrades, tradePeriod)

// A trader is a peer that may exchange network documents, and memories of checkpoints, with this one.
type trader struct {
	name    string  // for the log; an id that a peer had before has no other name
	member  *member // nil for an id that a peer had before
	unheard bool    // it receives the document, and what it shows is not read

	mu      sync.Mutex
	since   time.Time // begin of a period
	opened  int       // exchanges in it
	refused uint64    // what broke the rules, since the start
	named   minute    // of log lines about it
}

// newTraders returns who may exchange documents with a host of members. An id in former is unheard unless its peer is
// invited, and so about to have a part.
func newTraders(members []*member, peers []PeerInfo, former []peer.ID) map[peer.ID]*trader {
	all := make(map[peer.ID]*trader)
	for _, id := range former {
		all[id] = &trader{name: id.String(), unheard: true}
	}
	for i, m := range members {
		_, was := all[m.id]
		all[m.id] = &trader{name: m.name, member: m, unheard: peers[i].Gone || was && !peers[i].Absent}
	}
	return all
}

// admit returns an error if the peer has opened too many exchanges.
func (t *trader) admit(now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.since) >= tradePeriod {
		t.since, t.opened = now, 0
	}
	if t.opened++; t.opened > maxTrades {
		return errTooMany
	}
	return nil
}

// serve lets answer serve a stream that a peer has opened, unless it has opened too many.
func (h *Host) serve(s network.Stream, answer func(with *trader) error) {
	if !h.enter() {
		_ = s.ResetWithError(network.StreamShutdown)
		return
	}
	defer h.running.Done()
	defer context.AfterFunc(h.life, func() { _ = s.Reset() })()
	with := h.traders[s.Conn().RemotePeer()] // the gate refuses all others
	if err := with.admit(time.Now()); err != nil {
		with.judge(err, h.log)
		_ = s.ResetWithError(network.StreamRateLimited)
		return
	}
	if err := answer(with); err != nil {
		with.judge(err, h.log)
		h.log.Debug("not traded", "with", s.Conn().RemotePeer(), "protocol", s.Protocol(), "reason", oneLine(err))
		_ = s.Reset()
		return
	}
	_ = s.Close()
}

// judge counts an error that is the peer's fault, and logs at most one a minute.
func (t *trader) judge(err error, log *slog.Logger) {
	if !errors.Is(err, errViolation) && !errors.Is(err, ErrDocument) {
		return
	}
	t.mu.Lock()
	t.refused++
	n := t.refused
	t.mu.Unlock()
	if t.member != nil {
		t.member.refused.Add(1)
	}
	if t.named.over() {
		log.Warn("refused: what a peer sends of the network document or of checkpoints is against the rules", "peer", t.name, "reason", oneLine(err), "refused", n)
	}
}
