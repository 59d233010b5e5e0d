// Package site is a daemon's core: an agent, the site's application or a simulated
// world that plays it, and the store that makes every step durable before anything
// of it is told.
//
// A step is an input and what follows from it: a choice, rewards taken in, the end
// of a round. Steps are logged in one order; what the agent draws, sends and owes
// stands in the same atomic batch. After a crash the log is replayed into a new
// agent, so there is one code path for both; see docs/durability.md.
package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Transport carries a site's messages.
type Transport interface {
	node.Transport
	// Advance sets the checkpoint of the ledger that goes before what is sent next.
	Advance(c protocol.Checkpoint)
}

// Config describes a Site.
type Config struct {
	Dir   string // of the store
	Store store.Options

	Genesis    ledger.Genesis // of the ledger; the incarnation is filled in
	Arms       []string
	Peers      int // in the network
	ID         func(protocol.Peer) string
	Neighbours []protocol.Peer // ascending
	Agent      func(Life) (*node.Agent, error)
	World      func(Life) (node.World, error) // nil where an application plays
	Rules      Rules
	Slots      node.Slots
	Rounds     uint64 // that a World is played
	Leaves     uint64 // horizon of every arm's stream
	Together   bool   // the protocol closes the leaves of all arms together
	Fixed      []Fixed

	// Alarm is called once, from another goroutine, when the site finds that its
	// past is not the one that a peer remembers; nil for nobody.
	Alarm  func(error)
	Now    func() time.Time // nil for the clock
	Logger *slog.Logger     // nil discards
}

// A Site is one running peer. It is safe for concurrent use.
type Site struct {
	c     Config
	store *store.Store
	log   *slog.Logger
	arms  map[string]int
	sends chan sending

	mu        sync.Mutex
	closing   bool
	broken    bool // the agent has taken a step that is not in the log
	life      life
	agent     *node.Agent
	world     node.World
	chain     ledger.Chain
	step      uint64 // the newest that is logged
	state     state
	saved     uint64 // step of the newest snapshot
	dueFrom   []byte // no decision waits before this key
	oldFrom   []byte // none is to be forgotten before this key
	saveEvery uint64 // steps
	shown     shown
	held      held
	counts    counters

	began  time.Time // Run; of its goroutine
	jumped bool      // the clock; of the same
	public atomic.Pointer[public]
	silent atomic.Bool // a peer remembers another ledger

	sentMu sync.Mutex
	sent   []uint64 // steps whose outbox may go

	seenMu sync.Mutex
	seen   map[protocol.Peer]protocol.Checkpoint // checkpoints that are not stored yet
}

// state is what a site remembers beside its agent.
type state struct {
	Round     uint64   // the next
	Begun     bool     // a round has ended
	Decisions uint64   // choices made
	Pending   uint64   // decisions that wait for their round
	Pulls     []uint64 // choices that count, by arm
	Plays     []uint64 // of the world, by arm
	Released  uint64   // nodes drawn
	Left      float64  // ε
}

// counters begin at 0 with every start.
type counters struct {
	refused, skipped, flooded uint64
	skippedTo                 uint64 // the slot before which skipped counts
	lastFault                 string
}

// shown is the belief as it was at the end of the newest round. Asking the agent in
// between would be a step of its own.
type shown struct {
	Means, Samples, Noise []float64
}

// Open opens the site's store and brings the site to where it stopped. On a first
// start it makes the store and charges the horizon.
func Open(c Config) (_ *Site, err error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Site{
		c: c, log: c.Logger, arms: make(map[string]int, len(c.Arms)),
		sends: make(chan sending, sendQueue), seen: make(map[protocol.Peer]protocol.Checkpoint), saveEvery: snapshotEvery,
		state: state{Pulls: make([]uint64, len(c.Arms)), Plays: make([]uint64, len(c.Arms))},
	}
	for i, a := range c.Arms {
		s.arms[a] = i
	}
	if c.Store.Logger == nil {
		c.Store.Logger = c.Logger
	}
	if s.store, err = store.Open(c.Dir, c.Store); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.store.Close())
		}
	}()
	found, err := s.readLife()
	if err != nil {
		return nil, err
	}
	if found {
		err = s.checkFixed()
	} else {
		err = s.begin()
	}
	if err != nil {
		return nil, err
	}
	if n := len(s.life.Closed); n > 0 && n != len(c.Arms) {
		return nil, fmt.Errorf("%w: %d arms, want %d", ErrDamaged, n, len(c.Arms))
	}
	if s.agent, err = c.Agent(s.life.public()); err != nil {
		return nil, err
	}
	if found {
		err = s.recover()
	} else {
		err = s.charge()
	}
	if err != nil {
		return nil, err
	}
	if err = s.readHeld(); err != nil {
		return nil, err
	}
	s.public.Store(s.telling())
	return s, s.openWorld()
}

// openWorld makes the world and plays again what was played, so that it hands
// nothing out twice.
func (s *Site) openWorld() (err error) {
	if s.c.World == nil {
		return nil
	}
	if s.world, err = s.c.World(s.life.public()); err != nil {
		return err
	}
	for arm, n := range s.state.Plays {
		for range n {
			if _, err := s.world.Play(armOf(arm)); err != nil {
				return fmt.Errorf("the world pays less than it did: %w", err)
			}
		}
	}
	return nil
}

// Checkpoint returns the ledger's length and head.
func (s *Site) Checkpoint() protocol.Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkpoint()
}

func (s *Site) checkpoint() protocol.Checkpoint {
	return protocol.Checkpoint{Records: s.chain.Next, Head: s.chain.Head}
}

// Incarnation returns the number of this peer's present life.
func (s *Site) Incarnation() uint32 { return s.life.Incarnation }

// Close saves the state, so that the next start has nothing to replay, and closes
// the store. Run has returned.
func (s *Site) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	s.closing = true
	var err error
	if s.step > s.saved && !s.broken && !s.store.Full() {
		b := s.store.Batch()
		if err = s.snapshot(b); err == nil {
			err = b.Commit()
		}
	}
	return errors.Join(err, s.store.Close())
}

// Ready is nil if choices are learnt from and released, or says why not.
func (s *Site) Ready(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.Full() {
		return store.ErrFull
	}
	if why := s.why(); why != "" {
		return errors.New(why)
	}
	return nil
}
