package audit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/protocol"
)

// errDeparts is wrapped by errors about a peer that was restarted, or given another play's nodes,
// and did not do the same.
var errDeparts = errors.New("departs")

// A peer is an agent with what its store would hold: a saved state and the steps since.
type peer struct {
	coins   node.Seed // of single choices
	make    func() (*node.Agent, error)
	agent   *node.Agent
	half    *kept.Half // nil unless it is audited and keeps decisions; it outlives the agent, and the log has nothing of it
	charge  dp.Charge
	audited bool // its frames are checked
	durable bool // it keeps its steps, and can be restarted
	saved   dp.Secret
	log     []step
}

// A step is a round of a peer: what it received, and what followed.
type step struct {
	round protocol.Round
	in    []protocol.Delivery
	node.Played
	features []bandit.Features // of every arm; nil unless the learner is contextual
	absent   bool              // no user came; the arm is what would have been chosen
	asked    bool              // a user asked, and is in no record
	taken    bool              // the application took the arm
	proposed bandit.Arm        // what the agent would have chosen then
	drawn    []dp.Release
	hidden   dp.Secret // noise drawn with them that they do not show
	out      []sent
	gives    bool // the next decision is to be given
}

// Format implements [fmt.Formatter]: a step contains a reward.
func (step) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// A sent is a message that left.
type sent struct {
	round   protocol.Round
	to      protocol.Peer
	message protocol.Message
	frame   []byte
}

// same reports whether both went to the same peer in the same round, byte for byte.
func (s *sent) same(o *sent) bool {
	return s.round == o.round && s.to == o.to && bytes.Equal(s.frame, o.frame)
}

func newPeer(coins node.Seed, audited, durable bool, make func() (*node.Agent, error)) (*peer, error) {
	p := &peer{coins: coins, audited: audited, durable: durable, make: make}
	var err error
	if p.agent, err = make(); err != nil {
		return nil, err
	}
	charges := p.agent.Ready().Charges
	if want := 1; p.agent.Idle() && len(charges) > 0 || !p.agent.Idle() && len(charges) != want {
		return nil, fmt.Errorf("audit: %d charges, want %d, or none of an idle peer", len(charges), want)
	}
	if len(charges) > 0 {
		p.charge = charges[0]
	}
	return p, p.save()
}

// save saves the state; earlier steps may be discarded.
func (p *peer) save() (err error) {
	if !p.durable {
		return nil
	}
	p.saved, err = p.agent.Save()
	p.log = p.log[:0]
	return err
}

// play plays a round of a world that pays what w says; nothing if no user comes.
func (p *peer) play(t protocol.Round, in []protocol.Delivery, w world) (step, error) {
	s := step{round: t, in: in, features: w.features, absent: w.pay == nil, asked: w.asked}
	err := p.keep(t, w)
	if err != nil {
		return s, err
	}
	if s.asked {
		p.agent.Choose(bandit.Turn{Round: uint64(t), Features: w.features})
	}
	if p.agent.NoisedCounts() { // as a site does
		p.agent.Reseed(p.coins.Of(fmt.Sprintf("choice %d", t)))
	}
	if s.absent {
		// Coins are independent between choices, so an absent user's coins may go unused.
		p.agent.Receive(in)
		turn := w.Turn(uint64(t))
		s.Pull.Arm = p.agent.Choose(turn).Arm()
		s.Pull.Features = turn.Of(s.Pull.Arm)
		err = p.agent.Tick(t)
	} else if w.takes {
		err = p.take(&s, w)
	} else {
		s.Played, err = p.agent.Round(t, in, w)
	}
	if err == nil && p.half != nil {
		if p.half.See(p.agent.Rows()); s.Pull.Arm != bandit.NoArm && !s.absent {
			_, err = p.half.Add(fmt.Sprint(t), s.Pull)
		}
	}
	if err != nil {
		return s, err
	}
	s.gives = p.agent.Gives()
	r := p.agent.Ready()
	s.drawn, s.hidden = slices.Clone(r.Drawn), r.Hidden
	for _, e := range r.Messages {
		m := sent{round: t, to: e.To, message: e.Message}
		if p.audited {
			m.frame = protocol.Encode(nil, e.Message)
		}
		s.out = append(s.out, m)
	}
	if p.durable {
		p.log = append(p.log, s)
	}
	return s, nil
}

// keep makes the kept decisions of a round: before the given one, which must not depend on them.
func (p *peer) keep(t protocol.Round, w world) error {
	for i, reward := range w.kept {
		pays := world{features: w.features, pay: func(bandit.Arm) bandit.Reward { return reward }}
		if _, err := p.half.Keep(fmt.Sprint(t, i), pays.Turn(uint64(t)), pays); err != nil {
			return err
		}
	}
	return nil
}

// take plays a round in which the application takes an arm, as a site does in its shadow.
func (p *peer) take(s *step, w world) (err error) {
	p.agent.Receive(s.in)
	turn := w.Turn(uint64(s.round))
	s.taken, s.proposed = true, p.agent.Choose(turn).Arm()
	s.Pull.Arm, s.Pull.Features = w.taken, turn.Of(w.taken)
	s.Route = p.agent.Chose(s.round, node.Ruled(w.taken))
	if s.Pull.Reward, err = w.Play(w.taken); err != nil {
		return err
	}
	if err = p.agent.Observed(s.Route, s.Pull); err != nil {
		return err
	}
	return p.agent.Tick(s.round)
}

// given plays a round in which nothing is drawn: it takes the noise of an earlier one.
func (p *peer) given(t protocol.Round, in []protocol.Delivery, w world, earlier *step) (step, error) {
	p.agent.Replay(earlier.drawn, earlier.hidden)
	s, err := p.play(t, in, w)
	if err = errors.Join(err, p.agent.Replayed()); err != nil {
		return s, fmt.Errorf("%w in round %d: %w", errDeparts, t, err)
	}
	return s, nil
}

// restart makes the agent again from the saved state and the log, as a site does after a crash,
// and returns what the newest step sends again.
func (p *peer) restart() ([]sent, error) {
	var err error
	if p.agent, err = p.make(); err != nil {
		return nil, err
	}
	if err = p.agent.Load(p.saved); err != nil {
		return nil, err
	}
	log, half := p.log, p.half
	p.log, p.half = nil, nil // it has the records of these steps
	defer func() { p.half = half }()
	var again step
	for _, s := range log {
		w := world{features: s.features, none: s.Pull.Arm == bandit.NoArm, asked: s.asked, takes: s.taken, taken: s.Pull.Arm}
		if !s.absent {
			w.pay = func(bandit.Arm) bandit.Reward { return s.Pull.Reward }
		}
		again, err = p.given(s.round, s.in, w, &s)
		switch {
		case err != nil:
			return nil, err
		case again.Pull.Arm != s.Pull.Arm || again.proposed != s.proposed:
			return nil, fmt.Errorf("%w in round %d: another arm was chosen", errDeparts, s.round)
		case !slices.EqualFunc(again.drawn, s.drawn, dp.Release.Equal):
			return nil, fmt.Errorf("%w in round %d: a node that was drawn has another value", errDeparts, s.round)
		case again.gives != s.gives:
			return nil, fmt.Errorf("%w in round %d: another decision is to be given", errDeparts, s.round)
		case !slices.EqualFunc(again.out, s.out, func(a, b sent) bool { return a.same(&b) }):
			return nil, fmt.Errorf("%w in round %d: something else was sent", errDeparts, s.round)
		}
	}
	return again.out, nil
}

// world pays rewards.
type world struct {
	features []bandit.Features                  // nil unless the learner is contextual
	pay      func(arm bandit.Arm) bandit.Reward // nil if no user comes
	none     bool                               // no user comes in either history
	asked    bool                               // but one asks
	takes    bool                               // the application takes an arm
	taken    bandit.Arm
	kept     []bandit.Reward // what users pay whose decisions are kept, besides
}

// Turn implements [bandit.World].
func (w world) Turn(round uint64) bandit.Turn {
	return bandit.Turn{Round: round, Features: w.features, None: w.none}
}

// Play implements [bandit.World].
func (w world) Play(arm bandit.Arm) (bandit.Reward, error) { return w.pay(arm), nil }

// Regret implements [bandit.World]; there is no referee.
func (w world) Regret(bandit.Arm) float64 { return 0 }

// Save implements [bandit.World]; rewards depend only on the round.
func (w world) Save() []byte { return nil }

// Load implements [bandit.World].
func (w world) Load([]byte) error { return nil }
