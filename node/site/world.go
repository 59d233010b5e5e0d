package site

import (
	"errors"
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

// ErrWorld is wrapped by errors about a world other than the saved one.
var ErrWorld = errors.New("this folder was begun with another simulated world, and goes on with no other: set world back, or begin with a new folder (`peerd init`)")

// openWorld makes the simulated world, if one is played. A world that hands records out once is
// played only by a life that has lost nothing: which of them a lost life has handed out cannot be
// known.
func (s *Site) openWorld() error {
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

// saveWorld returns the state of the world, if one is or was played.
func (s *Site) saveWorld() (played bool, state []byte) {
	if s.world != nil {
		return true, s.world.Save()
	}
	return s.resting != nil, s.resting
}

// play makes a decision for a turn of the world, which pays for it at once: a given one, unless the site keeps it.
func (s *Site) play(turn bandit.Turn, e *logRecord) (err error) {
	half, id, p := s.inside.half, fmt.Sprint(e.round), node.Played{}
	if e.kept = half != nil && (!s.agent.Gives() || len(turn.Excluded) > 0); e.kept {
		p, err = half.Keep(id, turn, s.world)
	} else {
		p.Pull.Arm = s.agent.Choose(turn).Arm()
		p.Pull.Features = turn.Of(p.Pull.Arm)
		if p.Pull.Reward, err = s.world.Play(p.Pull.Arm); err == nil && half != nil {
			_, err = half.Add(id, p.Pull)
		}
	}
	if e.played = &p.Pull; half != nil {
		s.inside.learned.add(&choice{arm: p.Pull.Arm, kept: e.kept})
	}
	return err
}

// playAgain repeats a logged round, which must have the same result.
func (s *Site) playAgain(e *logRecord) error {
	if s.world == nil {
		return fmt.Errorf("%w: a round of a simulated world is logged, and none is configured: set world back and stop the peer in good order first", ErrDamaged)
	}
	turn := s.world.Turn(e.round)
	again := bandit.Pull{Arm: e.played.Arm, Features: turn.Of(e.played.Arm)}
	if !e.kept {
		again.Arm = s.agent.Choose(turn).Arm()
	}
	var err error
	again.Reward, err = s.world.Play(again.Arm)
	switch {
	case again.Arm != e.played.Arm:
		return fmt.Errorf("%w: arm %d is chosen, was %d", errNoSense, again.Arm, e.played.Arm)
	case err != nil:
		return fmt.Errorf("%w: the simulated world pays no more: %w", errNoSense, err)
	case math.Float64bits(float64(again.Reward)) != math.Float64bits(float64(e.played.Reward)):
		return fmt.Errorf("%w: the simulated world pays another reward in round %d", errNoSense, e.round)
	}
	e.played.Features = again.Features
	return nil
}
