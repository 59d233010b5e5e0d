package protocol

import (
	"slices"

	"peerd.dev/dp"
)

// fakeGISPeer is DDP-MAB over general information sharing (Li and Song, Algorithm
// 2): elimination in epochs, whose observations travel in slots of ADV, the labels
// I newly hold; REQ, the labels I miss, asked of one advertiser only; and DATA. So
// no observation crosses a link twice. A peer enters epoch r+1 when it holds all of
// epoch r and goes on serving what it holds. Until then it exploits, and those
// rewards enter no release.
//
// An epoch is a leaf of every arm's stream that it explores.
type fakeGISPeer struct {
	stateless

	c       Config
	explore uint64
	epochs  uint64
	held    [][]Message     // by epoch from 1, by origin
	fresh   []Label         // held, and not advertised yet
	asked   map[Label]Round // when it was requested; not held yet
	round   Round
}

// fakeGISAgain is after how many rounds everything is advertised again, and a
// request made again, in case it was lost.
const fakeGISAgain = 8

func newFakeGIS(c Config, s fakeParams) (Protocol, error) {
	p := &fakeGISPeer{
		c: c, explore: s.Explore, epochs: s.Epochs,
		held: make([][]Message, s.Epochs+1), asked: make(map[Label]Round), stateless: about(c.Parts, 1),
	}
	for r := range p.held {
		p.held[r] = slices.Repeat([]Message{noMessage()}, c.Peers())
	}
	return p, nil
}

// Released makes an observation of the arms that the epoch explored.
func (p *fakeGISPeer) Released(own []Own, _ *Outbox) error {
	m := Message{&message{kind: fakeData, label: Label{Origin: p.c.Self, Incarnation: p.c.Incarnation, Seq: p.belief.Epoch + 1}}}
	for _, o := range own {
		if o.Over {
			return nil
		}
		m.body = append(m.body, o.Leaf.Node)
	}
	m.sig = p.c.Keys.Sign(appendContent(nil, m.message))
	p.hold(m)
	return nil
}

func (p *fakeGISPeer) Tick(t Round, out *Outbox) error {
	p.round = t
	if uint64(t+1)%fakeGISAgain == 0 {
		p.fresh = nil
		for _, epoch := range p.held {
			for _, m := range epoch {
				if m.kind != 0 {
					p.fresh = append(p.fresh, m.label)
				}
			}
		}
	}
	if len(p.fresh) > 0 {
		for _, n := range p.c.Neighbours() {
			p.speak(fakeAdv, uint64(t), p.fresh, n, out)
		}
		p.fresh = nil
	}
	return nil
}

func (p *fakeGISPeer) speak(k Kind, seq uint64, refs []Label, to Peer, out *Outbox) {
	out.send(to, Message{&message{kind: k, label: Label{Origin: p.c.Self, Seq: seq}, refs: refs}})
}

func (p *fakeGISPeer) Receive(from Peer, m Message, out *Outbox) error {
	if indexOf(p.c.Neighbours(), from) < 0 {
		return m.bad("no neighbour's")
	}
	labels := m.refs
	if m.kind == fakeData {
		labels = []Label{m.label}
	}
	for _, l := range labels {
		if int(l.Origin) >= p.c.Peers() || l.Seq < 1 || l.Seq > p.epochs {
			return m.bad("no such observation")
		}
	}
	switch m.kind {
	case fakeAdv:
		var miss []Label
		for _, l := range m.refs {
			at, asked := p.asked[l]
			if l.Origin != p.c.Self && p.held[l.Seq][l.Origin].kind == 0 && (!asked || p.round >= at+fakeGISAgain) {
				miss, p.asked[l] = append(miss, l), p.round
			}
		}
		if len(miss) > 0 {
			p.speak(fakeReq, m.label.Seq, miss, from, out)
		}
	case fakeReq:
		for _, l := range m.refs {
			if o := p.held[l.Seq][l.Origin]; o.label == l {
				out.send(from, o)
			}
		}
	case fakeData:
		return p.take(m)
	default:
		return m.bad("unknown")
	}
	return nil
}

func (p *fakeGISPeer) take(m Message) error {
	for i, r := range m.body { // streams name the arms; one number and one count each
		if r.Len() != 1 || r.Counts() != 1 || r.Count(0) < p.explore || r.Count(0) > p.explore*m.label.Seq || r.Exponent() != dp.GridExponent ||
			int(r.Stream()) >= p.c.Parts || (i > 0 && r.Stream() <= m.body[i-1].Stream()) {
			return m.bad("no observation of an epoch")
		}
	}
	if m.label.Origin == p.c.Self || len(m.body) == 0 || !p.c.Keys.Verify(m.label.Origin, appendContent(nil, m.message), m.sig) {
		return m.bad("not signed by its origin")
	}
	if p.held[m.label.Seq][m.label.Origin].kind == 0 {
		p.hold(m)
	}
	return nil
}

// hold keeps an observation, and ends the epoch if it was the last one missing.
func (p *fakeGISPeer) hold(m Message) {
	p.held[m.label.Seq][m.label.Origin] = m
	p.fresh = append(p.fresh, m.label)
	delete(p.asked, m.label)
	for p.belief.Epoch < p.epochs && !slices.ContainsFunc(p.held[p.belief.Epoch+1], func(o Message) bool { return o.kind == 0 }) {
		p.belief.Epoch++
		p.merge()
	}
}

// merge takes in the means of the epoch that is complete now.
func (p *fakeGISPeer) merge() {
	for k := range p.c.Parts {
		total, n := 0., 0.
		for _, m := range p.held[p.belief.Epoch] {
			for _, r := range m.body {
				if r.Stream() == dp.StreamID(k) {
					total, n = total+r.At(0), n+float64(r.Count(0))
				}
			}
		}
		if n > 0 {
			p.belief.X[k], p.belief.SampleVar[k] = total/n, 1/n
		}
	}
}
