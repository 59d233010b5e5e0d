// Package site is a daemon's core: an agent, the site's application or a simulated world, and the
// store that makes every step durable before any of it is answered, sent or reported.
//
// A step is an input and its consequences: a choice, some observed rewards, the end of a round.
// Steps are logged in one order. What the agent draws, sends and owes is in the same atomic
// batch. After a crash the log is replayed into a new agent, so both run the same code; see
// docs/durability.md.
package site

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/signed"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
)

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
	tables    Tables // nil for none

	began   time.Time // start of Run; used by its goroutine only
	jumped  bool      // the clock jumped; used by the same goroutine
	durable atomic.Pointer[durableStatus]

	sentMu sync.Mutex
	sent   []uint64 // steps whose outbox may be removed
}

// counters begin at 0 with every start.
type counters struct {
	refused, skipped, flooded uint64
	counted, unnamed          uint64 // decisions that count, and those of them without a subject
	skippedTo                 uint64 // the round up to which skipped counts
	lastFault                 string
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

// A quota lets a line into the log at most once a minute.
type quota struct{ last time.Time }

func (q *quota) take(now time.Time) bool {
	if !q.last.IsZero() && now.Sub(q.last) < time.Minute {
		return false
	}
	q.last = now
	return true
}

// logged is what the log has, so that it does not have it too often.
type logged struct {
	faults, clips quota
	full          bool   // there is no room on the disk
	alone         bool   // the newest line about it says that the site is
	clipped       uint64 // clipped records in the newest line; private
}
