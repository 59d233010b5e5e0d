package site

import (
	"fmt"
	"math"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// Round ends round t: it observes the rewards that are due, plays a simulated world, and lets the
// agent receive what arrived and send its messages. Nothing leaves the peer before it is durable.
func (s *Site) Round(t protocol.Round, in []protocol.Delivery) error {
	for more := true; more; {
		var err error
		if more, err = s.settle(t); err != nil {
			return err
		}
	}
	if err := s.endRound(t, in); err != nil {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.forget(t, store.Past, &s.oldFrom); err != nil {
			return err
		}
	}
	return s.rest(t, s.settleInside, s.forgetInside)
}

// rest does what no message of round t waits for: some at a time, until the middle of the round, so that the next messages do not wait either.
func (s *Site) rest(t protocol.Round, all ...func(protocol.Round) (more bool, err error)) error {
	until := s.begins(uint64(t)).Add(s.c.Clock.Every / 2)
	for _, some := range all {
		for more := true; more; more = more && s.c.Now().Before(until) {
			var err error
			if more, err = some(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// endRound ends round t after the rewards that are due.
func (s *Site) endRound(t protocol.Round, in []protocol.Delivery) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.store.Full():
		return s.store.Lack()
	case s.broken:
		return errBroken
	case s.standing.Quiet():
		return nil // found since the round began
	}
	protocol.Sort(in)
	e := logRecord{kind: logRound, explore: s.agent.Explored(), round: uint64(t), in: in}
	s.agent.Receive(in)
	if s.world != nil && uint64(t) < s.c.Rounds {
		if turn := s.world.Turn(uint64(t)); !turn.None {
			if err := s.play(turn, &e); err != nil {
				return s.broke(err)
			}
		}
	}
	if err := s.end(&e); err != nil {
		return s.broke(fmt.Errorf("round %d: %w", t, err))
	}
	s.keepBelief()
	b := s.store.Batch()
	if half := s.inside.half; half != nil {
		if half.See(s.agent.Rows()); e.played != nil {
			b.Set(store.Inside, nil, s.inside.bytes())
		}
	}
	if s.tables != nil {
		s.tables.Round(b)
	}
	if err := s.finish(b, &e); err != nil {
		return s.broke(fmt.Errorf("round %d: %w", t, err))
	}
	if s.step-s.saved >= s.saveEvery {
		return s.saveNow()
	}
	return nil
}

// end passes the reward of a played round to the agent and ends the round. The arm was chosen and
// the messages were received before.
func (s *Site) end(e *logRecord) error {
	if p := e.played; p != nil {
		s.state.Regret += s.world.Regret(p.Arm)
		if !e.kept {
			route := s.agent.Chose(protocol.Round(e.round), node.Ruled(p.Arm))
			s.state.Pulls[p.Arm]++
			s.state.Decisions++
			if err := s.agent.Observed(route, *p); err != nil {
				return err
			}
		}
	}
	s.state.Round, s.state.Begun = e.round+1, true
	if s.agent.NoisedCounts() && s.world == nil { // what the learner would choose must not follow from how many it was asked for
		s.agent.Reseed(s.life.Seed.Of(fmt.Sprintf("round/%d", e.round)))
	}
	return s.agent.Tick(protocol.Round(e.round))
}

// settle observes the rewards of some decisions that are due by round t.
func (s *Site) settle(t protocol.Round) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.Look()
	switch {
	case s.store.Full():
		return false, s.store.Lack()
	case s.broken:
		return false, errBroken
	case s.standing.Quiet():
		return false, nil
	}
	e := logRecord{kind: logSettled, round: uint64(t)}
	b := s.store.Batch()
	n := 0
	for due, err := range s.store.Scan(store.Due, s.dueFrom, store.Number(uint64(t)+1)) {
		if err != nil {
			return false, err
		}
		c, err := s.stored(due.Value)
		if err != nil {
			return false, err
		}
		if !c.again() {
			writeAgain(b, string(due.Value), &c)
		}
		if !c.rewarded {
			c.value = bandit.Reward(s.c.Rules.Default)
		}
		if c.counted && c.route.In {
			e.observations = append(e.observations, observation{c.route, bandit.Pull{Arm: c.arm, Features: c.features, Reward: s.c.Rules.Range.observed(c.value)}})
		}
		b.Delete(store.Due, due.Key)
		s.recent.drop(string(due.Value))
		b.Set(store.Past, dueKey(s.after(c.expires.Add(s.c.Rules.Keep)), c.step), due.Value)
		s.dueFrom = append(s.dueFrom[:0], due.Key...)
		if n++; n == chunk {
			break
		}
	}
	if n < chunk {
		s.dueFrom = roundOf(s.dueFrom)
	}
	if n == 0 {
		b.Drop()
		return false, nil
	}
	e.decisions = uint64(n)
	if err := s.settled(&e); err != nil {
		return false, s.broke(err)
	}
	if err := s.finish(b, &e); err != nil {
		return false, s.broke(err)
	}
	return n == chunk, nil
}

// roundOf cuts a key down to its round. Later entries are due in that round or after it, so the
// next scan begins there and need not skip deleted keys.
func roundOf(key []byte) []byte { return key[:min(len(key), 8)] }

// settled passes rewards to the agent.
func (s *Site) settled(e *logRecord) error {
	s.state.Pending -= min(s.state.Pending, e.decisions)
	for i := range e.observations {
		o := &e.observations[i]
		if err := s.agent.Observed(o.route, o.pull); err != nil {
			return err
		}
	}
	return nil
}

// forgetInside does so with kept ones. They have a table of their own, so that given ones do not wait for them to be forgotten.
func (s *Site) forgetInside(t protocol.Round) (more bool, err error) {
	return s.forget(t, store.InsidePast, &s.inside.past)
}

// forget removes some decisions that are remembered only up to round t, from a table that has none before a key.
func (s *Site) forget(t protocol.Round, table store.Table, from *[]byte) (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.store.Batch()
	n := 0
	for past, err := range s.store.Scan(table, *from, store.Number(uint64(t)+1)) {
		if err != nil {
			return false, err
		}
		if err = s.learnBefore(b, string(past.Value)); err != nil {
			return false, err
		}
		b.Delete(table, past.Key)
		*from = append((*from)[:0], past.Key...)
		b.Delete(store.Decision, past.Value)
		if err = s.forgetLate(b, past.Value); err != nil {
			return false, err
		}
		b.Delete(store.Offer, past.Value)
		if n++; n == chunk {
			break
		}
	}
	if n < chunk {
		*from = roundOf(*from)
	}
	if n == 0 {
		b.Drop()
		return false, nil
	}
	s.queue(sending{pending: b.Apply()})
	return n == chunk, nil
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
