package spread

import (
	"peerd.dev/dp"
	"peerd.dev/protocol"
)

// Totals are the sums of all releases of every origin's streams: rows of one stream each, and this
// peer's own sums. The newest row of a stream covers all its leaves, so no leaf is counted twice,
// and the next row, or a digest, makes up for a lost one.
type Totals struct {
	antiEntropy
	Window uint64       // number of the window under way, from 0
	Total  []dp.Release // own sums of the window, by part; empty before the first leaf
	Own    []dp.Release // the same with unsent leaves; nil where leaves are sent at once
}

// NewTotals returns totals without rows. Its arguments are as for [NewFlood]; the streams are the parts.
func NewTotals(c protocol.Config, row protocol.Kind, pull uint64, check func(*protocol.Message) error) Totals {
	return Totals{antiEntropy: newAntiEntropy(c, row, pull, check), Total: make([]dp.Release, c.Parts)}
}

// SumOf returns what a peer has released of a part in the window; nil for nothing.
func (s *Totals) SumOf(p protocol.Peer, part int) *dp.Release {
	if p == s.C.Self { // its row may be out of date after a change of the policy
		x := &s.Total[part]
		if s.Own != nil {
			x = &s.Own[part]
		}
		if x.Empty() {
			return nil
		}
		return x
	}
	if m := s.of(p)[part]; m.Kind() != 0 && windowOf(m.Label()) == s.Window {
		return m.Release(0)
	}
	return nil
}

// Add adds a leaf below the horizon to the own sum, and sends the sum.
func (s *Totals) Add(own *protocol.Own, out *protocol.Outbox) error {
	sum, err := Grown(s.Total[own.Stream], own.Leaf)
	if err != nil {
		return err
	}
	s.Show(own.Stream, sum, out)
	return nil
}

// Show sends the sum of a part over leaves from the first one on.
func (s *Totals) Show(part dp.StreamID, sum dp.Release, out *protocol.Outbox) {
	s.Total[part] = sum
	s.publish(s.closed(), sum, out)
}

// closed returns the number of an own row: the window and the number of leaves in its sums.
func (s *Totals) closed() uint64 {
	n := uint64(0)
	for k := range s.Total {
		n += LeavesOf(&s.Total[k])
	}
	return windowed(s.Window, n)
}

// Forget begins a window.
func (s *Totals) Forget(window uint64) {
	s.Window = window
	clear(s.Total)
}

// Announce sends digests at the end of round t, and rows again that what peers agree on has made
// void.
func (s *Totals) Announce(t protocol.Round, out *protocol.Outbox) {
	for k, row := range s.of(s.C.Self) {
		if row.Kind() == 0 && !s.Total[k].Empty() {
			s.publish(s.closed(), s.Total[k], out)
		}
	}
	s.tick(t, out)
}
