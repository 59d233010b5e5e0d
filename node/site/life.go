package site

import (
	"fmt"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// Keys of the table of single values.
const (
	lifeKey     = "life"
	pinnedKey   = "pinned"
	settingsKey = "settings"
	evidenceKey = "evidence"
	witnessKey  = "witnesses"
	syncKey     = "sync"  // written only to wait for the disk
	forkKey     = "fork " // and a peer's id: its checkpoints that no single ledger contains
)

// Life is what differs between the lives of a peer.
type Life struct {
	Seed        node.Seed // of its coins; noise has a source of its own
	Incarnation uint32
}

// life is a Life in the form that is stored.
type life struct {
	Life
	Salt    [16]byte // of the hashes of subjects
	Taken   uint64   // records that peers remembered at [Site.Recover]; 0 before
	Gap     uint64   // number of the ledger record of that recovery
	Without []string // ids of the neighbours for which it did not wait
	Opened  bool     // something may have been released since
}

func (l *life) fields(v *state.Visitor) {
	array(v, l.Seed[:])
	state.Number(v, &l.Incarnation)
	array(v, l.Salt[:])
	v.Uint(&l.Taken)
	v.Uint(&l.Gap)
	state.List(v, &l.Without, v.String)
	v.Bool(&l.Opened)
}

func (l *life) bytes() []byte { return state.Save(lifeVersion, l.fields) }

func parseLife(b []byte) (l life, err error) {
	err = decode("life", b, lifeVersion, lifeVersion, l.fields)
	return l, err
}

// NewIncarnation returns the number of a life that begins now: seconds since 2020, enough for a
// century.
func NewIncarnation(now time.Time) (uint32, error) {
	age := now.Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	if age < 0 {
		return 0, fmt.Errorf("the clock says %s: set it, or others will take this peer for an old one", now.Format(time.DateOnly))
	}
	return uint32(age / time.Second), nil
}

// readLife reads the life of the store, if it has begun.
func (s *Site) readLife() (found bool, err error) {
	b, err := s.store.Get(store.Meta, []byte(lifeKey))
	if err != nil || b == nil {
		return false, err
	}
	s.life, err = parseLife(b)
	return true, err
}

// begin draws a new life, which is stored with the first charge.
func (s *Site) begin() (err error) {
	s.life.Seed = s.c.Coins()
	salt := node.FreshSeed()
	copy(s.life.Salt[:], salt[:])
	s.life.Incarnation, err = NewIncarnation(s.c.Now())
	return err
}

// charge begins the ledger and pays for the horizon, before anything can be drawn. The ledger of
// an idle peer, which has nothing to pay for, has only its genesis.
func (s *Site) charge() error {
	g := s.c.Genesis
	g.Incarnation = s.life.Incarnation
	b := s.store.Batch()
	bodies := []ledger.Body{&g}
	for _, c := range s.agent.Ready().Charges {
		bodies = append(bodies, ledger.Opened(c))
	}
	for _, body := range bodies {
		if err := s.append(b, body); err != nil {
			return err
		}
	}
	s.state.Left = s.agent.Left()
	b.Set(store.Meta, []byte(lifeKey), s.life.bytes())
	b.Set(store.Meta, []byte(pinnedKey), pinnedBytes(s.c.Pinned))
	if s.c.Memberships != nil {
		b.Set(store.Meta, []byte(membershipKey), s.c.Document)
	}
	s.blocked.witnesses = s.neighbours() // what this folder knows of an older one under its key
	b.Set(store.Meta, []byte(witnessKey), s.witnessBytes())
	s.keepBelief()
	if err := s.saveSnapshot(b); err != nil {
		return err
	}
	if err := s.keepConfirmed(b); err != nil {
		return err
	}
	return b.Commit()
}

// append adds a record to the ledger.
func (s *Site) append(b *store.Batch, body ledger.Body) error {
	line, err := s.chain.Append(body)
	if err != nil {
		return err
	}
	b.Set(store.Ledger, store.Number(s.chain.Next-1), line)
	return nil
}

// recovered reports whether this life began with [Site.Recover].
func (s *Site) recovered() bool { return s.life.Taken > 0 }

// closed reports whether this life began with [Site.Recover] and has not been open since.
func (s *Site) closed() bool { return s.recovered() && !s.life.Opened }

// fresh reports whether nothing was released since this life began, either in a new folder under
// an old key or after [Site.Recover].
func (s *Site) fresh() bool {
	if s.recovered() {
		return s.chain.Next == s.life.Gap+1
	}
	return s.state.Released == 0
}
