// Package standing is whether a site may release, and if not, why not.
//
// A site starts blocked, until its neighbours have reported what they remember, since a folder cannot itself show that it
// is an old copy. While no neighbour can be reached, there is also no peer to send to.
//
//	               all agree, or more than half and the grace is over
//	start ──► waiting ──────────────────────────────────────────────► open
//	            ▲ │                                                     │
//	  no rivals │ │ rival                                               │ rival
//	  any more  │ ▼                                                     ▼
//	           doubled                                                 shut ──► the next start
//	              │                                                     │
//	              └───────────┬──── from each: a neighbour ─────────────┘
//	                          │     remembers more
//	             ┌────────────┴──────────────────┐
//	             ▼ nothing went on here since    ▼ both histories went on
//	          oldCopy ─────────────────────────► forked (for good)
//	             │          the same, later
//	             └──► peerd recover, which begins a life that waits for all
//
// oldCopy and forked are stored, and a later start begins with them.
package standing

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// ErrOldCopy is wrapped by the errors of an Alarm: a peer remembers records of this peer's ledger
// that this ledger does not have.
var ErrOldCopy = errors.New("this folder was restored from a backup, or its key runs twice")

// Keys of the table of single values.
const (
	evidenceKey = "evidence"
	witnessKey  = "witnesses"
)

const witnessVersion = 2

// Recovery is what a life remembers of the recovery with which it began; zero for none.
type Recovery struct {
	Taken   uint64   // records that peers remembered then
	Gap     uint64   // number of the ledger record of that recovery
	Without []string // ids of the neighbours for which it did not wait
	Opened  bool     // something may have been released since
}

// Began reports whether a life began with a recovery.
func (r *Recovery) Began() bool { return r.Taken > 0 }

// Closed reports whether a life began with a recovery and has not been open since.
func (r *Recovery) Closed() bool { return r.Began() && !r.Opened }

// Members is what a standing needs to know of the network.
type Members struct {
	Neighbours, Gone []string               // by id; Gone have left permanently
	Name             func(id string) string // of a peer, for people
	ID               func(protocol.Peer) string
}

// Config describes the site of a Standing.
type Config struct {
	Store     *store.Store
	Ledger    *ledger.Chain // of the site, which the store has
	Confirmed *uint64       // records of it in the confirmed snapshot
	Released  *uint64       // nodes drawn
	Life      *Recovery
	SaveLife  func(*store.Batch)
	Now       func() time.Time
	Log       *slog.Logger
	Alarm     func(error) // is called once, from another goroutine; may be nil
}

// A Standing is what a site knows about whether it may release. It grows by four events: a neighbour remembers something
// ([Standing.Remembers]), it is connected with another process under this key ([Standing.Rival]) or no longer
// ([Standing.Agrees]), and members change ([Standing.SetMembers]). It is asked whether the site is open ([Standing.Opens]),
// why not ([Standing.Reason]), and who is waited for ([Standing.Awaited]).
type Standing struct {
	Config
	members    Members
	witnesses  []string          // ids of the neighbours that may remember this life: those that have linked with it, and those it was founded with
	before     []string          // the witnesses at the start
	agree      map[string]bool   // ids of neighbours that remember nothing that is missing here
	remembered map[string]uint64 // how many records a neighbour remembered in this run, by its id
	since      time.Time         // when the first of them reported
	open       bool              // something may be released
	current    bool              // it was opened, and not by the start after a recovery, which has lost what it had
	rivals     map[string]bool   // ids of neighbours that are connected with another process under this key
	shut       bool              // there was such a rival while this process was open, so it releases nothing more
	evidence   *Evidence
	silent     atomic.Bool // a peer remembers another ledger, or there was a rival
}

// Read reads what earlier starts stored.
func Read(c Config, m Members) (*Standing, error) {
	s := &Standing{Config: c, members: m, agree: make(map[string]bool), remembered: make(map[string]uint64), rivals: make(map[string]bool)}
	v, err := c.Store.Get(store.Meta, []byte(witnessKey))
	if err == nil && v != nil {
		err = form.Decode("witnesses", v, witnessVersion, witnessVersion, func(v *state.Visitor) { state.List(v, &s.witnesses, v.String) })
	}
	if err != nil {
		return nil, err
	}
	s.before = s.witnesses
	if v, err = c.Store.Get(store.Meta, []byte(evidenceKey)); err == nil && v != nil {
		var x Evidence
		x, err = parseEvidence(v)
		s.evidence = &x
	}
	s.readLost()
	s.silent.Store(s.evidence != nil)
	return s, err
}

// readLost treats the watermark of a store that has lost something like a checkpoint that a peer
// remembers of this ledger: the store is an earlier state.
func (s *Standing) readLost() {
	had, lost := s.Store.Lost()
	if !lost || had.Batch == 0 {
		return
	}
	x := &Evidence{Records: had.Records, Head: had.Head}
	if had.Records < s.Ledger.Next { // the lost writes were not records
		x.Records, x.Head = s.Ledger.Next, s.Ledger.Head
	}
	if s.evidence != nil {
		x.join(s.evidence)
	}
	s.evidence = x
}

// A place is where a site stands in the diagram above.
type place byte

const (
	open    place = iota // it releases
	waiting              // for the reports of neighbours
	doubled              // waiting, and a neighbour is connected with another process under this key
	shut                 // there was such a process while this one was open
	oldCopy              // a peer remembers records that are missing here
	forked               // and this folder has records that the peer does not remember
)

// place returns where the site stands. A site that waits opens in [Standing.Opens].
func (s *Standing) place() place {
	switch {
	case s.evidence != nil && s.evidence.Fork:
		return forked
	case s.evidence != nil:
		return oldCopy
	case s.shut:
		return shut
	case len(s.rivals) > 0:
		return doubled
	case !s.open:
		return waiting
	}
	return open
}

// Quiet reports whether nothing more is drawn until the process ends.
func (s *Standing) Quiet() bool { return s.place() >= shut }

// Silent reports whether nothing more is sent until the process ends. It needs no lock.
func (s *Standing) Silent() bool { return s.silent.Load() }

// OldCopy reports whether a peer remembers what is missing here.
func (s *Standing) OldCopy() bool { return s.place() >= oldCopy }

// Current reports whether neighbours have confirmed, since the start, that the folder is no old copy.
func (s *Standing) Current() bool { return s.Opens() && s.current }

// Evidence returns what a peer remembers that is missing here, or nil.
func (s *Standing) Evidence() *Evidence { return s.evidence }

// Forget removes the evidence, which a recovery has answered.
func (s *Standing) Forget(b *store.Batch) {
	b.Delete(store.Meta, []byte(evidenceKey))
	s.evidence = nil
}

// Opens opens the site if enough neighbours have reported, and reports whether it is open.
func (s *Standing) Opens() bool {
	if s.place() == waiting && s.heard() {
		closed := s.Life.Closed()
		if err := s.keepWitnesses(); err != nil {
			s.failed(err)
			return false
		}
		s.open, s.current = true, !closed
		s.Log.Info("no neighbour remembers more than there is here: releases go on", "heard", len(s.agree))
	}
	return s.place() == open
}

// Reason returns why nothing is released, or "".
func (s *Standing) Reason() string {
	switch x := s.evidence; s.place() {
	case forked:
		return fmt.Sprintf("%v: %s remembers another history of its ledger. Nothing is released. Stop the other copy. This folder cannot be used any more: use the other one, or begin a new one with `peerd init`", ErrOldCopy, s.members.Name(s.members.ID(x.Peer)))
	case oldCopy:
		return fmt.Sprintf("%v: %s remembers %d ledger records, and %d of those here are confirmed. Nothing is released. If another copy runs, stop it and use its folder; if it is lost, stop this peer and run `peerd recover`", ErrOldCopy, s.members.Name(s.members.ID(x.Peer)), x.Records, s.Had())
	case shut:
		return "this peer's key runs twice: a neighbour is connected with another process that has it. This one releases nothing any more. Stop one of the two, and start the other again"
	case doubled:
		return fmt.Sprintf("this peer's key runs twice: %s is connected with another process that has it. Nothing is released as long as it is", s.members.Name(slices.Min(slices.Collect(maps.Keys(s.rivals)))))
	case waiting:
		return s.waitsFor()
	case open:
	}
	return ""
}

// waitsFor returns which neighbours have to report, in words.
func (s *Standing) waitsFor() string {
	var missing []string
	for _, id := range s.Awaited() {
		if !s.agree[id] {
			missing = append(missing, s.members.Name(id))
		}
	}
	if len(missing) == 0 {
		return "all neighbours have reported the last checkpoint they saw of this peer: releases begin with the next round"
	}
	need := fmt.Sprintf("all do, or more than half do and %v have passed since the first did", Grace)
	if s.Life.Closed() {
		need = "all do"
	}
	return fmt.Sprintf("waiting for neighbours to report the last checkpoint they saw of this peer: %s. Nothing is released until %s. If one of them runs, `peerd peers` says why there is no link: where a firewall keeps the two apart, let one of them in, and have its `peerd network move --addr` name the address. If one is lost, see `peerd recover --help` on doing without it", strings.Join(missing, ", "), need)
}
