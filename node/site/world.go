package site

import (
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/node"
)

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
