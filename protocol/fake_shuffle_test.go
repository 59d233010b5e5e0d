package protocol

import (
	"math/bits"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
)

// fakeShufflePeer is Private-FedLinUCB under shuffle privacy by amplification
// (Zhou and Chowdhury 2024, section 5): silos seal their p-sums for the analyzer;
// the shuffler waits for one of every silo, drops who sent what, permutes, and
// forwards the batch; the analyzer opens and adds up. All silos close batch k
// together, so all p-sums of a batch go into the same slot and the analyzer need
// not know whose they are. The total goes back through the shuffler and is the
// receipt.
type fakeShufflePeer struct {
	stateless

	c       Config
	every   uint64
	hub     Peer // the shuffler
	analyst Peer
	queue   []Message          // at a silo: own p-sums without receipt
	batch   uint64             // at shuffler and analyzer: the one under way, from 1
	waiting map[Peer]dp.Sealed // at the shuffler: of this batch
	sent    Message            // at the shuffler: the newest batch forwarded
	levels  slotTable          // at the analyzer
	done    Message            // the newest total
}

func (s fakeParams) New(c Config) (Protocol, error) {
	return &fakeShufflePeer{
		c: c, every: s.Every, hub: s.Hub, analyst: s.Analyst, batch: 1,
		waiting: make(map[Peer]dp.Sealed), levels: make(slotTable, 1), sent: NoMessage(), done: NoMessage(), stateless: about(1, c.Width/2),
	}, nil
}

func (p *fakeShufflePeer) silo(i Peer) bool { return i != p.hub && i != p.analyst }

func (p *fakeShufflePeer) Released(own []Own, _ *Outbox) error {
	for _, o := range own {
		if o.Over {
			continue
		}
		s, err := seal(o.Leaf.Node)
		if err != nil {
			return err
		}
		p.queue = append(p.queue, Message{&message{kind: fakeSealed, label: Label{Origin: p.c.Self, Seq: o.Number}, sealed: []dp.Sealed{s}}})
	}
	return nil
}

func (p *fakeShufflePeer) Tick(t Round, out *Outbox) error {
	if uint64(t+1)%p.every != 0 {
		return nil
	}
	if p.c.Self == p.hub && p.sent.kind != 0 && p.done.label.Seq < p.sent.label.Seq {
		out.Send(p.analyst, p.sent)
	}
	if len(p.queue) > 0 {
		out.Send(p.hub, p.queue[0])
	}
	return nil
}

func (p *fakeShufflePeer) Receive(from Peer, m Message, out *Outbox) error {
	switch {
	case indexOf(p.c.Neighbours(), from) < 0:
		return m.Refuse("from no neighbour")
	case m.kind == fakeSealed && p.c.Self == p.hub && p.silo(from) && m.label.Origin == from && len(m.sealed) == 1:
		p.collect(m, out)
		return nil
	case m.kind == fakeShuffled && p.c.Self == p.analyst && from == p.hub && len(m.sealed) == p.c.Peers()-2:
		return p.analyze(m, out)
	case m.kind == fakeSum && (from == p.hub || from == p.analyst && p.c.Self == p.hub) && p.c.Self != p.analyst &&
		m.label.Origin == p.analyst && len(m.body) == 1 && m.body[0].Len() == p.c.Width:
		p.learn(m, out)
		return nil
	}
	return m.Refuse("does not go this way")
}

// collect waits for one Sealed of every silo. From here on nobody can tell whose
// is whose: neither the label nor the order says it.
func (p *fakeShufflePeer) collect(m Message, out *Outbox) {
	switch {
	case m.label.Seq < p.batch && p.done.kind != 0:
		out.Send(m.label.Origin, p.done) // the receipt was lost
	case m.label.Seq == p.batch:
		p.waiting[m.label.Origin] = m.sealed[0]
	}
	if len(p.waiting) < p.c.Peers()-2 {
		return
	}
	p.sent = Message{&message{kind: fakeShuffled, label: Label{Origin: p.c.Self, Seq: p.batch}}}
	for i := range p.c.Peers() {
		if p.silo(Peer(i)) {
			p.sent.sealed = append(p.sent.sealed, p.waiting[Peer(i)])
		}
	}
	s := p.sent.sealed
	p.c.Secret.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	clear(p.waiting)
	p.batch++
	out.Send(p.analyst, p.sent)
}

func (p *fakeShufflePeer) analyze(m Message, out *Outbox) error {
	if m.label.Seq < p.batch && p.done.kind != 0 {
		out.Send(p.hub, p.done)
		return nil
	}
	if m.label.Seq != p.batch {
		return m.Refuse("batch %d is under way", p.batch)
	}
	var nodes []dp.Release
	for _, s := range m.sealed {
		r, err := unseal(s)
		if err != nil || r.Len() != p.c.Width || r.Counts() != 1 || r.Exponent() != dp.GridExponent || tooGreat(r) ||
			r.Span().To != m.label.Seq || r.Span().To-r.Span().From != m.label.Seq&-m.label.Seq {
			return m.Refuse("holds no p-sum of the batch: %v", err)
		}
		nodes = append(nodes, r)
	}
	node, err := sum(nodes...)
	if err != nil {
		return m.Refuse("%v", err)
	}
	total, err := p.levels.put(0, m.label.Seq, node)
	if err != nil {
		return m.Refuse("%v", err)
	}
	p.batch++
	p.done = Message{&message{kind: fakeSum, label: Label{Origin: p.c.Self, Seq: m.label.Seq}, body: []dp.Release{total}}}
	believe(&p.belief, total)
	out.Send(p.hub, p.done)
	return nil
}

func (p *fakeShufflePeer) learn(m Message, out *Outbox) {
	if p.done.kind != 0 && !Newer(m.label, p.done.label) {
		return
	}
	p.done = m
	believe(&p.belief, m.body[0])
	p.queue = slices.DeleteFunc(p.queue, func(q Message) bool { return q.label.Seq <= m.label.Seq })
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
	b.SampleVar[0] = inf
	for k := range b.X {
		b.X[k] = 0
		if n := total.At(k); n > 0 {
			b.X[k] = total.At(len(b.X)+k) / n
			b.SampleVar[0] = 1 / float64(max(1, total.Count(0)))
		}
	}
}
