package averaging

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/spread"
)

// consensus is running consensus (Li, Song and Fragouli 2020, equations 5 to 7): in every round n ←
// P(n+ξ) and s ← P(s+ds), where ξ counts the rewards of the round and ds is what the private sums
// have grown by. The paper's (7) and line 16 of Algorithm 2 omit ds, and then no reward would ever
// be shared. s and n travel together, so that s/n estimates the mean of an arm even while messages
// are under way.
//
// A peer moves P's share of its sums to every neighbour and keeps the rest. A message contains all
// that has crossed the link in its direction, modulo 2^61, so a late or lost one costs only time
// and nothing is counted twice (Hadjicostis, Vaidya and Domínguez-García 2016): Σ s and Σ n over
// peers and links are conserved, as integers. With messages that take one round this is the paper's
// algorithm. The sums and numbers of a lost life, and those under way to it, are lost together; the
// releases of that life continue in the sums of the next one, and do not enter again. A message
// names the newest message received from its addressee, so that each end restarts the flow for
// another life of the other. So a peer that continues from an old state, saved before rounds in
// which it released nothing, takes nothing in twice.
//
// The estimate gives equal weight to all rewards of all sites. Where sites differ and choose
// differently it is the mean over rewards and not the mean over sites.
type consensus struct {
	c        protocol.Config
	p        ConsensusParams
	mixing   mixing
	noisiest noisiest
	shares   *averages.Shares
	flows    []averages.Flow // by link
	links    []consensusLink
	former   []formerLink
	weights  []uint64 // scratch: of links, in this round
	started  []bool   // arms of which a sum was released in this life
	silent   []bool   // arms whose horizon is reached
	waiting  []uint64 // own choices of an arm without a released reward
	released []uint64 // own released rewards of an arm
	round    protocol.Round
	unsent   [2]uint64 // numbers between these two were not sent in the last rounds, or the state that sent them is lost
	made     protocol.Contents
	stale    bool
	belief   belief.Belief
}

// consensusLink is the state of one neighbour.
type consensusLink struct {
	peer   protocol.Peer
	weight uint64         // of P
	newest protocol.Label // of its messages; number 0 before the first
	heard  protocol.Round // when a message arrived
}

// formerLink is a link that the network does not have any more. If it comes back, both ends
// continue.
type formerLink struct {
	consensusLink
	flow averages.Flow
}

// New implements [protocol.Params].
func (p ConsensusParams) New(c protocol.Config) (protocol.Protocol, error) {
	n := len(c.Neighbours())
	x := &consensus{
		c: c, p: p,
		mixing:   newMixing(p, c.Graph, c.Self),
		noisiest: noisiest{charge: c.Charge},
		shares:   averages.NewShares(c.Parts),
		flows:    make([]averages.Flow, n),
		links:    make([]consensusLink, n),
		weights:  make([]uint64, n),
		started:  make([]bool, c.Parts),
		silent:   make([]bool, c.Parts),
		waiting:  make([]uint64, c.Parts),
		released: make([]uint64, c.Parts),
		made:     c.Press.Contents(c.Reuse),
		belief:   belief.New(c.Parts, 1),
	}
	for i, peer := range c.Neighbours() {
		x.flows[i] = averages.NewFlow(c.Parts)
		x.links[i] = consensusLink{peer: peer, weight: p.weight(c.Graph, c.Self, peer)}
	}
	return x, nil
}

// Chosen counts the pull. Until its reward is released, SampleVar counts it, so that choices in
// between go to different arms.
func (x *consensus) Chosen(arm int) {
	x.belief.Pulls[arm]++
	if !x.silent[arm] {
		x.waiting[arm]++
		x.stale = true
	}
}

// Released enters the growth of the sums of arms.
func (x *consensus) Released(own []protocol.Own, _ *protocol.Outbox) error {
	x.stale = true
	for i := range own {
		arm := int(own[i].Stream)
		x.waiting[arm] -= min(1, x.waiting[arm])
		if own[i].Over {
			x.silent[arm], x.waiting[arm] = true, 0
			continue
		}
		sum, enter := &own[i].Leaf.Sum, x.shares.Enter
		if !x.started[arm] && own[i].Number > 1 { // an earlier life has entered the releases before
			enter = x.shares.Start
		}
		x.started[arm] = true
		if err := enter(arm, sum); err != nil {
			return err
		}
		x.released[arm] = sum.Count(0)
	}
	return nil
}

// Tick sends every neighbour its share.
func (x *consensus) Tick(t protocol.Round, out *protocol.Outbox) error {
	if t > x.round+1 {
		x.unsent = [2]uint64{uint64(x.round) + 1, uint64(t) + 1}
	}
	x.round, x.stale = t, true
	for i := range x.links {
		x.weights[i] = x.links[i].weight
		if t >= x.links[i].heard+protocol.Round(x.p.Patience) {
			x.weights[i] = 0
		}
	}
	x.shares.Pass(x.flows, x.weights)
	for i := range x.links {
		l := &x.links[i]
		label := protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: uint64(t) + 1}
		m := x.made.Take(consensusState, label, 1, protocol.Label{Origin: l.peer, Incarnation: l.newest.Incarnation, Seq: l.newest.Seq})
		x.flows[i].ReleaseTo(vouch.For(m.Release(0)))
		out.Send(l.peer, m)
	}
	x.made.Turn()
	return nil
}

// Receive processes what a neighbour has sent.
func (x *consensus) Receive(from protocol.Peer, m protocol.Message, _ *protocol.Outbox) error {
	i, ok := slices.BinarySearch(x.c.Neighbours(), from)
	switch {
	case !ok || m.Label().Origin != from:
		return m.Refuse("from peer %d, want a neighbour's own", from)
	case m.Kind() != consensusState:
		return m.Refuse("unknown to protocol consensus")
	case m.Refs() != 1 || m.Ref(0).Origin != x.c.Self || m.Body() != 1 || m.Label().Seq == 0:
		return m.Refuse("want what has crossed the link to peer %d", x.c.Self)
	}
	l, flow, heard := &x.links[i], x.flows[i], m.Ref(0)
	if l.newest.Seq > 0 && !protocol.Newer(m.Label(), l.newest) {
		return nil // a newer one contains it
	}
	if l.newest.Seq > 0 && m.Label().Incarnation > l.newest.Incarnation { // the flow to its last life is lost
		flow = averages.NewFlow(x.c.Parts)
	}
	switch {
	case heard.Seq > 0 && heard.Incarnation != x.c.Incarnation: // it answers another life of this peer
	case x.sent(heard.Seq):
		if err := x.shares.Take(&flow, m.Release(0)); err != nil {
			return m.Refuse("%v", err)
		}
	default: // this peer continues from an old state; what arrived after that state is at other peers now
		if err := flow.Skip(m.Release(0)); err != nil {
			return m.Refuse("%v", err)
		}
	}
	x.flows[i], l.newest, l.heard, x.stale = flow, m.Label(), x.round, true
	return nil
}

// sent reports whether this peer can have sent a message with a number, as far as its state shows.
func (x *consensus) sent(seq uint64) bool {
	return seq <= x.unsent[0] || x.unsent[1] <= seq && seq <= uint64(x.round)+1
}

// Belief returns s/n.
func (x *consensus) Belief() *belief.Belief {
	if x.stale {
		for k := range x.belief.X {
			x.estimate(k)
		}
		x.stale = false
	}
	return &x.belief
}

// estimate computes the belief about an arm. SampleVar is the bound (n + c)/Mn² of Lemma 2 iii with
// the constant of [mixing]; for the noise see docs/lab/proofs/consensus.md.
func (x *consensus) estimate(k int) {
	b, n := &x.belief, x.shares.Records(k)
	b.X[k], b.SampleVar[k], b.PerSite[k] = 0, spread.Inf, 0
	spread.SetNoise(&b.Means, k, dp.NoiseMoments{})
	if n <= 0 {
		return
	}
	mx := &x.mixing
	sampled := n + float64(x.waiting[k])/mx.peers
	b.X[k], b.PerSite[k] = x.shares.Sum(k)/n, n
	b.SampleVar[k] = (sampled + mx.ci) / (mx.peers * sampled * sampled)
	// No stream of the arm has more leaves than there were rounds, or than all peers have together.
	most := x.noisiest.of(max(x.released[k], min(uint64(x.round)+1, leaves(mx.peers*(n+mx.c0)))))
	most.LaplaceSumSq *= mx.noiseSq
	most.LaplaceMax *= mx.noiseMax
	most.GaussVar *= mx.noiseSq
	spread.SetNoise(&b.Means, k, most.Over(n))
}

// leaves returns a number of leaves as an integer.
func leaves(n float64) uint64 { return uint64(min(n, 1<<40)) }
