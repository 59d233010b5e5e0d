package protocol

import (
	"math/bits"

	"peerd.dev/dp"
)

// fakeBatchPeer is Private-FedLinUCB (Zhou and Chowdhury 2024, Algorithm 1, lazy
// variant): every so many rounds a silo closes a batch and sends the p-sum of its
// tree that the batch completes; the coordinator keeps one slot per silo and level
// and puts the k-th p-sum into the slot of k's trailing zeros. The sum over all
// batches is then the sum of the slots at the set bits of k: replaced, never added
// up, or a record would count once a level.
//
// The coordinator is a role: here the hub, itself a silo. Its total is the receipt
// for the p-sums in it; a silo sends its oldest p-sum without one again.
type fakeBatchPeer struct {
	stateless

	c      Config
	every  uint64
	hub    Peer
	queue  []Message    // own p-sums without receipt
	levels slotTable    // at the coordinator, by silo
	have   []uint64     // at the coordinator: newest batch of each silo
	totals []dp.Release // at the coordinator: by silo, over all its batches
	done   Message      // the newest total
}

// slotTable keeps the newest p-sum of each level of some trees.
type slotTable []map[int]dp.Release

// put takes in the k-th p-sum of tree i and returns the sum of batches 1 to k.
func (s slotTable) put(i int, k uint64, node dp.Release) (dp.Release, error) {
	if s[i] == nil {
		s[i] = make(map[int]dp.Release)
	}
	s[i][bits.TrailingZeros64(k)] = node
	var at []dp.Release
	for z := 63; z >= 0; z-- {
		if k>>z&1 == 1 {
			at = append(at, s[i][z])
		}
	}
	return sum(at...)
}

func newFakeBatch(c Config, s fakeParams) (Protocol, error) {
	return &fakeBatchPeer{
		c: c, every: s.Every, hub: s.Hub, levels: make(slotTable, c.Peers()),
		have: make([]uint64, c.Peers()), totals: make([]dp.Release, c.Peers()), done: noMessage(), stateless: about(1, c.Width/2),
	}, nil
}

func (p *fakeBatchPeer) Released(own []Own, _ *Outbox) error {
	for _, o := range own {
		if !o.Over {
			p.queue = append(p.queue, Message{&message{kind: fakeNode, label: Label{Origin: p.c.Self, Seq: o.Number}, body: []dp.Release{o.Leaf.Node}}})
		}
	}
	return nil
}

func (p *fakeBatchPeer) Tick(t Round, out *Outbox) error {
	if uint64(t+1)%p.every != 0 {
		return nil
	}
	return p.report(out)
}

// report sends the oldest p-sum without receipt.
func (p *fakeBatchPeer) report(out *Outbox) error {
	if len(p.queue) == 0 {
		return nil
	}
	if p.c.Self == p.hub {
		return p.enter(p.queue[0], out)
	}
	out.send(p.hub, p.queue[0])
	return nil
}

func (p *fakeBatchPeer) Receive(from Peer, m Message, out *Outbox) error {
	if len(m.body) != 1 || m.body[0].Len() != p.c.Width || m.body[0].Counts() != 1 ||
		m.body[0].Exponent() != dp.GridExponent || tooGreat(m.body[0]) || m.label.Origin != from {
		return m.bad("want one sum of %d numbers", p.c.Width)
	}
	switch {
	case m.kind == fakeNode && p.c.Self == p.hub && indexOf(p.c.Neighbours(), from) >= 0:
		if s := m.body[0].Span(); s.To != m.label.Seq || s.To-s.From != m.label.Seq&-m.label.Seq {
			return m.bad("spans %d to %d", s.From, s.To)
		}
		if p.done.kind != 0 && m.label.Seq <= p.done.label.Seq {
			out.send(from, p.done) // the receipt was lost
			return nil
		}
		return p.enter(m, out)
	case m.kind == fakeTotal && from == p.hub && p.c.Self != p.hub:
		return p.learn(m, out)
	}
	return m.bad("unknown")
}

// enter takes a p-sum into its slot, and publishes the total of a batch that all
// silos have reported.
func (p *fakeBatchPeer) enter(m Message, out *Outbox) (err error) {
	i, k := m.label.Origin, m.label.Seq
	if k != p.have[i]+1 {
		return nil // a copy, or ahead of one that was lost and will come again
	}
	if p.totals[i], err = p.levels.put(int(i), k, m.body[0]); err != nil {
		return m.bad("%v", err)
	}
	p.have[i] = k
	for _, h := range p.have {
		if h != k {
			return nil
		}
	}
	total, err := sum(p.totals...)
	if err != nil {
		return m.bad("%v", err)
	}
	p.done = Message{&message{kind: fakeTotal, label: Label{Origin: p.c.Self, Seq: k}, body: []dp.Release{total}}}
	for _, n := range p.c.Neighbours() {
		out.send(n, p.done)
	}
	return p.learn(p.done, out)
}

func (p *fakeBatchPeer) learn(m Message, out *Outbox) error {
	if p.c.Self != p.hub && p.done.kind != 0 && !newer(m.label, p.done.label) {
		return nil
	}
	p.done = m
	believe(&p.belief, m.body[0])
	for len(p.queue) > 0 && p.queue[0].label.Seq <= m.label.Seq {
		p.queue = p.queue[1:]
	}
	return p.report(out) // one is behind only after a loss; it need not stay so
}
