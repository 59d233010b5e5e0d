package batches

import (
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
	"peerd.dev/protocol/internal/spread"
)

// The messages of batch with an analyzer.
const (
	batchReport protocol.Kind = 91 // the sum over all batches of a silo, signed; asks for the sum over others
	batchOthers protocol.Kind = 92 // the sum over all silos except one, for that silo, signed by the analyzer
)

// analyzed is Private-FedLinUCB with the paper's server (Zhou and Chowdhury 2024, Algorithm 1): one
// peer without arms, the analyzer, holds the newest report of each silo and returns to a silo
// the sum over all others, so that what a silo receives does not grow with their number. Messages
// travel along shortest paths, which are one link where all silos are neighbours of the analyzer, and
// are signed.
//
// A report contains the sum over all batches of its silo and replaces the report before. The belief
// of a silo is the others' sum with the most records, plus its own sums. So no batch is counted
// twice, a lost batch is in the next report, and an analyzer that has lost its state does not
// reduce what silos have.
//
// A silo reports at the end of a batch, and again every pull rounds until the analyzer has named
// its report. The analyzer answers a silo in the round of its report, without waiting for others,
// and every pull rounds it sends newer sums to silos. A silo also asks without a report, more and
// more rarely while there is no news, in case a sum was lost on its way.
type analyzed struct {
	c         protocol.Config
	cadence   protocol.Cadence
	batches   protocol.Cadence // in leaves
	threshold float64          // amount of news that is worth a report; 0 if every batch is
	pull      uint64           // rounds after which a silo or the analyzer sends again
	hub       hub.Hub          // the analyzer
	round     protocol.Round   // that is under way
	belief    belief.Belief
	stale     bool
	silo      analyzedSilo
	desk      analyzedDesk
}

// analyzedSilo is the state of a peer with arms.
type analyzedSilo struct {
	hub.Call
	sums   []dp.Release     // newest own ones, by part; empty before the first leaf
	shown  []dp.Release     // own sums in the newest report
	others protocol.Message // the sum over other silos with the most records; empty before the first
	taken  bool             // the analyzer holds the newest report
	fresh  bool             // it has not been sent
	quiet  uint64           // periods of pull rounds until it asks again without a report
}

// newAnalyzed returns a peer of a network with its analyzer at a place, from 1; batches are in leaves.
func newAnalyzed(c protocol.Config, place int, cadence, batches protocol.Cadence, threshold float64, pull uint64) *analyzed {
	return &analyzed{
		c: c, cadence: cadence, batches: batches, threshold: threshold, pull: pull, hub: hub.NewHub(&c, place),
		belief: belief.New(c.Parts, c.Width), stale: true,
		silo: analyzedSilo{sums: make([]dp.Release, c.Parts), shown: make([]dp.Release, c.Parts), others: protocol.NoMessage(), taken: true, quiet: 1},
		desk: newAnalyzedDesk(c.Peers()),
	}
}

// patience returns the number of rounds for which a silo awaits an answer.
func (x *analyzed) patience() uint64 { return x.pull + uint64(2*max(0, x.hub.Links())) }

// Lost implements [protocol.Dependent].
func (x *analyzed) Lost() (needed protocol.Peer, lost bool) {
	return x.hub.Root(), x.hub.Reached() && x.silo.Lasts(x.round, 4*x.patience())
}

// Chosen counts the choice.
func (x *analyzed) Chosen(part int) { x.belief.Pulls[part]++ }

// due reports whether a batch has ended and the sum over batches is to be reported.
func (x *analyzed) due(part dp.StreamID) bool {
	own, shown := &x.silo.sums[part], &x.silo.shown[part]
	if !ended(x.batches, own, shown) {
		return false
	}
	if x.threshold == 0 {
		return true
	}
	all := belief.New(1, x.c.Width)
	x.addUp(&all, 0, int(part))
	return newsworthy(&all, own, shown, x.threshold)
}

// Released adds leaves to the own sums. A completed batch is to be reported.
func (x *analyzed) Released(own []protocol.Own, _ *protocol.Outbox) error {
	s := &x.silo
	x.stale = true
	return advance(own, s.sums, s.shown, x.due, func(part dp.StreamID) {
		s.shown[part], s.taken, s.fresh = s.sums[part], false, true
	})
}

// ask sends the newest report, or a request without one, when it is due.
func (x *analyzed) ask(out *protocol.Outbox) {
	s, patience := &x.silo, x.patience()
	if s.fresh {
		patience = 0
	}
	without := !s.Waiting && s.taken
	if !s.Due(x.round, !s.taken || x.round >= s.Asked+protocol.Round(s.quiet*x.pull), patience) {
		return
	}
	if s.fresh = false; without {
		s.quiet = min(2*s.quiet, spread.Rest)
	}
	var body []dp.Release
	for k := range s.shown {
		if !s.taken && !s.shown[k].Empty() {
			body = append(body, s.shown[k])
		}
	}
	held := protocol.Label{Origin: x.hub.Root(), Incarnation: s.others.Label().Incarnation, Seq: s.others.Label().Seq}
	m := x.c.Press.Signed(protocol.Content{Kind: batchReport, Label: x.newest(), Refs: []protocol.Label{held}, Body: body})
	out.Send(x.hub.Next(), m)
}

// newest returns the label of the newest report: its number is the number of leaves in it.
func (x *analyzed) newest() protocol.Label {
	l := protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation}
	for k := range x.silo.shown {
		l.Seq += spread.LeavesOf(&x.silo.shown[k])
	}
	return l
}

// take processes the sum over other silos, or forwards it to its silo.
func (x *analyzed) take(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch {
	case x.hub.Here() || x.hub.Next() != from:
		return m.Refuse("a sum from peer %d, want the analyzer's along the way from it", from)
	case m.Label().Origin != x.hub.Root() || m.Refs() != 1 || int64(m.Ref(0).Origin) >= int64(x.c.Peers()):
		return m.Refuse("want the analyzer's sum for a silo")
	case !x.hub.Over(m.Ref(0).Origin, x.c.Self):
		return m.Refuse("for peer %d, which is not on the way", m.Ref(0).Origin)
	}
	if err := x.checkOthers(&m); err != nil {
		return err
	}
	to := m.Ref(0).Origin
	if to != x.c.Self {
		x.hub.Hand(m, to, out)
		return nil
	}
	s := &x.silo
	s.Waiting = false
	s.taken = m.Ref(0) == x.newest()
	if have, news := records(&s.others), records(&m); news > have || news == have && news > 0 && protocol.Newer(m.Label(), s.others.Label()) {
		s.others, s.quiet, x.stale = m, 1, true
	}
	return nil
}

// records returns the number of records in the sums of a message.
func records(m *protocol.Message) (n uint64) {
	if m.Kind() == 0 {
		return 0
	}
	for i := range m.Body() {
		n += m.Release(i).Count(0)
	}
	return n
}

// checkOthers refuses a message other than a sum over silos, signed by the analyzer.
func (x *analyzed) checkOthers(m *protocol.Message) error {
	if err := x.checkBody(m); err != nil {
		return err
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by the analyzer")
	}
	return nil
}

// checkBody refuses a message other than a list of sums, one per part.
func (x *analyzed) checkBody(m *protocol.Message) error {
	next := 0
	for i := range m.Body() {
		r := m.Release(i)
		if int(r.Stream()) < next || int(r.Stream()) >= x.c.Parts || r.Len() != x.c.Width || r.Counts() != 1 || r.Count(0) == 0 || r.Exponent() != dp.GridExponent {
			return m.Refuse("release %d: want the sum of %d numbers of a part with its count, ascending", i, x.c.Width)
		}
		next = int(r.Stream()) + 1
	}
	if len(m.Sealed()) > 0 || m.Round() != 0 || m.Label().Stream != 0 {
		return m.Refuse("want sums and nothing else")
	}
	return nil
}

// Belief adds the own sums to the others' sums.
func (x *analyzed) Belief() *belief.Belief {
	if x.stale {
		x.stale = false
		for k := range x.silo.sums {
			x.addUp(&x.belief, k, k)
		}
	}
	return &x.belief
}

// addUp sets the belief about a part to the own sum of a stream plus the others' sum.
func (x *analyzed) addUp(b *belief.Belief, part, stream int) {
	spread.BelieveSum(b, part, func(yield func(*dp.Release) bool) {
		if own := &x.silo.sums[stream]; !own.Empty() && !yield(own) {
			return
		}
		if x.silo.others.Kind() == 0 {
			return
		}
		for i := range x.silo.others.Body() {
			if r := x.silo.others.Release(i); int(r.Stream()) == stream && !yield(r) {
				return
			}
		}
	})
}

// analyzedDesk is the analyzer's state of the silos.
type analyzedDesk struct {
	hub.Desk
	sent   []protocol.Label // of the newest sums sent to each
	owed   []bool           // silos for which there are records that they were not sent
	known  []bool           // silos that have asked at least once
	number uint64           // of the newest sum that was sent
	pulled uint64           // periods of pull rounds that have passed
}

func newAnalyzedDesk(peers int) analyzedDesk {
	return analyzedDesk{Desk: hub.NewDesk(peers), sent: make([]protocol.Label, peers), owed: make([]bool, peers), known: make([]bool, peers)}
}
