package site

import (
	"bytes"
	"errors"
	"fmt"

	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
)

// join sets the site's membership.
func (s *Site) join(m *Membership) {
	s.c.Membership = *m
	s.nameArms()
}

// readMembership makes the site begin with the membership with which its state was made, even if
// there is a newer one: a replay must repeat what was done.
func (s *Site) readMembership() error {
	if s.c.Memberships == nil {
		return nil
	}
	v, err := s.store.Get(store.Meta, []byte(membershipKey))
	if err != nil || v == nil {
		return err
	}
	if !bytes.Equal(v, s.c.Document) {
		m, err := s.c.Memberships(v)
		if err != nil {
			return err
		}
		s.join(&m)
	}
	return nil
}

// SetMembership continues with another membership. It is equivalent to a stop and a start: an
// agent of the new membership takes over the agent's state, in one durable batch with the
// document. After an error nothing has changed.
func (s *Site) SetMembership(m Membership) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return errors.New("the site is closed")
	case s.broken:
		return errBroken
	case s.store.Full():
		return s.store.Lack()
	}
	x, err := s.snapshot()
	if err != nil {
		return err
	}
	witnesses := s.standing.Without(m.Gone)
	before, insight := s.agent, s.insight
	undo := func(err error) error {
		s.agent, s.insight = before, insight
		return fmt.Errorf("the new membership: %w", err)
	}
	if s.agent, err = m.Agent(s.life.Life); err != nil {
		return undo(err)
	}
	if err = s.loadAgent(&x); err != nil {
		return undo(err)
	}
	b := s.store.Batch()
	if err = s.saveSnapshot(b); err != nil {
		return undo(err)
	}
	b.Set(store.Meta, []byte(membershipKey), m.Document)
	standing.SaveWitnesses(b, witnesses)
	if err = b.Commit(); err != nil {
		return s.broke(err)
	}
	s.join(&m)
	s.standing.SetMembers(s.members(), witnesses)
	if s.tables != nil {
		s.tables.Change()
	}
	if err = s.openInside(); err != nil {
		return s.broke(err)
	}
	return nil
}
