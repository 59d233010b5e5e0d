package shuffling

import (
	"slices"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
	"peerd.dev/protocol/internal/spread"
)

const maxParts = 64 // messages that a batch takes

// inPart returns the number of reports of a width in one of them.
func inPart(width int) int {
	return min((protocol.MaxFrame-1<<10)/(protocol.SealedLen(width, 1)+4), protocol.MaxBody)
}

// peer is a silo, the shuffler or the analyzer.
type peer struct {
	c        protocol.Config
	p        Params
	shuffler hub.Hub
	analyzer hub.Hub
	round    protocol.Round   // that is under way
	answered uint64           // newest batch that the analyzer has answered
	newest   protocol.Message // sum; empty before the first
	most     protocol.Message // sum with the most records; empty before the first
	belief   belief.Belief
	stale    bool
	silo     silo
	mixer    mixer
	adder    adder
}

// silo is the state of a peer with arms.
type silo struct {
	hub.Call
	sum   dp.Release   // own running sum; empty before the first batch
	queue []dp.Release // own p-sums without an answer, by batch
	sent  uint64       // newest batch that was reported
}

// done forgets the reports up to a batch, which the analyzer has answered.
func (s *silo) done(batch uint64) {
	n := len(s.queue)
	if s.queue = slices.DeleteFunc(s.queue, func(r dp.Release) bool { return r.Span().To <= batch }); len(s.queue) < n {
		s.Waiting = false
	}
}

// mixer is the state of the shuffler.
type mixer struct {
	hub.Call
	reports []report           // without an answer, by origin and batch
	batch   uint64             // that was forwarded last
	mixed   []protocol.Message // its parts; none once it is answered
}

// report is the sealed p-sum of a silo.
type report struct {
	protocol.Message
	at protocol.Round // in which it came, or at whose beginning its batch has ended if that is later
}

// adder is the state of the analyzer.
type adder struct {
	parts  []protocol.Message // of the batch that is arriving
	levels [64]dp.Release     // the newest sum over silos of each level of the tree; empty before the first
}

// psum returns the batches of the p-sum that ends with batch k.
func psum(k uint64) dp.Span { return dp.Span{From: k & (k - 1), To: k} }

func newPeer(c protocol.Config, p Params) *peer {
	return &peer{
		c: c, p: p, shuffler: hub.NewHub(&c, p.Shuffler), analyzer: hub.NewHub(&c, p.Analyzer),
		newest: protocol.NoMessage(), most: protocol.NoMessage(), belief: belief.New(1, c.Width), stale: true,
	}
}

// isSilo reports whether a peer has arms and takes part.
func (x *peer) isSilo(p protocol.Peer) bool { return !x.p.Idle(p) && x.c.Member(p) }

// patience returns the number of rounds for which an answer is awaited.
func (x *peer) patience() uint64 { return x.p.Pull + uint64(2*max(0, x.analyzer.Links())) }

// Lost implements [protocol.Dependent].
func (x *peer) Lost() (needed protocol.Peer, lost bool) {
	switch {
	case x.shuffler.None() || x.analyzer.Here():
		return protocol.Everyone, false
	case x.shuffler.Here():
		return x.analyzer.Root(), !x.shuffler.Linked(x.analyzer.Root()) || x.mixer.Lasts(x.round, 4*x.patience())
	}
	return x.shuffler.Root(), !x.shuffler.Linked(x.shuffler.Root()) || x.silo.Lasts(x.round, 4*(x.patience()+x.p.Deadline))
}

// Chosen counts the choice.
func (x *peer) Chosen(part int) { x.belief.Pulls[part]++ }

// take takes over a sum that is newer, and forwards it.
func (x *peer) take(m protocol.Message, out *protocol.Outbox) error {
	if err := x.checkSum(&m); err != nil {
		return err
	}
	if x.newest.Kind() != 0 && !protocol.Newer(m.Label(), x.newest.Label()) {
		return nil
	}
	x.keep(m)
	x.analyzer.Hand(m, protocol.Everyone, out)
	return nil
}

// keep keeps a sum that is newer.
func (x *peer) keep(m protocol.Message) {
	x.newest = m
	x.answered = max(x.answered, m.Label().Seq)
	if records(&m) >= records(&x.most) {
		x.most, x.stale = m, true
	}
	x.silo.done(x.answered)
}

// records returns the number of records in a sum.
func records(m *protocol.Message) uint64 {
	if m.Body() == 0 {
		return 0
	}
	return m.Release(0).Count(0)
}

// checkSum refuses a message other than a sum of the analyzer.
func (x *peer) checkSum(m *protocol.Message) error {
	switch {
	case x.analyzer.Here() || m.Label().Origin != x.analyzer.Root() || m.Refs() > 0 || len(m.Sealed()) > 0 || m.Body() > 1 || m.Label().Stream != 0:
		return m.Refuse("want the analyzer's sum and nothing else")
	case m.Body() == 1:
		if r := m.Release(0); r.Len() != x.c.Width || r.Counts() != 1 || r.Exponent() != dp.GridExponent || r.Span().To > m.Label().Seq {
			return m.Refuse("want the sum of %d numbers up to its batch, with a count", x.c.Width)
		}
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by the analyzer")
	}
	return nil
}

// Belief is the sum over all silos with the most records, or the own one if that has more.
func (x *peer) Belief() *belief.Belief {
	if x.stale {
		x.stale = false
		best := &x.silo.sum
		if x.most.Body() > 0 && (best.Empty() || records(&x.most) >= best.Count(0)) {
			best = x.most.Release(0)
		}
		spread.BelieveSum(&x.belief, 0, func(yield func(*dp.Release) bool) {
			if !best.Empty() {
				yield(best)
			}
		})
	}
	return &x.belief
}
