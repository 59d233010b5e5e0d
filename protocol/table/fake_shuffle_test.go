package table

import (
	"math"
	"math/bits"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// fakeShufflePeer is Private-FedLinUCB under shuffle privacy by amplification (Zhou and Chowdhury
// 2024, section 5): silos seal their p-sums for the analyzer; the shuffler waits for one of every
// silo, drops who sent what, permutes, and forwards the batch; the analyzer opens and adds up. All
// silos close batch k together, so all p-sums of a batch go into the same epoch and the analyzer
// need not know whose they are. The total goes back through the shuffler and is the receipt.
type fakeShufflePeer struct {
	stateless

	c       protocol.Config
	every   uint64
	hub     protocol.Peer // the shuffler
	analyst protocol.Peer
	queue   []protocol.Message          // at a silo: own p-sums without receipt
	batch   uint64                      // at shuffler and analyzer: the one under way, from 1
	waiting map[protocol.Peer]dp.Sealed // at the shuffler: of this batch
	sent    protocol.Message            // at the shuffler: the newest batch forwarded
	levels  slotTable                   // at the analyzer
	done    protocol.Message            // the newest total
}

func (s fakeParams) New(c protocol.Config) (protocol.Protocol, error) {
	return &fakeShufflePeer{
		c: c, every: s.Every, hub: s.Hub, analyst: s.Analyst, batch: 1,
		waiting: make(map[protocol.Peer]dp.Sealed), levels: make(slotTable, 1), sent: protocol.NoMessage(), done: protocol.NoMessage(), stateless: about(1, c.Width/2),
	}, nil
}

func (p *fakeShufflePeer) silo(i protocol.Peer) bool { return i != p.hub && i != p.analyst }

func (p *fakeShufflePeer) Released(own []protocol.Own, _ *protocol.Outbox) error {
	for _, o := range own {
		if o.Over {
			continue
		}
		s, err := seal(o.Leaf.Node)
		if err != nil {
			return err
		}
		p.queue = append(p.queue, protocoltest.Draft{Kind: fakeSealed, Label: protocol.Label{Origin: p.c.Self, Seq: o.Number}, Sealed: []dp.Sealed{s}}.Message())
	}
	return nil
}

func (p *fakeShufflePeer) Tick(t protocol.Round, out *protocol.Outbox) error {
	if uint64(t+1)%p.every != 0 {
		return nil
	}
	if p.c.Self == p.hub && p.sent.Kind() != 0 && p.done.Label().Seq < p.sent.Label().Seq {
		out.Send(p.analyst, p.sent)
	}
	if len(p.queue) > 0 {
		out.Send(p.hub, p.queue[0])
	}
	return nil
}

func (p *fakeShufflePeer) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch {
	case indexOf(p.c.Neighbours(), from) < 0:
		return m.Refuse("from no neighbour")
	case m.Kind() == fakeSealed && p.c.Self == p.hub && p.silo(from) && m.Label().Origin == from && len(m.Sealed()) == 1:
		p.collect(m, out)
		return nil
	case m.Kind() == fakeShuffled && p.c.Self == p.analyst && from == p.hub && len(m.Sealed()) == p.c.Peers()-2:
		return p.analyze(m, out)
	case m.Kind() == fakeSum && (from == p.hub || from == p.analyst && p.c.Self == p.hub) && p.c.Self != p.analyst &&
		m.Label().Origin == p.analyst && m.Body() == 1 && m.Release(0).Len() == p.c.Width:
		p.learn(m, out)
		return nil
	}
	return m.Refuse("does not go this way")
}

// collect waits for one Sealed of every silo. From here on no peer can assign them to silos:
// neither the label nor the order shows it.
func (p *fakeShufflePeer) collect(m protocol.Message, out *protocol.Outbox) {
	switch {
	case m.Label().Seq < p.batch && p.done.Kind() != 0:
		out.Send(m.Label().Origin, p.done) // the receipt was lost
	case m.Label().Seq == p.batch:
		p.waiting[m.Label().Origin] = m.Sealed()[0]
	}
	if len(p.waiting) < p.c.Peers()-2 {
		return
	}
	var s []dp.Sealed
	for i := range p.c.Peers() {
		if p.silo(protocol.Peer(i)) {
			s = append(s, p.waiting[protocol.Peer(i)])
		}
	}
	p.c.Secret.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	p.sent = protocoltest.Draft{Kind: fakeShuffled, Label: protocol.Label{Origin: p.c.Self, Seq: p.batch}, Sealed: s}.Message()
	clear(p.waiting)
	p.batch++
	out.Send(p.analyst, p.sent)
}

func (p *fakeShufflePeer) analyze(m protocol.Message, out *protocol.Outbox) error {
	if m.Label().Seq < p.batch && p.done.Kind() != 0 {
		out.Send(p.hub, p.done)
		return nil
	}
	if m.Label().Seq != p.batch {
		return m.Refuse("batch %d is under way", p.batch)
	}
	var nodes []dp.Release
	for _, s := range m.Sealed() {
		r, err := unseal(s)
		if err != nil || r.Len() != p.c.Width || r.Counts() != 1 || r.Exponent() != dp.GridExponent || tooGreat(r) ||
			r.Span().To != m.Label().Seq || r.Span().To-r.Span().From != m.Label().Seq&-m.Label().Seq {
			return m.Refuse("holds no p-sum of the batch: %v", err)
		}
		nodes = append(nodes, r)
	}
	node, err := sum(nodes...)
	if err != nil {
		return m.Refuse("%v", err)
	}
	total, err := p.levels.put(0, m.Label().Seq, node)
	if err != nil {
		return m.Refuse("%v", err)
	}
	p.batch++
	p.done = protocoltest.Draft{Kind: fakeSum, Label: protocol.Label{Origin: p.c.Self, Seq: m.Label().Seq}, Body: []dp.Release{total}}.Message()
	believe(&p.belief, total)
	out.Send(p.hub, p.done)
	return nil
}

func (p *fakeShufflePeer) learn(m protocol.Message, out *protocol.Outbox) {
	if p.done.Kind() != 0 && !protocol.Newer(m.Label(), p.done.Label()) {
		return
	}
	p.done = m
	believe(&p.belief, *m.Release(0))
	p.queue = slices.DeleteFunc(p.queue, func(q protocol.Message) bool { return q.Label().Seq <= m.Label().Seq })
	if len(p.queue) > 0 {
		out.Send(p.hub, p.queue[0])
	}
	if p.c.Self == p.hub {
		for _, n := range p.c.Neighbours() {
			if p.silo(n) {
				out.Send(n, m)
			}
		}
	}
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

// believe reads a vector of noised pulls and noised rewards.
func believe(b *belief.Belief, total dp.Release) {
	b.SampleVar[0] = math.Inf(1)
	for k := range b.X {
		b.X[k] = 0
		if n := total.At(k); n > 0 {
			b.X[k] = total.At(len(b.X)+k) / n
			b.SampleVar[0] = 1 / float64(max(1, total.Count(0)))
		}
	}
}
