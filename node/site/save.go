package site

import (
	"errors"
	"fmt"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/store"
)

// keepBelief copies the agent's belief.
func (s *Site) keepBelief() {
	known := s.agent.Summary()
	s.insight.See(s.agent.Belief())
	s.belief = lastBelief{known.Estimates, known.Samples, known.NoiseDevs, known.Parameter, s.agent.Support(), s.insight.Best(), s.insight.Drifted(), s.insight.Bounds()}
}

// snapshot returns the state after the newest step.
func (s *Site) snapshot() (x snapshot, err error) {
	agent, err := s.agent.Save()
	if err != nil {
		return x, err
	}
	x = snapshot{state: s.state, belief: s.belief, step: s.step, records: s.chain.Next, agent: agent.Bytes()}
	x.state.Pulls = slices.Clone(s.state.Pulls)
	x.played, x.world = s.saveWorld()
	return x, nil
}

// saveSnapshot saves the state after the newest step and removes the log before it.
func (s *Site) saveSnapshot(b *store.Batch) error {
	x, err := s.snapshot()
	if err != nil {
		return err
	}
	b.Set(store.Snapshot, nil, x.bytes())
	b.DeleteBelow(store.Log, store.Number(s.step+1))
	s.saved = s.step
	return nil
}

// saveNow saves a snapshot in a batch of its own.
func (s *Site) saveNow() error {
	b := s.store.Batch()
	if err := s.saveSnapshot(b); err != nil {
		return err
	}
	s.queue(sending{pending: b.Apply()})
	return nil
}

// saveWorld returns the state of the world, if one is or was played.
func (s *Site) saveWorld() (played bool, state []byte) {
	if s.world != nil {
		return true, s.world.Save()
	}
	return s.resting != nil, s.resting
}

// loadAgent loads a snapshot into the agent, which is new.
func (s *Site) loadAgent(x *snapshot) error {
	if err := s.agent.Load(dp.NewSecret(vouch.For(x.agent))); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	s.insight = s.agent.Insight()
	return nil
}

// loadWorld loads the world's state from a snapshot. A world that is not played in this start
// keeps its state for a later one.
func (s *Site) loadWorld(x *snapshot) error {
	switch {
	case !x.played:
	case s.world == nil:
		s.resting = x.world
	default:
		if err := s.world.Load(x.world); err != nil {
			return fmt.Errorf("%w: %w", ErrWorld, err)
		}
	}
	return nil
}

// ErrWorld is wrapped by errors about a world other than the saved one.
var ErrWorld = errors.New("this folder was begun with another simulated world, and goes on with no other: set world back, or begin with a new folder (`peerd init`)")
