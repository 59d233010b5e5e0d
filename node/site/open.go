package site

import (
	"bytes"
	"errors"
	"log/slog"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/signed"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
)

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
	found, err := s.readLife()
	if err != nil {
		return nil, err
	}
	steps := []func() error{s.begin, s.readMembership, s.openAgent, s.charge}
	if found {
		steps = []func() error{s.checkPinned, s.readMembership, s.openAgent, s.restore}
	}
	for _, do := range append(steps, s.openInside, s.reserve, s.openTables, s.openStanding, s.openConfirmed, s.noteSettings) {
		if err = do(); err != nil {
			return nil, err
		}
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
	for _, k := range s.c.Keepers {
		k.Close()
	}
	return errors.Join(err, s.store.Close())
}

// readLife reads the life of the store, if it has begun.
func (s *Site) readLife() (found bool, err error) {
	if err = CheckNewer(s.store); err != nil {
		return false, err
	}
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

// openAgent makes the agent, and the simulated world, if one is played. A world that hands records out once is
// played only by a life that has lost nothing: which of them a lost life has handed out cannot be
// known.
func (s *Site) openAgent() (err error) {
	if s.agent, err = s.c.Agent(s.life.Life); err != nil {
		return err
	}
	s.insight = s.agent.Insight()
	if s.agent.Idle() {
		s.c.Streams, s.c.World = 0, nil
	}
	if s.c.World == nil {
		return nil
	}
	w, err := s.c.World(s.life.Life)
	if _, finite := w.(bandit.Finite); err != nil || finite && s.life.Began() {
		return err
	}
	s.world = w
	return nil
}

// openStanding reads what others know of this peer.
func (s *Site) openStanding() (err error) {
	c := standing.Config{Store: s.store, Ledger: &s.chain, Confirmed: &s.confirmed.kept, Released: &s.state.Released, Life: &s.life.Recovery, SaveLife: s.saveLife, Now: s.c.Now, Log: s.log, Alarm: s.c.Alarm}
	if s.standing, err = standing.Read(c, s.members()); err == nil {
		s.signed, err = signed.Read(s.store)
	}
	for _, k := range s.c.Keepers {
		err = errors.Join(err, k.Open(s.store))
	}
	return err
}
