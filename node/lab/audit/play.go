package audit

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// faults returns the faults of the network between the peers. A duplicate message also stands for
// a repeated question.
func faults() sim.Faults { return sim.Faults{Loss: .1, Duplicate: .1, Reorder: .2} }

// A play is one run of a small network of agents.
type play struct {
	canary  *Canary
	side    int       // which of the two histories peer 0 has
	coins   node.Seed // public: for choices, schedules and faults
	restart bool      // peer 0 crashes once and restarts from its store
	keep    bool      // keep every frame
	noise   func(peer int) *dp.Source
	given   *transcript // draw nothing, take the nodes of this play

	peers   []*peer
	network *sim.Network
	rng     *rand.Rand // for faults
	t       *transcript
}

// A transcript is what anyone could see of peer 0, and what only the auditor knows.
type transcript struct {
	canary  *Canary
	side    int
	charge  dp.Charge
	asked   dp.Charge   // the charge that the configuration implies
	nodes   []drawnNode // of all peers
	parts   []int       // parts of the statistic that peer 0's choices update or, if an application takes arms, what is proposed
	frames  []sent      // peer 0's, with keep
	shape   []outline   // of each frame
	size    int         // of all frames, in bytes
	steps   [][]step    // by peer and round; with keep
	unpaid  string      // a node that the charge does not pay for, or that was drawn twice
	crashed bool        // peer 0 crashed and restarted
	departs error       // peer 0 did not repeat what it had done
	twin    *transcript // of the other history, with the nodes of this one
}

// run plays. What an audit is to find is in the transcript; an error is something else.
func (p *play) run(ctx context.Context) (*transcript, error) {
	p.t = &transcript{canary: p.canary, side: p.side, steps: make([][]step, Peers)}
	p.rng = p.coins.Rand("faults")
	p.peers = nil
	var err error
	if p.network, err = sim.NewNetwork(Peers, faults(), p.rng); err != nil {
		return nil, err
	}
	known := make([]notes, Peers)
	opened, err := p.canary.setting.spec.Streams()
	if err != nil {
		return nil, err
	}
	streams, err := newBlank(opened)
	if err != nil {
		return nil, err
	}
	learner, err := p.canary.setting.spec.NewLearner(node.Coins{})
	if err != nil {
		return nil, err
	}
	for i := range Peers {
		n, err := newPeer(p.coins.Of(fmt.Sprintf("choices %d", i)), i == 0, p.restart && i == 0, func() (*node.Agent, error) { return p.agent(i) })
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if n.half, err = kept.New(&p.canary.setting.spec, 0, p.coins.Of("kept")); err != nil {
				return nil, err
			}
		}
		p.peers = append(p.peers, n)
		if known[i], err = newNotes(i, n.charge, streams, &p.canary.setting); err != nil {
			return nil, err
		}
		known[i].learner = learner
	}
	p.t.charge, p.t.asked = p.peers[0].charge, streams.charge
	crash, save := p.plan()
	for t := range p.canary.setting.rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range Peers {
			s, err := p.step(i, protocol.Round(t))
			if errors.Is(err, errDeparts) {
				p.t.departs = err
				return p.t, nil
			} else if err != nil {
				return nil, err
			}
			p.send(i, s.out)
			if err := known[i].enter(p, &s); err != nil && p.t.unpaid == "" {
				p.t.unpaid = fmt.Sprintf("%s: peer %d in round %d: %v", p.canary.Name, i, t, err)
			}
			if p.keep {
				p.t.steps[i] = append(p.t.steps[i], s)
			}
			switch {
			case i > 0 || s.Pull.Arm == bandit.NoArm:
			case s.taken:
				p.t.parts = append(p.t.parts, int(s.proposed))
			default:
				p.t.parts = append(p.t.parts, learner.Part(s.Pull.Arm))
			}
		}
		if p.restart && t == save {
			if err := p.peers[0].save(); err != nil {
				return nil, err
			}
		}
		if p.restart && t == crash {
			p.t.crashed = true
			again, err := p.peers[0].restart()
			if err != nil && !errors.Is(err, errDeparts) {
				return nil, err
			}
			if p.t.departs = err; err != nil {
				return p.t, nil
			}
			p.send(0, again)
		}
		p.network.Turn()
	}
	for i := range known {
		known[i].end(p)
	}
	return p.t, nil
}

// plan returns after which rounds peer 0 crashes, and saves its state before.
func (p *play) plan() (crash, save uint64) {
	crash = p.rng.Uint64N(p.canary.setting.rounds)
	return crash, p.rng.Uint64N(crash + 1)
}

func (p *play) agent(i int) (*node.Agent, error) {
	spec := p.canary.setting.spec
	c := node.PeerConfig{
		Self: protocol.Peer(i), Seed: p.coins.Of(fmt.Sprintf("peer %d", i)),
		Keys: vouch.For[protocol.Keys](forgeable.Keys(i)), Topic: p.canary.setting.topic,
	}
	spec.Privacy.Mode, c.Noise = dp.Private, dp.NewSecureSource()
	if spec.Wrap != nil {
		spec.Privacy.Mode = dp.Lockstep // no other peer is wrapped
	}
	if p.noise != nil && p.given == nil {
		spec.Privacy.Mode, c.Noise = dp.Lockstep, p.noise(i)
	}
	return spec.Agent(c)
}

// step plays a round of peer i on what arrived.
func (p *play) step(i int, t protocol.Round) (step, error) {
	in := slices.Clone(p.network.Take(i)) // a durable peer keeps it
	w := world{features: p.canary.features(p.side, uint64(t), i), pay: func(arm bandit.Arm) bandit.Reward {
		if i > 0 {
			return other(uint64(t), int(arm))
		}
		return bandit.Reward(p.canary.reward(p.side, uint64(t), int(arm)))
	}}
	w.none = i == 0 && p.canary.asked && t%2 == 0
	w.asked = w.none && p.side == 1
	if w.takes = i == 0 && p.canary.taken; w.takes {
		w.taken = p.canary.takes(p.side, uint64(t))
	}
	if i == 0 && p.canary.absent(p.side, uint64(t)) {
		w.pay = nil
	}
	if i == 0 {
		w.kept = p.canary.keeps(p.side, uint64(t))
	}
	if p.given != nil {
		if int(t) >= len(p.given.steps[i]) {
			return step{}, fmt.Errorf("%w in round %d: the first play ended there", errDeparts, t)
		}
		return p.peers[i].given(t, in, w, &p.given.steps[i][t])
	}
	return p.peers[i].play(t, in, w)
}

// other is what users of the other peers pay.
func other(t uint64, arm int) bandit.Reward { return bandit.Reward((t + uint64(arm)) % 2) }

// send records what peer 0 sends and delivers all messages that are not lost.
func (p *play) send(from int, out []sent) {
	for _, s := range out {
		if from == 0 {
			p.t.size += len(s.frame)
			p.t.shape = append(p.t.shape, newOutline(&s))
			if p.keep {
				p.t.frames = append(p.t.frames, s)
			}
		}
		for to := range Peers {
			if to == from || s.to != protocol.Everyone && int(s.to) != to {
				continue
			}
			p.network.Post(s.round, from, to, &s.message)
		}
	}
}
