package shuffling

import (
	"cmp"
	"maps"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/protocol"
)

const maxAhead = 8 // reports of one silo that the shuffler keeps

// collect stores a report, until its batch is forwarded. The folder of the shuffler has it, signed, until the next snapshot of its state.
func (x *peer) collect(from protocol.Peer, m protocol.Message, out *protocol.Outbox) error {
	s := &x.mixer
	if err := x.checkReport(&m); err != nil {
		return err
	}
	if m.Label().Origin != from {
		return m.Refuse("from peer %d, want its origin", from)
	}
	if m.Label().Seq <= x.answered || len(s.mixed) > 0 && m.Label().Seq <= s.batch {
		if x.newest.Kind() != 0 {
			out.Send(from, x.newest) // the answer was lost, or the report is late
		}
		return nil
	}
	if m.Label().Seq > uint64(x.round)/x.p.Every+maxAhead {
		return nil // it would come before all others' once these are answered
	}
	at, stored := slices.BinarySearchFunc(s.reports, m.Label(), func(a report, b protocol.Label) int { return byOrigin(a.Label(), b) })
	if stored {
		return nil
	}
	s.reports = slices.Insert(s.reports, at, report{m, max(x.round, protocol.Round(m.Label().Seq*x.p.Every))})
	last := at
	for last+1 < len(s.reports) && s.reports[last+1].Label().Origin == from {
		last++
	}
	if drop := last - maxAhead; drop >= 0 && s.reports[drop].Label().Origin == from {
		if !x.late(s.reports[drop]) {
			drop = last // the silo sends it again in its turn
		}
		s.reports = slices.Delete(s.reports, drop, drop+1)
	}
	return nil
}

// checkReport refuses a message other than the sealed p-sum of a silo.
func (x *peer) checkReport(m *protocol.Message) error {
	l, want := m.Label(), 1
	if x.p.Sees == Sum {
		want = 2
	}
	if int64(l.Origin) >= int64(x.c.Peers()) || !x.isSilo(l.Origin) || l.Stream != 0 || l.Seq == 0 || m.Refs() > 0 || m.Body() > 0 || len(m.Sealed()) != want {
		return m.Refuse("want %d sealed p-sums of a silo and nothing else", want)
	}
	for _, s := range m.Sealed() {
		if n := len(s.Bytes()); n != protocol.SealedLen(x.c.Width, 1) {
			return m.Refuse("a sealed p-sum of %d bytes, want %d", n, protocol.SealedLen(x.c.Width, 1))
		}
	}
	if !x.c.Press.Authentic(*m) {
		return m.Refuse("not signed by its silo")
	}
	if want == 2 {
		r, err := x.c.Press.Open(m.Sealed()[1])
		if err != nil || r.Stream() != 0 || r.Span() != psum(l.Seq) || r.Len() != x.c.Width || r.Counts() != 1 || r.Exponent() != dp.GridExponent || r.Noise() != (dp.Noise{}) {
			return m.Refuse("the shuffler's share of its p-sum is none: %v", err)
		}
	}
	return nil
}

// byOrigin orders reports.
func byOrigin(a, b protocol.Label) int {
	return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Seq, b.Seq))
}

// mix forwards the batch under way when it is complete, and again when the answer is overdue.
func (x *peer) mix(out *protocol.Outbox) error {
	s := &x.mixer
	if len(s.mixed) > 0 && s.batch <= x.answered {
		s.mixed, s.Waiting = nil, false
	}
	if len(s.mixed) == 0 {
		if err := x.complete(); err != nil {
			return err
		}
	}
	if !s.Due(x.round, len(s.mixed) > 0, x.patience()) {
		return nil
	}
	for _, m := range s.mixed {
		c := m.Content() // signatures are bound to the policy, which can change
		out.Send(x.analyzer.Root(), x.c.Press.Signed(c))
	}
	return nil
}

// complete mixes the first batch without an answer, if all silos have reported, or enough of them by the deadline. Too few by then
// delay no later batch: silos whose nodes fit the batches no more would for ever.
func (x *peer) complete() error {
	s := &x.mixer
	s.reports = slices.DeleteFunc(s.reports, func(m report) bool { return m.Label().Seq <= x.answered })
	silos := 0
	for _, p := range x.c.Neighbours() {
		if x.isSilo(p) {
			silos++
		}
	}
	of := make(map[uint64][]report)
	for _, m := range s.reports {
		of[m.Label().Seq] = append(of[m.Label().Seq], m)
	}
	for _, batch := range slices.Sorted(maps.Keys(of)) {
		late := slices.ContainsFunc(of[batch], x.late)
		switch n := len(of[batch]); {
		case n >= x.p.Least && (n >= silos || late):
			s.batch = batch
			return x.forward(of[batch])
		case !late:
			return nil
		}
	}
	return nil
}

// late reports whether a report has waited for others until the deadline.
func (x *peer) late(m report) bool { return x.round >= m.at+protocol.Round(x.p.Deadline) }

// forward makes the messages of a batch, in an order that does not follow from who reported when. If the analyzer
// is to see the sum alone, they begin with the sum of the shuffler's shares.
func (x *peer) forward(of []report) error {
	s := &x.mixer
	var all []dp.Sealed
	for _, m := range of {
		all = append(all, m.Sealed()[0])
	}
	x.c.Secret.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if x.p.Sees == Sum {
		share, err := x.shares(of)
		if err != nil {
			return err
		}
		all = slices.Insert(all, 0, share)
	}
	total := protocol.Label{Origin: x.c.Self, Seq: uint64(len(all))}
	s.reports = slices.DeleteFunc(s.reports, func(m report) bool { return m.Label().Seq <= s.batch })
	for part := range slices.Chunk(all, inPart(x.c.Width)) {
		s.mixed = append(s.mixed, x.c.Press.Message(protocol.Content{
			Kind: shuffleMixed, Label: protocol.Label{Origin: x.c.Self, Incarnation: x.c.Incarnation, Stream: dp.StreamID(len(s.mixed)), Seq: s.batch},
			Refs: []protocol.Label{total}, Sealed: part,
		}))
	}
	return nil
}

// shares seals the sum of the shuffler's shares of a batch for the analyzer.
func (x *peer) shares(of []report) (dp.Sealed, error) {
	var shares []dp.Release
	for _, m := range of {
		r, err := x.c.Press.Open(m.Sealed()[1])
		if err != nil {
			return dp.Sealed{}, err
		}
		shares = append(shares, r)
	}
	joined, err := averages.Joined(shares)
	if err != nil {
		return dp.Sealed{}, err
	}
	return x.c.Press.Seal(x.analyzer.Root(), joined)
}
