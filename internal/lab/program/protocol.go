package program

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// released is the kind of the messages. It is one of those for protocols of other modules, since it is never on a wire.
const released = protocol.FirstFree

// ProtocolParams are the parameters of a protocol that is a program.
type ProtocolParams struct {
	Command   []string `want:"command" doc:"The program, which says which releases go to whom and how much each counts (docs/lab/own-ideas.md)."`
	Timeout   uint64   `want:"1..3600" unit:"seconds" doc:"How long an answer may take."`
	Parameter float64  `want:"-1e9 up to 1e9" doc:"A number for the program, in its first line."`
	Every     uint64   `want:"1..1073741824" unit:"rounds" doc:"Rounds from one release of the sums of all arms to the next."`

	run *Run // nil outside of the simulator
}

// In returns the parameters for a run.
func (p ProtocolParams) In(r *Run) ProtocolParams {
	p.run = r
	return p
}

// Program implements [Params].
func (p ProtocolParams) Program() []string { return p.Command }

// Words implements [protocol.Params].
func (ProtocolParams) Words() protocol.Words {
	return protocol.Words{Name: "program", Summary: "what a program of yours says, in simulations alone", When: "you try an idea of your own", Public: "nothing"}
}

// Traits implements [protocol.Traited].
func (ProtocolParams) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{released: "release"}, Leaf: "every", Adaptive: true, Fixed: "a program gets the network at the start alone"}
}

// Cadence implements [protocol.Params].
func (p ProtocolParams) Cadence() protocol.Cadence {
	return protocol.Cadence{Rounds: p.Every, Noun: "release"}
}

// Check implements [protocol.Checked].
func (p ProtocolParams) Check(protocol.Net) (field, want string) { return checkCommand(p.Command) }

// New implements [protocol.Params].
func (p ProtocolParams) New(c protocol.Config) (protocol.Protocol, error) {
	if p.run == nil {
		return nil, fmt.Errorf("protocol.program: %w", errNoRun)
	}
	s := &speaker{c: c, self: p.run.speakers, belief: belief.New(c.Parts, 1), rows: make([]row, c.Parts*c.Peers())}
	p.run.speakers++
	h := hello{Role: "protocol", Parameter: p.Parameter, Arms: c.Parts, Peers: c.Peers(), Links: c.Graph}
	var err error
	s.program, err = p.run.open(p.Command, p.Timeout, h, `{"ok": true}`, agreed)
	return s, err
}

// A speaker is one peer's half of the protocol. It holds the newest sums of every arm of every peer, which only curators
// make, and sends them as they are: a program names them, and never makes the numbers of a message.
type speaker struct {
	c       protocol.Config
	self    int // its number in the lines
	program *process
	belief  belief.Belief
	rows    []row       // by arm and peer
	weights [][]float64 // by arm and peer; nil for 1
	news    []news
}

// A row is a message with the newest sums of an arm of a peer.
type row struct {
	message protocol.Message
	sum     dp.Release // empty until the first one is known
}

// of returns the rows of an arm, by peer.
func (s *speaker) of(arm int) []row { return s.rows[arm*s.c.Peers():][:s.c.Peers()] }

// Chosen implements [protocol.Protocol].
func (s *speaker) Chosen(arm int) { s.belief.Pulls[arm]++ }

// Belief implements [protocol.Protocol].
func (s *speaker) Belief() *belief.Belief { return &s.belief }

// Released implements [protocol.Protocol].
func (s *speaker) Released(own []protocol.Own, _ *protocol.Outbox) error {
	for _, o := range own {
		if !o.Over {
			s.hold(s.c.Self, s.c.Press.Signed(protocol.Content{
				Kind: released, Label: protocol.Label{Origin: s.c.Self, Incarnation: s.c.Incarnation, Stream: o.Stream, Seq: o.Number}, Body: []dp.Release{o.Leaf.Sum},
			}))
		}
	}
	return nil
}

// Receive implements [protocol.Protocol].
func (s *speaker) Receive(from protocol.Peer, m protocol.Message, _ *protocol.Outbox) error {
	l := m.Label()
	if m.Kind() != released || m.Body() != 1 || int(l.Origin) >= s.c.Peers() || l.Origin == s.c.Self || int(l.Stream) >= s.c.Parts || !s.c.Press.Authentic(m) {
		return m.Refuse("want the sums of an arm, signed by their origin")
	}
	if r := m.Release(0); r.Stream() != l.Stream || r.Len() != 1 || r.Counts() != 1 {
		return m.Refuse("want one sum and one count")
	}
	if r := &s.of(int(l.Stream))[l.Origin]; r.sum.Empty() || protocol.Newer(l, r.message.Label()) {
		s.hold(from, m)
	}
	return nil
}

// hold takes newer sums.
func (s *speaker) hold(from protocol.Peer, m protocol.Message) {
	l, r := m.Label(), m.Release(0)
	arm := int(l.Stream)
	s.of(arm)[l.Origin] = row{m, *r}
	item := news{Origin: l.Origin, Arm: arm, Number: l.Seq, From: from, Count: r.Count(0)}
	if n := float64(item.Count); n > 0 {
		mean := r.At(0) / n
		item.Mean, item.NoiseSD = &mean, math.Sqrt(r.NoiseMoments().Over(n).Variance())
	}
	s.news = append(s.news, item)
	s.merge(arm)
}

// merge computes the belief about an arm: the weighted mean of the means of peers, each over all of its rewards.
func (s *speaker) merge(arm int) {
	var mean, inverse, total float64
	var noise dp.NoiseMoments
	for i := range s.of(arm) {
		r, weight := &s.of(arm)[i].sum, 1.
		if s.weights != nil {
			weight = s.weights[arm][i]
		}
		if r.Empty() || r.Count(0) == 0 || weight == 0 {
			continue
		}
		n := float64(r.Count(0))
		mean, inverse, total = mean+weight*(r.At(0)/n), inverse+weight*weight*(1/n), total+weight
		noise = noise.Plus(r.NoiseMoments().Over(n / weight))
	}
	b := &s.belief
	if total == 0 {
		mean, inverse, total = 0, math.Inf(1), 1
	}
	noise = noise.Over(total)
	b.X[arm], b.SampleVar[arm] = mean/total, inverse/total/total
	b.LaplaceSumSq[arm], b.LaplaceMax[arm], b.GaussVar[arm] = noise.LaplaceSumSq, noise.LaplaceMax, noise.GaussVar
}

// A tick is the line at the end of a round of a peer.
type tick struct {
	Peer  int            `json:"peer"`
	Self  protocol.Peer  `json:"self"` // its place in links
	Round protocol.Round `json:"round"`
	News  []news         `json:"news"`
}

// news are sums that were released or arrived in the round, newer than what the peer had.
type news struct {
	Origin  protocol.Peer `json:"origin"`
	Arm     int           `json:"arm"`
	Number  uint64        `json:"number"` // of the release, from 1
	From    protocol.Peer `json:"from"`   // the neighbour that sent it, or the peer itself
	Mean    *float64      `json:"mean"`   // null without rewards
	Count   uint64        `json:"count"`  // of rewards
	NoiseSD float64       `json:"noise_sd"`
}

// An order is the answer to it.
type order struct {
	Send    [][]int     `json:"send"`    // to, origin and arm
	Weights [][]float64 `json:"weights"` // by arm and peer; absent if they stay
}

// Tick implements [protocol.Protocol].
func (s *speaker) Tick(t protocol.Round, out *protocol.Outbox) error {
	if s.news == nil {
		s.news = []news{}
	}
	var o order
	want := fmt.Sprintf(`{"send": [[to, origin, arm], ...], "weights": [[...], ...]}: to a neighbour, what the peer has; weights 0 or 1e-9 to 1e9, if they change, a row of %d for each of %d arms`, s.c.Peers(), s.c.Parts)
	err := s.program.ask(tick{s.self, s.c.Self, t, s.news}, &o, want, func() error { return s.check(&o) })
	if err != nil {
		return err
	}
	s.news = s.news[:0]
	for _, x := range o.Send {
		out.Send(protocol.Peer(x[0]), s.of(x[2])[x[1]].message)
	}
	if o.Weights != nil {
		s.weights = o.Weights
		for arm := range s.c.Parts {
			s.merge(arm)
		}
	}
	return nil
}

// check returns what is wrong with an order.
func (s *speaker) check(o *order) error {
	for _, x := range o.Send {
		switch {
		case len(x) != 3:
			return fmt.Errorf("%v in send", x)
		case x[0] < 0 || x[0] >= s.c.Peers() || !slices.Contains(s.c.Neighbours(), protocol.Peer(x[0])):
			return fmt.Errorf("%v in send: %d is no neighbour", x, x[0])
		case x[1] < 0 || x[1] >= s.c.Peers() || x[2] < 0 || x[2] >= s.c.Parts || s.of(x[2])[x[1]].sum.Empty():
			return fmt.Errorf("%v in send: the peer has no such release", x)
		}
	}
	if o.Weights != nil && len(o.Weights) != s.c.Parts {
		return fmt.Errorf("weights of %d arms", len(o.Weights))
	}
	for arm, row := range o.Weights {
		if len(row) != s.c.Peers() {
			return fmt.Errorf("weights of %d peers", len(row))
		}
		for _, w := range row {
			if !(w == 0 || w >= 1e-9 && w <= 1e9) {
				return fmt.Errorf("weight %v of arm %d", w, arm)
			}
		}
	}
	return nil
}

// Save implements [protocol.Protocol]. A program keeps nothing.
func (*speaker) Save() (protocol.State, error) {
	return protocol.State{}, errors.New("program: the state of a program is not kept")
}

// Load implements [protocol.Protocol].
func (*speaker) Load(protocol.State) error {
	return fmt.Errorf("%w: the state of a program is not kept", protocol.ErrState)
}
