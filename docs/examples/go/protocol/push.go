package main

import (
	"fmt"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
)

// pushed is the message of push: the sums of one arm, signed.
const pushed = protocol.FirstFree

// push is the protocol. Every peer sends its neighbours, all others, the running sums of each of its
// arms, and takes the mean over peers.
type push struct {
	Every uint64 `want:"1.." unit:"rounds" doc:"Rounds from one row to the next."`
}

func (push) Words() protocol.Words {
	return protocol.Words{Name: "push", Summary: "every peer sends its sums to its neighbours", Public: "nothing"}
}

func (push) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{pushed: "sums"}, Leaf: "every"}
}

func (p push) Cadence() protocol.Cadence { return protocol.Cadence{Rounds: p.Every, Noun: "row"} }

func (push) Small(leaf uint64) protocol.Params { return push{leaf} }

func (push) New(c protocol.Config) (protocol.Protocol, error) {
	return &pusher{c: c, belief: belief.New(c.Parts, 1), sums: make([]dp.Release, c.Parts*c.Peers())}, nil
}

type pusher struct {
	c      protocol.Config
	belief belief.Belief
	sums   []dp.Release // of every peer, by arm
}

func (p *pusher) Chosen(arm int)                            { p.belief.Pulls[arm]++ }
func (p *pusher) Belief() *belief.Belief                    { return &p.belief }
func (*pusher) Tick(protocol.Round, *protocol.Outbox) error { return nil }

func (p *pusher) Released(own []protocol.Own, out *protocol.Outbox) error {
	for _, o := range own {
		if o.Over {
			continue
		}
		m := p.c.Press.Signed(protocol.Content{
			Kind: pushed, Label: protocol.Label{Origin: p.c.Self, Stream: o.Stream, Seq: o.Number}, Body: []dp.Release{o.Leaf.Sum},
		})
		for _, n := range p.c.Neighbours() {
			out.Send(n, m)
		}
		p.hold(p.c.Self, o.Leaf.Sum)
	}
	return nil
}

func (p *pusher) Receive(from protocol.Peer, m protocol.Message, _ *protocol.Outbox) error {
	if m.Kind() != pushed || m.Body() != 1 || m.Label().Origin != from || int(m.Label().Stream) >= p.c.Parts || !p.c.Press.Authentic(m) {
		return m.Refuse("want the sums of an arm, signed by their sender")
	}
	if r := m.Release(0); r.Stream() != m.Label().Stream || r.Len() != 1 || r.Counts() != 1 {
		return m.Refuse("want one sum and one count")
	}
	p.hold(from, *m.Release(0))
	return nil
}

// hold takes the newest sums of an arm of a peer.
func (p *pusher) hold(from protocol.Peer, sum dp.Release) {
	arm := int(sum.Stream())
	p.of(arm)[from] = sum
	p.merge(arm)
}

// of returns the sums of an arm.
func (p *pusher) of(arm int) []dp.Release { return p.sums[arm*p.c.Peers():][:p.c.Peers()] }

func (p *pusher) merge(arm int) {
	var mean, inverse, sites float64
	var noise dp.NoiseMoments
	for _, r := range p.of(arm) {
		if !r.Empty() && r.Count(0) > 0 {
			n := float64(r.Count(0))
			mean, inverse, sites = mean+r.At(0)/n, inverse+1/n, sites+1
			of := r.NoiseMoments().Over(n)
			noise.LaplaceSumSq, noise.LaplaceMax = noise.LaplaceSumSq+of.LaplaceSumSq, max(noise.LaplaceMax, of.LaplaceMax)
		}
	}
	if sites > 0 {
		p.belief.X[arm], p.belief.SampleVar[arm] = mean/sites, inverse/sites/sites
		p.belief.LaplaceSumSq[arm], p.belief.LaplaceMax[arm] = noise.LaplaceSumSq/sites/sites, noise.LaplaceMax/sites
	}
}

// Save implements protocol.Protocol. Bytes do not become releases, so these are saved as they are.
func (p *pusher) Save() (protocol.State, error) {
	return protocol.Saved(state.Save(1, p.visit), p.sums...), nil
}

// Load implements protocol.Protocol.
func (p *pusher) Load(s protocol.State) error {
	if err := state.Load(s.Bytes(), 1, p.visit); err != nil {
		return fmt.Errorf("%w: %w", protocol.ErrState, err)
	}
	if p.sums = s.Releases(); len(p.sums) != p.c.Parts*p.c.Peers() {
		return fmt.Errorf("%w: sums of %d arms and peers, want %d", protocol.ErrState, len(p.sums), p.c.Parts*p.c.Peers())
	}
	for arm := range p.c.Parts {
		p.merge(arm)
	}
	return nil
}

func (p *pusher) visit(v *state.Visitor) { v.Uints(p.belief.Pulls) }
