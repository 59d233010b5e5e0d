package site

import (
	"fmt"
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/form"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
)

// Keys of the table of single values.
const (
	lifeKey     = "life"
	pinnedKey   = "pinned"
	settingsKey = "settings"
	syncKey     = "sync" // written only to wait for the disk
)

// Life is what differs between the lives of a peer.
type Life struct {
	Seed        node.Seed // of its coins; noise has a source of its own
	Incarnation uint32
}

// life is a Life in the form that is stored.
type life struct {
	Life
	Salt [16]byte // of the hashes of subjects
	standing.Recovery
}

func (l *life) fields(v *state.Visitor) {
	form.Array(v, l.Seed[:])
	state.Number(v, &l.Incarnation)
	form.Array(v, l.Salt[:])
	v.Uint(&l.Taken)
	v.Uint(&l.Gap)
	state.List(v, &l.Without, v.String)
	v.Bool(&l.Opened)
}

func (l *life) bytes() []byte { return state.Save(lifeVersion, l.fields) }

func (s *Site) saveLife(b *store.Batch) { b.Set(store.Meta, []byte(lifeKey), s.life.bytes()) }

func parseLife(b []byte) (l life, err error) {
	err = form.Decode("life", b, lifeVersion, lifeVersion, l.fields)
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
	s.saveLife(b)
	b.Set(store.Meta, []byte(pinnedKey), pinnedBytes(s.c.Pinned))
	if s.c.Memberships != nil {
		b.Set(store.Meta, []byte(membershipKey), s.c.Document)
	}
	standing.SaveWitnesses(b, s.c.neighbours()) // what this folder knows of an older one under its key
	s.keepBelief()
	if err := s.saveSnapshot(b); err != nil {
		return err
	}
	if err := s.keepConfirmed(b); err != nil {
		return err
	}
	return b.Commit()
}
