package protocol

import (
	"slices"

	"peerd.dev/dp"
)

// fakeSinkPeer is HDP-MAB (Li and Song, Algorithms 3 and 4): the members of a
// component send their epoch's observation along shortest paths to the sink, the
// vertex of least eccentricity; sinks send the component's sums to the server; the
// server weights component means with M_q/M (the paper's 1/Q would favour small
// components) and the result flows down the same tree. It is also the receipt:
// whoever waits for it sends again.
type fakeSinkPeer struct {
	stateless

	c        Config
	epoch    uint64 // from 1
	tree     sinkTree
	observed Message   // this epoch's own
	got      []Message // by origin: what came up in this epoch
	model    Message   // the newest
}

func newFakeSink(c Config, s fakeParams) (Protocol, error) {
	p := &fakeSinkPeer{c: c, tree: newSinkTree(c.Graph, s.Hub), model: noMessage(), stateless: about(c.Parts, 1)}
	p.begin(1)
	return p, nil
}

func (p *fakeSinkPeer) begin(epoch uint64) {
	p.epoch, p.observed, p.got = epoch, noMessage(), slices.Repeat([]Message{noMessage()}, p.c.Peers())
	p.belief.Epoch = epoch - 1
}

// Released sends an observation of all arms up.
func (p *fakeSinkPeer) Released(own []Own, out *Outbox) error {
	m := Message{&message{kind: fakeUp, label: Label{Origin: p.c.Self, Seq: p.epoch}}}
	for _, o := range own {
		if o.Over {
			return nil
		}
		m.body = append(m.body, o.Leaf.Node)
	}
	p.observed = m
	return p.up(m, out)
}

// Tick sends again what has had no answer, every 8 rounds.
func (p *fakeSinkPeer) Tick(t Round, out *Outbox) error {
	if uint64(t+1)%8 == 0 && p.observed.kind != 0 {
		return p.up(p.observed, out)
	}
	return nil
}

// up moves an observation one hop towards the sink, or takes it in there.
func (p *fakeSinkPeer) up(m Message, out *Outbox) error {
	parent := p.tree.parent[p.c.Self]
	if p.c.Self != p.tree.server && parent != p.tree.server {
		out.send(parent, m)
		return nil
	}
	p.got[m.label.Origin] = m
	var from []Peer // whose observations or sums must be in
	for i, q := range p.tree.parent {
		if p.c.Self == p.tree.server && q == p.c.Self && Peer(i) != q || p.c.Self != p.tree.server && p.tree.sink[i] == p.c.Self {
			from = append(from, Peer(i))
		}
	}
	if slices.ContainsFunc(from, func(i Peer) bool { return p.got[i].kind == 0 }) {
		return nil
	}
	up, den := Message{&message{kind: fakeMean, label: Label{Origin: p.c.Self, Seq: p.epoch}}}, uint64(1)
	if p.c.Self == p.tree.server {
		up.kind, den = fakeModel, uint64(p.c.Peers()-1)
	}
	for k := range p.c.Parts {
		var rs []dp.Release
		var sizes []uint64
		for _, i := range from {
			r := p.got[i].body[k]
			if p.c.Self == p.tree.server {
				mean, err := dp.Mean(r)
				if err != nil {
					return err
				}
				r = mean
			}
			rs, sizes = append(rs, r), append(sizes, p.tree.size(i))
		}
		if p.c.Self != p.tree.server {
			sizes = slices.Repeat([]uint64{1}, len(rs))
		}
		r, err := weighted(rs, sizes, den)
		if err != nil {
			return err
		}
		up.body = append(up.body, r)
	}
	if p.c.Self == p.tree.server {
		p.learn(up, out)
		return nil
	}
	out.send(parent, up)
	return nil
}

func (p *fakeSinkPeer) Receive(from Peer, m Message, out *Outbox) error {
	parent, self := p.tree.parent, p.c.Self
	if indexOf(p.c.Neighbours(), from) < 0 || len(m.body) != p.c.Parts || int(m.label.Origin) >= p.c.Peers() {
		return m.bad("no neighbour's numbers")
	}
	for k, r := range m.body { // at most 2^20 a record, so that no sum of them runs over
		if r.Len() != 1 || r.Counts() != 1 || r.Count(0) == 0 || r.Count(0) > 1<<32 || tooGreat(r) ||
			(m.kind == fakeModel) != (r.Exponent() == dp.MeanExponent) || (m.kind != fakeModel && r.Exponent() != dp.GridExponent) {
			return m.bad("arm %d: no sum with its count", k)
		}
	}
	switch {
	case m.kind == fakeModel && from == parent[self] && m.label.Origin == p.tree.server:
		if m.label.Seq == p.epoch {
			p.learn(m, out)
		}
		return nil
	case m.kind == fakeUp && parent[from] == self && self != p.tree.server && p.tree.sink[m.label.Origin] == p.tree.sink[self] && m.label.Origin != self,
		m.kind == fakeMean && self == p.tree.server && parent[from] == self && m.label.Origin == from:
	default:
		return m.bad("does not go this way")
	}
	switch {
	case m.label.Seq+1 == p.epoch && p.model.kind != 0:
		out.send(from, p.model) // the last one was lost on its way down
		return nil
	case m.label.Seq != p.epoch:
		return nil
	}
	if err := p.up(m, out); err != nil {
		return m.bad("%v", err)
	}
	return nil
}

// learn takes in a model, hands it down and begins the next epoch.
func (p *fakeSinkPeer) learn(m Message, out *Outbox) {
	for k, r := range m.body {
		p.belief.X[k], p.belief.SampleVar[k] = r.At(0), 1/float64(max(1, r.Count(0)))
	}
	p.model = m
	for i, q := range p.tree.parent {
		if q == p.c.Self && Peer(i) != p.c.Self {
			out.send(Peer(i), m)
		}
	}
	p.begin(m.label.Seq + 1)
}

// sinkTree is the way up from every peer. It follows from the published graph and
// the server's place in it.
type sinkTree struct {
	server Peer
	parent []Peer // of each peer; the server's is itself
	sink   []Peer // of each peer
}

func newSinkTree(g [][]Peer, server Peer) sinkTree {
	t := sinkTree{server, make([]Peer, len(g)), make([]Peer, len(g))}
	t.parent[server], t.sink[server] = server, server
	least := make([]int, len(g)) // eccentricity of the sink found so far
	for i := range g {
		if Peer(i) == server {
			continue
		}
		parent := map[Peer]Peer{Peer(i): server}
		far := 0 // breadth first from i within its component
		for layer := []Peer{Peer(i)}; len(layer) > 0; far++ {
			var next []Peer
			for _, a := range layer {
				for _, b := range g[a] {
					if _, seen := parent[b]; !seen && b != server {
						parent[b] = a
						next = append(next, b)
					}
				}
			}
			layer = next
		}
		for a, q := range parent {
			if least[a] == 0 || far < least[a] { // the whole component agrees
				least[a], t.parent[a], t.sink[a] = far, q, Peer(i)
			}
		}
	}
	return t
}

// size returns M_q of the component whose sink is q.
func (t sinkTree) size(q Peer) (n uint64) {
	for i, s := range t.sink {
		if s == q && Peer(i) != t.server {
			n++
		}
	}
	return n
}
