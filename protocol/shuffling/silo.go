package shuffling

import (
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/vouch"
	"peerd.dev/protocol"
)

// Released keeps the running sum, and the p-sum to report. After a restart without the folder, nodes can be over other batches than
// p-sums; those are not reported.
func (x *peer) Released(own []protocol.Own, _ *protocol.Outbox) error {
	for i := range own {
		if own[i].Over {
			continue
		}
		x.silo.sum, x.stale = own[i].Leaf.Sum, true
		if node := own[i].Leaf.Node; own[i].Number > x.answered && node.Span() == psum(own[i].Number) && !x.shuffler.None() {
			x.silo.queue = append(x.silo.queue, node)
		}
	}
	return nil
}

// ask sends new reports and, when an answer is overdue, the oldest again.
func (x *peer) ask(out *protocol.Outbox) error {
	s := &x.silo
	if !x.shuffler.Linked(x.shuffler.Root()) {
		return nil
	}
	again := s.Due(x.round, len(s.queue) > 0, x.patience())
	for i := range s.queue {
		k := s.queue[i].Span().To
		if k <= s.sent && (i > 0 || !again) {
			continue
		}
		sealed, err := x.seal(s.queue[i])
		if err != nil {
			return err
		}
		out.Send(x.shuffler.Root(), x.c.Press.Signed(protocol.Content{
			Kind: shuffleSealed, Label: protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Seq: k}, Sealed: sealed,
		}))
		s.sent = max(s.sent, k)
	}
	return nil
}

// seal seals a p-sum for the analyzer or, if that is to see the sum alone, a share of it for the analyzer and one for the shuffler.
func (x *peer) seal(r dp.Release) ([]dp.Sealed, error) {
	if x.p.Sees == Reports {
		s, err := x.c.Press.Seal(x.analyzer.Root(), r)
		return []dp.Sealed{s}, err
	}
	a, b, err := averages.Split(r, vouch.For(x.c.Secret))
	if err != nil {
		return nil, err
	}
	first, err := x.c.Press.Seal(x.analyzer.Root(), a)
	if err != nil {
		return nil, err
	}
	second, err := x.c.Press.Seal(x.shuffler.Root(), b)
	return []dp.Sealed{first, second}, err
}
