// Package site is a daemon's core: an agent, the site's application or a simulated world, and the
// store that makes every step durable before any of it is answered, sent or reported.
//
// A step is an input and its consequences: a choice, some observed rewards, the end of a round.
// Steps are logged in one order. What the agent draws, sends and owes is in the same atomic
// batch. After a crash the log is replayed into a new agent, so both run the same code; see
// docs/durability.md.
package site

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/kept"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/signed"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Transport carries a site's messages.
type Transport interface {
	node.Transport
	// Advance sets the checkpoint of the ledger that is sent before the next message.
	Advance(c protocol.Checkpoint)
}

// Config describes a Site.
type Config struct {
	Dir   string // of the store
	Store store.Options

	Genesis    ledger.Genesis  // of the ledger; the incarnation is filled in
	Conceal    bool            // the ledger commits to releases, whose numbers only some may see
	Arms       []string        // names by place, empty for a place without an arm; none if the peer is idle
	Founding   int             // how many of Arms the network began with; 0 for all of them
	Absent     []bandit.Arm    // places that are not chosen: without an arm, or with a retired one
	Inputs     bandit.Inputs   // of a decision; zero unless the learner is contextual
	Names      *decision.Names // of features that asks give by name; nil for none
	Streams    int             // in the peer's statistic, by its cadence; not used for an idle peer
	Cadence    protocol.Cadence
	Horizon    uint64 // rounds that the budget pays for
	Peers      int    // in the network
	ID         func(protocol.Peer) string
	Name       func(id string) string // of a peer, for people; nil for its id
	Neighbours []protocol.Peer        // ascending
	Gone       []string               // ids of peers that left permanently
	Agent      func(Life) (*node.Agent, error)
	Half       func(Life) (*kept.Half, error)   // nil, or for a half that is nil, if all decisions are given
	World      func(Life) (bandit.World, error) // nil if an application chooses, and for an idle peer
	Rules      Rules
	Clock      node.Clock
	Rounds     uint64 // how long a World is played
	Pinned     []Pinned
	Settings   []Pinned // which can change between two starts

	Document    []byte      // of the membership from which Peers, ID, Name, Neighbours, Gone and Agent are
	Memberships Memberships // by document; nil if there are none

	// Alarm is called once, from another goroutine, when the site finds that a peer remembers
	// another past; may be nil.
	Alarm  func(error)
	Now    func() time.Time                     // nil for the clock
	Ahead  func() (by time.Duration, peers int) // how far the clock is ahead of the clocks of other peers, and of how many; nil if none is heard
	Coins  func() node.Seed                     // draws a secret; nil for the operating system's
	Logger *slog.Logger                         // nil discards
}

// given is what chooses for given decisions. Its methods cannot reach what is inside.
type given struct {
	c       Config
	arms    map[string]bandit.Arm
	present []bandit.Arm // that can be chosen, ascending
	life    life
	coins   node.Seed // of the propensities of this start and, with noised counts, of its choices: by the decision's id
	agent   *node.Agent
	state   progress
	belief  lastBelief
	insight node.Insight
	tables  tables
}

// A Site is one running peer. It is safe for concurrent use.
type Site struct {
	given
	store *store.Store
	log   *slog.Logger
	most  uint64                         // more records than any ledger of the network can have
	shape atomic.Pointer[decision.Shape] // the shape of asks, for readers without the lock
	sends chan sending

	mu        sync.Mutex
	closing   bool
	broken    bool         // the agent has taken a step that is not in the log, and must not take another
	inside    inside       // what no method of given can reach
	world     bandit.World // nil unless one is played
	resting   []byte       // state of a world that was played before; nil for none
	chain     ledger.Chain
	step      uint64 // the newest logged step
	saved     uint64 // step of the newest snapshot
	recent    recent
	dueFrom   []byte        // no decision waits before this key
	oldFrom   []byte        // no decision is to be forgotten before this key
	saveEvery uint64        // steps
	noticed   node.Learning // state of learning that was logged last
	waits     string        // why the round that began last was not played, or ""
	standing  *standing.Standing
	signed    *signed.Statements
	confirmed confirmed
	counts    counters
	logged    logged

	began   time.Time // start of Run; used by its goroutine only
	jumped  bool      // the clock jumped; used by the same goroutine
	durable atomic.Pointer[durableStatus]

	sentMu sync.Mutex
	sent   []uint64 // steps whose outbox may be removed
}

// counters begin at 0 with every start.
type counters struct {
	refused, skipped, flooded uint64
	skippedTo                 uint64 // the round up to which skipped counts
	lastFault                 string
}

// logged is what the log has, so that it does not have it too often.
type logged struct {
	faults, clips quota
	full          bool   // there is no room on the disk
	alone         bool   // the newest line about it says that the site is
	clipped       uint64 // clipped records in the newest line; private
}

// A quota lets a line into the log at most once a minute.
type quota struct{ last time.Time }

func (q *quota) take(now time.Time) bool {
	if !q.last.IsZero() && now.Sub(q.last) < time.Minute {
		return false
	}
	q.last = now
	return true
}

// Open opens the site's store and restores the site's last state. On a first start it makes the
// store and charges the horizon.
func Open(c Config) (_ *Site, err error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Coins == nil {
		c.Coins = node.FreshSeed
	}
	if c.Name == nil {
		c.Name = func(id string) string { return id }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Site{
		given: given{c: c, coins: c.Coins(), state: progress{Pulls: make([]uint64, len(c.Arms))}},
		log:   c.Logger, most: c.mostRecords(), sends: make(chan sending, sendQueue), saveEvery: snapshotEvery,
	}
	s.nameArms()
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
	if err = CheckNewer(s.store); err != nil {
		return nil, err
	}
	found, err := s.readLife()
	if err != nil {
		return nil, err
	}
	if found {
		err = s.checkPinned()
	} else {
		err = s.begin()
	}
	if err == nil {
		err = s.readMembership()
	}
	if err != nil {
		return nil, err
	}
	if s.agent, err = s.c.Agent(s.life.Life); err != nil {
		return nil, err
	}
	s.insight = s.agent.Insight()
	if s.agent.Idle() {
		s.c.Streams, s.c.World = 0, nil
	}
	if err = s.openWorld(); err != nil {
		return nil, err
	}
	if found {
		err = s.restore()
	} else {
		err = s.charge()
	}
	if err != nil {
		return nil, err
	}
	if err = s.openInside(); err != nil {
		return nil, err
	}
	if err = s.reserve(); err != nil {
		return nil, err
	}
	if err = s.readTables(); err != nil {
		return nil, err
	}
	s.renewTables()
	if s.standing, err = standing.Read(s.standingConfig(), s.members()); err != nil {
		return nil, err
	}
	if s.signed, err = signed.Read(s.store); err != nil {
		return nil, err
	}
	if err = s.openConfirmed(); err != nil {
		return nil, err
	}
	if err = s.noteSettings(); err != nil {
		return nil, err
	}
	s.durable.Store(s.newest())
	if !bytes.Equal(s.c.Document, c.Document) {
		m, err := c.Memberships(c.Document)
		if err == nil {
			err = s.SetMembership(m)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// nameArms finds the arms that can be chosen.
func (s *Site) nameArms() {
	s.arms, s.present = make(map[string]bandit.Arm, len(s.c.Arms)), nil
	for i, name := range s.c.Arms {
		if a := bandit.Arm(i); !slices.Contains(s.c.Absent, a) {
			s.arms[name] = a
			s.present = append(s.present, a)
		}
	}
	shape := decision.Shape{Actions: len(s.present), Inputs: s.c.Inputs, Bounded: true, Names: s.c.Names}
	if s.c.Names.Own() {
		shape.Own = decision.OwnFeatures(s.c.Inputs.Action, s.present)
	}
	s.shape.Store(&shape)
}

// Actions returns the names of the arms that can be chosen, by place; empty for a place without
// one.
func (s *Site) Actions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, len(s.c.Arms))
	for name, a := range s.arms {
		names[a] = name
	}
	return names
}

// Features returns the features with which a decision must describe its actions.
func (s *Site) Features() decision.Shape { return *s.shape.Load() }

// Range returns the least and the greatest reward, in the application's units.
func (s *Site) Range() (least, most float64) { return s.c.Rules.Range.Ends() }

// Incarnation returns the number of this peer's present life.
func (s *Site) Incarnation() uint32 { return s.life.Incarnation }

// Close saves the state, so that the next start has nothing to replay, and closes the store. Run
// must have returned.
func (s *Site) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	s.closing = true
	var err error
	s.store.Look()
	if s.step > s.saved && !s.broken && !s.store.Full() && s.store.Damaged() == nil {
		b := s.store.Batch()
		if err = s.saveSnapshot(b); err == nil {
			err = b.Commit()
		}
	}
	return errors.Join(err, s.store.Close())
}

// Ready returns nil if the site learns from choices and releases, or else the reason why it does
// not.
func (s *Site) Ready(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.Low() {
		return s.store.Lack()
	}
	if why := s.blockedReason(); why != "" {
		return errors.New(why)
	}
	return nil
}
