package shuffling

import (
	"peerd.dev/dp"
	"peerd.dev/dp/state"
	"peerd.dev/protocol"
	"peerd.dev/protocol/internal/hub"
	"peerd.dev/protocol/internal/spread"
)

const version = 1 // of saved states

// Save implements [protocol.Protocol].
func (x *peer) Save() (protocol.State, error) { return spread.Save(version, x.fields), nil }

// Load implements [protocol.Protocol].
func (x *peer) Load(saved protocol.State) error {
	x.stale = true
	return spread.Load(saved, version, x.fields)
}

func (x *peer) fields(v *state.Visitor) {
	s, d := &x.silo, &x.mixer
	state.Number(v, &x.round)
	v.Uint(&x.answered)
	v.Uints(x.belief.Pulls)
	// Signatures are bound to the policy. After a change of it, sums that others have signed are not kept.
	isSum := func(m *protocol.Message) bool {
		return m.Kind() == shuffleTotal && (x.analyzer.Here() || x.checkSum(m) == nil)
	}
	visitMessage(v, &x.newest, isSum)
	visitMessage(v, &x.most, isSum)
	x.visitSum(v, &s.sum)
	n := v.Len(len(s.queue))
	if v.Loading() {
		s.queue = make([]dp.Release, n)
	}
	for i := range s.queue {
		x.visitSum(v, &s.queue[i])
	}
	v.Uint(&s.sent)
	visitCall(v, &s.Call)
	visitList(v, &d.reports, func(r *report) bool {
		state.Number(v, &r.at)
		spread.VisitMessage(v, &r.Message)
		return !v.Loading() || r.Kind() == shuffleSealed && x.shuffler.Here() && x.checkReport(&r.Message) == nil
	})
	v.Uint(&d.batch)
	visitMessages(v, &d.mixed, func(m *protocol.Message) bool { return m.Kind() == shuffleMixed && x.shuffler.Here() })
	visitCall(v, &d.Call)
	visitMessages(v, &x.adder.parts, func(m *protocol.Message) bool {
		return m.Kind() == shuffleMixed && x.analyzer.Here() && x.checkBatch(x.shuffler.Root(), m) == nil
	})
	for z := range x.adder.levels {
		x.visitSum(v, &x.adder.levels[z])
	}
}

// visitSum visits a sum, which can be of no records, or nothing.
func (x *peer) visitSum(v *state.Visitor, r *dp.Release) {
	if spread.VisitRelease(v, r); v.Loading() && !r.Empty() {
		v.Check(r.Len() == x.c.Width && r.Counts() == 1, "a sum of %d numbers with %d counts", r.Len(), r.Counts())
	}
}

func visitCall(v *state.Visitor, c *hub.Call) {
	v.Bool(&c.Waiting)
	state.Number(v, &c.Since)
	state.Number(v, &c.Asked)
}

// visitMessage visits a message. A load keeps it if it is good.
func visitMessage(v *state.Visitor, m *protocol.Message, good func(*protocol.Message) bool) {
	read := *m
	spread.VisitMessage(v, &read)
	if v.Loading() && read.Kind() != 0 && good(&read) {
		*m = read
	}
}

// visitMessages visits messages. A load keeps those that are good.
func visitMessages(v *state.Visitor, all *[]protocol.Message, good func(*protocol.Message) bool) {
	visitList(v, all, func(m *protocol.Message) bool {
		spread.VisitMessage(v, m)
		return !v.Loading() || m.Kind() != 0 && good(m)
	})
}

// visitList visits a list. A load keeps the elements for which visit returns true.
func visitList[T any](v *state.Visitor, all *[]T, visit func(*T) bool) {
	kept := []T(nil)
	for i := range v.Len(len(*all)) {
		var x T
		if !v.Loading() {
			x = (*all)[i]
		}
		if visit(&x) {
			kept = append(kept, x)
		}
	}
	if v.Loading() {
		*all = kept
	}
}
