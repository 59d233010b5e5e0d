package node

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/protocol"
)

// Privacy is what a peer promises its users.
type Privacy struct {
	Mode           dp.Mode
	Budget         account.Budget // for everything the peer ever releases
	Mechanism      dp.Mechanism
	Adjacency      dp.Adjacency
	RecordsPerUser uint64
	Horizon        uint64 // rounds that the budget pays for

	// Amend changes the streams, where a laboratory plays what papers print; nil for none. What it
	// returns is charged, and only [dp.Lockstep] pays more than Budget.
	Amend func(dp.Spec) dp.Spec
}

// NoisedCounts reports whether the number of records is protected, too: then adjacency is by
// presence. See docs/proofs/counts.md.
func (p Privacy) NoisedCounts() bool { return p.Adjacency == dp.AddOrRemove }

// Streams returns the streams of a statistic that closes leaves by a cadence.
func (p Privacy) Streams(s bandit.Statistic, c protocol.Cadence) dp.Spec {
	lo, what, shape := 0., fmt.Sprintf("reward sums of %d arms", s.Parts), dp.Box
	switch s.Kind {
	case bandit.Sum:
		if p.NoisedCounts() {
			shape = dp.Counted
		}
	case bandit.Linear:
		what, shape = fmt.Sprintf("linear records of %d features", s.Dim), dp.Linear
	case bandit.Corner:
		what, shape = fmt.Sprintf("linear records of %d features, with squares", s.Dim), dp.Corner
	case bandit.Centred:
		what, shape = fmt.Sprintf("linear records of %d features, rewards centred", s.Dim), dp.Linear
		lo = -1
	}
	spec := dp.Spec{
		What: what, Shape: shape, Streams: c.Streams(s.Parts), Dim: s.Dim, Lo: lo, Hi: 1, Leaves: c.Leaves(p.Horizon),
		RecordsPerUser: p.RecordsPerUser, Adjacency: p.Adjacency, Mechanism: p.Mechanism,
		Epsilon: p.Budget.Epsilon, Delta: p.Budget.Delta.Float(),
	}
	if p.Amend != nil {
		spec = p.Amend(spec)
	}
	return spec
}

// An Agent is a peer without its world: a learner, a protocol, and the curator between them. It
// has no clock, socket, file or goroutine, is deterministic, and is not safe for concurrent use.
//
// An agent whose role has no arms is idle: it has no learner and no stream and is charged
// nothing. It receives, ticks and saves.
type Agent struct {
	self         protocol.Peer
	neighbours   []protocol.Peer
	roundEnds    bool
	arms         int
	absent       []bandit.Arm   // never chosen
	explore      float64        // share of exploring choices
	keeps        bool           // some decisions are not given
	giver        bandit.Giver   // nil unless few decisions are given
	gives        bool           // the next decision is given
	rows         Rows           // empty if all decisions are given
	learner      bandit.Learner // nil for an idle agent
	noisedCounts bool
	addsUp       bool // every leaf of rewards has noise of its own, and they add up
	protocol     protocol.Protocol
	curator      *dp.Curator
	closing      closing
	coins        [3]Coins // of the learner, of the protocol's schedule, of its secrets

	out     protocol.Outbox
	refused []error
	update  []float64     // scratch
	chosen  bandit.Choice // the learner's newest, before exploration
	shares  []float64     // by arm; scratch
	spent   float64       // ε, or -1 if not computed yet; streams are charged when they open, and all open at the start
}

// Ready is what an Agent asks of its driver: make Charges durable, then send Messages. The slices
// are valid until the next step.
type Ready struct {
	Charges  []dp.Charge         // make durable BEFORE anything in Drawn or Messages is used
	Drawn    []dp.Release        // nodes that were drawn; make durable, with the inputs of the step, BEFORE Messages are sent
	Hidden   dp.Secret           // noise drawn with them that they do not show; as Drawn
	Messages []protocol.Envelope // send AFTER that, in order
	Refused  []error             // faults of peers: messages that were refused, and those that prove a fault
}

// Played is what an agent did in a round.
type Played struct {
	Pull  bandit.Pull // bandit.NoArm's if the agent is idle, or had no decision to make
	Route Route       // zero for a kept decision
	// Kept says that the decision was not the agent's, and Changed that the site's own rewards show that the mean of the
	// arm has changed. Both are private.
	Kept, Changed bool
}

// Round plays round t: it receives what arrived, chooses an arm from public data and what the
// world offers, plays it, and lets the protocol end the round. Messages that are a peer's fault
// are dropped and reported in Ready; a returned error is this peer's own and leaves it unusable.
// An idle agent needs no world. If the world has no decision to make, the agent acts like an idle
// one.
func (a *Agent) Round(t protocol.Round, in []protocol.Delivery, w bandit.World) (p Played, err error) {
	a.Receive(in)
	if a.Idle() {
		p.Pull.Arm = bandit.NoArm
		return p, a.Tick(t)
	}
	turn := w.Turn(uint64(t))
	if turn.None {
		p.Pull.Arm = bandit.NoArm
		return p, a.Tick(t)
	}
	if p, err = a.Give(t, turn, w); err != nil {
		return p, err
	}
	return p, a.Tick(t)
}

// Give makes a decision of round t for what the world offers, which the world pays at once.
func (a *Agent) Give(t protocol.Round, turn bandit.Turn, w bandit.World) (p Played, err error) {
	g := a.Choose(turn)
	p.Pull.Arm, p.Pull.Features = g.Arm(), turn.Of(g.Arm())
	p.Route = a.Chose(t, g)
	if p.Pull.Reward, err = w.Play(p.Pull.Arm); err != nil {
		return p, err
	}
	return p, a.Observed(p.Route, p.Pull)
}

// NoisedCounts reports whether the number of records is protected, too.
func (a *Agent) NoisedCounts() bool { return a.noisedCounts }

// Idle reports whether the agent has a role without arms.
func (a *Agent) Idle() bool { return a.learner == nil }

// Choose returns the learner's choice, or an exploring one. Without features it is public: the
// coins of exploration are the learner's, and depend on nothing.
func (a *Agent) Choose(t bandit.Turn) Given {
	t = a.present(t)
	if !a.noisedCounts {
		a.renew()
	}
	c := a.learner.Choose(a.Belief(), t)
	a.chosen = c
	if a.explore > 0 {
		c = bandit.Explore(c, t, a.arms, a.explore, a.coins[0].Rand)
	}
	return Given{c}
}

// present returns t without the arms that are absent.
func (a *Agent) present(t bandit.Turn) bandit.Turn {
	t.Excluded = append(slices.Clip(t.Excluded), a.absent...)
	return t
}

// Reseed gives the choices from here on coins of their own. Where the number of choices is secret, the coins
// of one choice must not follow from other choices; see docs/proofs/counts.md.
func (a *Agent) Reseed(seed Seed) { a.coins[0].Reseed(seed) }

// renew renews the learner: before each choice or, where the moments of choices are secret, at the end of
// each round.
func (a *Agent) renew() {
	if r, ok := a.learner.(bandit.Renewer); ok {
		r.Renew(a.Belief())
	}
}

// Chances returns the probability of every arm for the choice that Choose has just returned for t, given the coins of neither exploration
// nor, with a [bandit.Sampler], the learner. With others that state no probability, it is given the learner's choice if choices explore, and
// all are 0 otherwise. The slice is valid until the next call. No later choice depends on it.
func (a *Agent) Chances(t bandit.Turn, rng *rand.Rand) []float64 {
	return a.chances(a.present(t), a.chosen, 0, rng)
}

func (a *Agent) chances(t bandit.Turn, c bandit.Choice, samples int, rng *rand.Rand) []float64 {
	if a.shares == nil {
		a.shares = make([]float64, a.arms)
	}
	p := a.shares
	bandit.Chances(p, a.learner, a.Belief(), t, c, a.explore, samples, rng)
	return p
}

// Odds returns the probability of every arm that the next choices for t have, by a number of samples if the learner samples. Its coins
// are of a seed of their own. It changes nothing of the agent. The slice is valid until the next call of Chances or Odds.
func (a *Agent) Odds(t bandit.Turn, samples int, seed Seed) []float64 {
	t = a.present(t)
	before := a.coins[0].save()
	a.Reseed(seed.Of("choice"))
	c := a.learner.Choose(a.Belief(), t)
	_ = a.coins[0].source.UnmarshalBinary(before) // never fails: save wrote it
	if _, ok := a.learner.(bandit.Sampler); ok {
		c.Arm = bandit.NoArm
	}
	return a.chances(t, c, samples, seed.Rand("samples"))
}

// Explored returns the share of choices that explore.
func (a *Agent) Explored() float64 { return a.explore }

// Explore sets that share for later choices. A driver that repeats choices sets the share with
// which they were made.
func (a *Agent) Explore(share float64) { a.explore = share }

// Chose records a given choice of round t, and returns the route of its record. The driver keeps the route with the
// choice.
func (a *Agent) Chose(t protocol.Round, g Given) Route {
	part := a.learner.Part(g.Arm())
	if !a.noisedCounts {
		a.protocol.Chosen(part)
	}
	r := a.closing.route(part, t, a.protocol)
	if a.giver != nil {
		a.wish()
	}
	return r
}

// Observed records the reward of a choice with its route.
func (a *Agent) Observed(r Route, p bandit.Pull) error {
	if a.closing.phased != nil {
		a.closing.enter(a.protocol.Belief())
	}
	if !r.In || r.Epoch != 0 && (r.Epoch != a.closing.epoch || a.closing.explored()) { // a finished epoch does not wait
		return nil
	}
	a.update = a.learner.Update(p, a.update[:0])
	if err := a.curator.Add(r.Stream, a.update); err != nil {
		return err
	}
	return a.recorded(r)
}

// Tick ends round t.
func (a *Agent) Tick(t protocol.Round) error {
	if a.noisedCounts && !a.Idle() {
		a.renew()
		a.protocol.Chosen(a.learner.Part(a.Choose(bandit.Turn{Round: uint64(t)}).Arm()))
	}
	if err := a.ended(t); err != nil {
		return err
	}
	if err := a.protocol.Tick(t, &a.out); err != nil {
		return err
	}
	if a.roundEnds {
		a.out.EndRound(a.self, t, a.neighbours)
	}
	if a.keeps && a.rows.copy(a.Belief()) {
		a.wish()
	}
	return nil
}

// Receive handles messages, which must be in the order of [protocol.Sort].
func (a *Agent) Receive(in []protocol.Delivery) {
	for i := range in {
		err := a.protocol.Receive(in[i].From, in[i].Message, &a.out)
		if accusation := a.out.Accusation(); err == nil {
			err = accusation
		}
		if err != nil {
			a.refused = append(a.refused, fmt.Errorf("from peer %d: %w", in[i].From, err))
		}
	}
}

// Ready returns what the driver must do, and forgets it.
func (a *Agent) Ready() Ready {
	r := Ready{a.curator.TakeCharges(), a.curator.TakeDrawn(), a.curator.Hidden(), a.out.Envelopes(), a.refused}
	a.refused = a.refused[:0]
	a.out.Reset()
	return r
}

// Lost returns the peer that the protocol needs and that does not answer; false if there is none.
func (a *Agent) Lost() (needed protocol.Peer, lost bool) {
	d, ok := a.protocol.(protocol.Dependent)
	if !ok {
		return 0, false
	}
	return d.Lost()
}

// Belief returns what the agent's next decision will rest on.
func (a *Agent) Belief() *bandit.Belief {
	b := a.protocol.Belief()
	if a.closing.phased != nil {
		b.Forced = a.closing.lacking(b)
	}
	return b
}

// Summary returns what the agent's learner knows of every arm; nothing for an idle agent.
func (a *Agent) Summary() (s bandit.Summary) {
	if !a.Idle() {
		s = a.learner.Summarize(a.Belief())
	}
	return s
}

// Support returns what the estimates of Summary rest on; nothing for an idle agent.
func (a *Agent) Support() (s bandit.Support) {
	if !a.Idle() {
		s = bandit.SupportOf(a.learner, a.Belief(), int(a.self))
	}
	return s
}

// Radii appends to r the confidence radius of every arm with which the learner would choose in
// round t from [Agent.Belief]; nothing if the learner is not a [bandit.Bounder].
func (a *Agent) Radii(r []bandit.Radius, t protocol.Round) []bandit.Radius {
	if l, ok := a.learner.(bandit.Bounder); ok {
		r = l.Radii(r, a.Belief(), uint64(t))
	}
	return r
}

// Spent returns the ε of all charges together at the budget's δ.
func (a *Agent) Spent() float64 {
	if a.spent < 0 {
		a.spent, _ = a.curator.Budget().Used(a.curator.Spent()) // the budget covers it, so there is one
	}
	return a.spent
}

// Left returns the ε that is not charged.
func (a *Agent) Left() float64 { return a.curator.Budget().Epsilon.Float() - a.Spent() }

// Clipped returns the number of records, since the agent was made, whose rewards or features were
// out of bounds and clipped. It is private, and only for the site's own log.
func (a *Agent) Clipped() uint64 { return a.curator.Clipped() }

// Remaining returns how many leaves of a stream the charge still pays for.
func (a *Agent) Remaining(s dp.StreamID) (uint64, error) { return a.curator.Remaining(s) }
