package shuffling

import (
	"fmt"

	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// New implements [protocol.Params].
//
// Protocol shuffle is SDP-FedLinUCB (Zhou and Chowdhury 2024, Algorithm 1 with Algorithm 2 or 5). At the end of
// batch k a silo seals the p-sum that ends there, over as many batches as the lowest power of two in k, for the
// analyzer, and sends it to the shuffler. The shuffler waits for all silos or, after a deadline, for enough of
// them; it forwards their reports of the batch once, in an order that it draws. The analyzer adds them up, keeps
// the newest sum of each level, and sends all silos the sum of the levels that make k batches.
//
// If the analyzer is to see the sum alone, a silo splits its p-sum into two shares, one of which is sealed for the
// shuffler; that adds its shares up, and seals the sum for the analyzer. So a bag of noised bits, which Algorithm 6
// sends, is its count, and the sum of counts is all that leaves the shuffle.
//
// The shuffler sees who reports when, and no number; the analyzer sees numbers, and not whose they are. A report
// that comes after its batch is lost, until a p-sum over more batches includes it. A silo that has lost its folder
// begins another tree, whose nodes fit the batches no more: it learns, and reports those that fit.
func (p Params) New(c protocol.Config) (protocol.Protocol, error) {
	silos := max(1, c.Peers()-2)
	switch field, want := p.Check(protocol.Net{Peers: c.Peers()}); {
	case field != "":
		return nil, fmt.Errorf("shuffle: %s: want %s", field, want)
	case c.Parts != 1:
		return nil, fmt.Errorf("shuffle: sums of %d parts, want the one of a learner that chooses by features", c.Parts)
	case protocol.SealedLen(c.Width, 1) > dp.MaxSealed || silos >= maxParts*inPart(c.Width):
		return nil, fmt.Errorf("shuffle: %d sites with sums of %d numbers, want fewer of either: the reports of a batch are too long", silos, c.Width)
	}
	return newPeer(c, p), nil
}

// Tick sends a silo's reports; at the shuffler it sends a batch.
func (x *peer) Tick(t protocol.Round, out *protocol.Outbox) error {
	x.round = t + 1
	switch {
	case x.shuffler.None() || x.analyzer.Here():
		return nil
	case x.shuffler.Here():
		return x.mix(out)
	}
	return x.ask(out)
}

// Receive processes reports, batches and sums.
func (x *peer) Receive(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	switch {
	case !x.shuffler.Linked(from):
		return m.Refuse("from peer %d, want a neighbour", from)
	case m.Kind() == shuffleTotal:
		return x.take(m, out)
	case m.Kind() == shuffleSealed && x.shuffler.Here():
		return x.collect(from, m, out)
	case m.Kind() == shuffleMixed && x.analyzer.Here():
		return x.analyze(from, m, out)
	}
	return m.Refuse("does not go this way")
}
