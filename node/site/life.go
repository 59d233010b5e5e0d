package site

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

const (
	lifeKey  = "life"
	claimKey = "claim"
	againKey = "again" // written for the sake of writing
)

// Life is what tells one life of a peer from another.
type Life struct {
	Seed        node.Seed // of its coins; noise has a source of its own
	Incarnation uint32
	Closed      []uint64 // leaves that earlier lives closed, by arm; nil for none
}

// life is a Life as it is stored.
type life struct {
	Life
	Salt  [16]byte // of the hashes of subjects
	Taken uint64   // records that peers remembered when [Site.Adopt] took over; 0 before
	Gap   uint64   // the number of the record that says so
}

func (l *life) public() Life {
	p := l.Life
	p.Closed = slices.Clone(l.Closed)
	return p
}

// NewIncarnation returns the number of a life that begins now: seconds since 2020,
// which last for a century.
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
	return true, decode(b, &s.life)
}

// begin makes up a life. It is stored with the first charge.
func (s *Site) begin() (err error) {
	s.life.Seed = node.FreshSeed()
	salt := node.FreshSeed()
	copy(s.life.Salt[:], salt[:])
	s.life.Incarnation, err = NewIncarnation(s.c.Now())
	return err
}

// charge begins the ledger and pays for the horizon, before anything can be drawn.
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
	v, err := encode(&s.life)
	if err != nil {
		return err
	}
	b.Set(store.Meta, []byte(lifeKey), v)
	if v, err = encode(s.c.Fixed); err != nil {
		return err
	}
	b.Set(store.Meta, []byte(fixedKey), v)
	s.show()
	if err := s.snapshot(b); err != nil {
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

func armOf(i int) bandit.Arm { return bandit.Arm(i) }

// encode and decode are for what is written seldom.
func encode(v any) ([]byte, error) {
	b := bytes.NewBuffer([]byte{stateVersion})
	err := gob.NewEncoder(b).Encode(v)
	return b.Bytes(), err
}

func decode(b []byte, v any) error {
	if len(b) == 0 || b[0] != stateVersion {
		return fmt.Errorf("%w: version %x, want %d", ErrDamaged, b[:min(len(b), 1)], stateVersion)
	}
	if err := gob.NewDecoder(bytes.NewReader(b[1:])).Decode(v); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}
