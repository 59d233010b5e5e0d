package site

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/store"
)

// finish logs a step with all its consequences, and queues it for sending once it is durable.
func (s *Site) finish(b *store.Batch, e *logRecord) error {
	ready := s.agent.Ready()
	e.drawn, e.hidden = ready.Drawn, ready.Hidden
	s.step++
	b.Set(store.Log, store.Number(s.step), e.bytes())
	for _, r := range ready.Drawn {
		body := ledger.Released(e.round, r)
		if s.c.Conceal {
			opening, err := body.Conceal()
			if err != nil {
				return err
			}
			b.Set(store.Opening, store.Number(s.chain.Next), opening)
		}
		if err := s.append(b, body); err != nil {
			return err
		}
	}
	s.note(ready)
	s.noteAlone()
	s.noteClipped()
	if len(ready.Messages) > 0 {
		b.Set(store.Outbox, store.Number(s.step), outbox(ready.Messages))
	}
	s.sweep(b)
	s.signed.Save(b, s.c.ID)
	for _, k := range s.c.Keepers {
		k.Save(b)
	}
	at := s.begins(e.round).Add(s.offset())
	s.queue(sending{b.Apply(), s.step, s.checkpoint(), slices.Clone(ready.Messages), at, s.newest()})
	return nil
}

func (s *Site) note(r node.Ready) {
	s.state.Released += uint64(len(r.Drawn))
	s.state.Left = s.agent.Left()
	s.counts.refused += uint64(len(r.Refused))
	for _, err := range r.Refused {
		s.noteFault(err)
	}
	if len(r.Charges) > 0 {
		s.log.Error("a charge outside of the first step") // cannot happen: the agent opens its streams when it is made
	}
}

// errBroken is returned by a site whose agent and log differ.
var errBroken = errors.New("a step could not be logged, so none may follow it")

// errNoSense is wrapped by errors that a crash cannot explain.
var errNoSense = fmt.Errorf("%w: what is replayed differs from what was done", ErrDamaged)

// broke records that the agent has taken a step that is not in the log. Nothing that the agent
// does afterwards may be stored, or a replay would differ.
func (s *Site) broke(err error) error {
	s.broken = true
	return err
}

const chunk = 64 // decisions settled or forgotten in a step, so that others get a turn

// scan reads all decisions of a table that has their ids.
func (s *Site) scan(t store.Table, do func(id []byte, c *choice)) error {
	for e, err := range s.store.Scan(t, nil, nil) {
		if err != nil {
			return err
		}
		c, err := s.stored(e.Value)
		if err != nil {
			return err
		}
		do(e.Value, &c)
	}
	return nil
}

// stored returns the decision with an id.
func (s *Site) stored(id []byte) (c choice, err error) {
	v, err := s.store.Get(store.Decision, id)
	if err != nil {
		return c, err
	}
	return parseChoice(v, s.c.shape())
}
