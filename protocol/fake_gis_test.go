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
// Every arm of every epoch is a stream of one leaf: a record lies in one epoch, so
// the streams are parallel and an epoch's mean costs no tree.
type fakeGISPeer struct {
	stateless

	c       Config
	explore uint64
	epochs  uint64
	epoch   uint64          // from 1
	left    []uint64        // pulls that each active arm still needs in this epoch
	active  []bool          // by arm
	held    [][]Message     // by epoch from 1, by origin
	fresh   []Label         // held, and not advertised yet
	asked   map[Label]Round // when it was requested; not held yet
	round   Round
	belief  Belief
}

// fakeGISAgain is after how many rounds everything is advertised again, and a
// request made again, in case it was lost.
const fakeGISAgain = 8

func newFakeGIS(c Config, s setting) (Protocol, error) {
	p := &fakeGISPeer{
		c: c, explore: s.fake.Explore, epochs: s.fake.Epochs,
		active: slices.Repeat([]bool{true}, c.Arms), left: make([]uint64, c.Arms),
		held: make([][]Message, s.fake.Epochs+1), asked: make(map[Label]Round), belief: newBelief(c.Arms),
	}
	for r := range p.held {
		p.held[r] = slices.Repeat([]Message{noMessage()}, c.Peers)
	}
	p.begin(1)
	return p, nil
}

func (p *fakeGISPeer) begin(epoch uint64) {
	p.epoch = epoch
	for k := range p.left {
		if p.left[k] = 0; p.active[k] && epoch <= p.epochs {
			p.left[k] = p.explore
		}
	}
}

// Route sends exploring pulls to the epoch's stream of their arm, and exploiting
// pulls nowhere.
func (p *fakeGISPeer) Route(part int) (dp.StreamID, bool) {
	return p.stream(part), p.left[part] > 0
}

func (p *fakeGISPeer) stream(arm int) dp.StreamID {
	return dp.StreamID((p.epoch-1)*uint64(p.c.Arms) + uint64(arm))
}

func (p *fakeGISPeer) Pulled(arm int, _ *Outbox) error {
	p.belief.Pulls[arm]++
	if p.left[arm] == 0 {
		return nil
	}
	p.left[arm]--
	if slices.Max(p.left) > 0 {
		return nil
	}
	m := Message{&message{kind: fakeData, label: Label{Origin: p.c.Self, Incarnation: p.c.Incarnation, Seq: p.epoch}}}
	for k, on := range p.active {
		if !on {
			continue
		}
		leaf, err := p.c.Draw.Leaf(p.stream(k), 1)
		if err != nil {
			return atHorizon(err)
		}
		m.body = append(m.body, leaf.Node)
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
		for _, n := range p.c.Neighbours {
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
	if indexOf(p.c.Neighbours, from) < 0 {
		return m.bad("no neighbour's")
	}
	labels := m.refs
	if m.kind == fakeData {
		labels = []Label{m.label}
	}
	for _, l := range labels {
		if int(l.Origin) >= p.c.Peers || l.Seq < 1 || l.Seq > p.epochs {
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
			if o := &p.held[l.Seq][l.Origin]; o.label == l {
				out.send(from, *o)
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
		if r.Len() != 1 || r.Counts() != 1 || r.Count(0) != p.explore || r.Exponent() != dp.GridExponent ||
			uint64(r.Stream())/uint64(p.c.Arms) != m.label.Seq-1 || (i > 0 && r.Stream() <= m.body[i-1].Stream()) {
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
	for p.epoch <= p.epochs && !slices.ContainsFunc(p.held[p.epoch], func(o Message) bool { return o.kind == 0 }) {
		p.eliminate()
		p.begin(p.epoch + 1)
	}
}

// eliminate merges the epoch and drops every arm that is 2^-r behind the best.
func (p *fakeGISPeer) eliminate() {
	for k := range p.active {
		total, n := 0., 0.
		for _, m := range p.held[p.epoch] {
			for _, r := range m.body {
				if r.Stream() == p.stream(k) {
					total, n = total+r.At(0), n+float64(r.Count(0))
				}
			}
		}
		if p.active[k] && n > 0 {
			p.belief.Mean[k], p.belief.Spread[k] = total/n, 1/n
		}
	}
	best := slices.Max(p.belief.Mean)
	for k := range p.active {
		p.active[k] = p.active[k] && best-p.belief.Mean[k] < 1/float64(uint64(1)<<min(p.epoch, 60))
	}
}

// Belief names the arms to explore as those that are behind.
func (p *fakeGISPeer) Belief() *Belief {
	p.belief.Behind = p.belief.Behind[:0]
	for k, n := range p.left {
		if n > 0 {
			p.belief.Behind = append(p.belief.Behind, k)
		}
	}
	return &p.belief
}
