package site

import (
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/store"
)

// restore brings the site to the state in which it stopped: it loads the newest snapshot and
// repeats the steps that were logged after it. The agent takes its nodes from the log instead of
// drawing them, and every choice, node and reward of a simulated world must be the same.
func (s *Site) restore() error {
	v, err := s.store.Get(store.Snapshot, nil)
	if err != nil {
		return err
	}
	snap, err := parseSnapshot(v, len(s.c.Arms))
	if err != nil {
		return err
	}
	if err = s.loadAgent(&snap); err != nil {
		return err
	}
	if err = s.loadWorld(&snap); err != nil {
		return err
	}
	s.state, s.step, s.saved = snap.state, snap.step, snap.step
	if err = s.readChain(); err != nil {
		return err
	}
	s.keepBelief()
	if b := &snap.belief; len(b.Means) > 0 {
		s.belief.Means, s.belief.Samples, s.belief.Noise = b.Means, b.Samples, b.Noise
	}
	records := snap.records
	for e, err := range s.store.Scan(store.Log, store.Number(s.step+1), nil) {
		if err != nil {
			return err
		}
		if step := store.ReadNumber(e.Key); step != s.step+1 {
			return fmt.Errorf("%w: step %d after step %d", ErrDamaged, step, s.step)
		}
		n, err := s.replay(e.Value)
		if err != nil {
			return fmt.Errorf("step %d: %w", s.step+1, err)
		}
		s.step++
		records += n
	}
	if records != s.chain.Next {
		return fmt.Errorf("%w: %d releases were logged, but the ledger has %d records, want %d", ErrDamaged, records-snap.records, s.chain.Next, records)
	}
	s.state.Left = s.agent.Left()
	return nil
}

// blank returns features for a choice whose features are not known any more, or nil. Features are
// not logged, but the choice is, and a choice draws as many random numbers with any features.
func (s *Site) blank() []bandit.Features {
	if s.c.Inputs.Dim() == 0 {
		return nil
	}
	return slices.Repeat([]bandit.Features{make(bandit.Features, s.c.Inputs.Dim())}, len(s.c.Arms))
}

// replay repeats a logged step and returns how many nodes were drawn in it.
func (s *Site) replay(v []byte) (uint64, error) {
	e, err := parseLogRecord(v, s.c.shape())
	if err != nil {
		return 0, err
	}
	s.agent.Replay(e.drawn, e.hidden)
	configured := s.agent.Explored()
	defer s.agent.Explore(configured)
	s.agent.Explore(e.explore)
	switch e.kind {
	case logChosen:
		if e.learner {
			c := s.agent.Choose(bandit.Turn{Round: e.turn, Excluded: e.excluded, Features: s.blank()})
			if c.Arm() != e.chosen && s.c.Inputs.Dim() == 0 && !s.agent.NoisedCounts() { // whose coins the start drew
				return 0, fmt.Errorf("%w: arm %d is chosen, was %d", errNoSense, c.Arm(), e.chosen)
			}
		}
		s.take(&e)
	case logSettled:
		err = s.settled(&e)
	case logRound:
		s.agent.Receive(e.in)
		if e.played != nil {
			if err = s.playAgain(&e); err != nil {
				return 0, err
			}
		}
		if err = s.end(&e); err == nil {
			s.keepBelief()
		}
	}
	if err != nil {
		return 0, err
	}
	ready := s.agent.Ready()
	if err := s.agent.Replayed(); err != nil {
		return 0, err
	}
	if !slices.EqualFunc(ready.Drawn, e.drawn, dp.Release.Equal) {
		return 0, fmt.Errorf("%w: %d nodes are drawn, were %d", errNoSense, len(ready.Drawn), len(e.drawn))
	}
	s.state.Released += uint64(len(e.drawn))
	return uint64(len(e.drawn)), nil
}
