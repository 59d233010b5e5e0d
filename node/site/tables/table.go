package site

import (
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
)

const (
	tableEvery   = 10 * time.Second // at most one new table in this time
	mostTables   = 1000             // that are kept
	tableSamples = 1 << 12          // of a table's weights, with a learner that samples and up to a hundred arms
	leastTable   = 1 << 8
)

// tables are the newest tables. They are public. Those that were served are stored.
type tables struct {
	kept    []*table // the oldest first
	next    uint64   // number of the next one
	durable string   // version of the newest one that is known to be durable
	odds    []decision.Weight
	model   model // of odds
	at      time.Time
	group   uint64 // of rounds, in which odds were made
}

// A table is a [decision.Table] as it is stored.
type table struct {
	number uint64
	model  model
	stored bool // or in a batch
	decision.Table
}

func (t *table) fields(v *state.Visitor) {
	state.Number(v, &t.model.incarnation)
	v.Uint(&t.model.round)
	v.Uint(&t.model.released)
	v.String(&t.Salt)
	nanos := uint64(t.MadeAt.UnixNano())
	v.Uint64(&nanos)
	state.List(v, &t.Actions, func(w *decision.Weight) {
		v.String(&w.Name)
		v.Uint(&w.Weight)
	})
	if v.Loading() {
		t.MadeAt, t.Model = time.Unix(0, int64(nanos)).UTC(), t.model.String()
		t.Seal()
	}
}

// A lot is what a table says of a decision.
type lot struct {
	arm    bandit.Arm
	chance float64
	model  model
	closed []bandit.Arm // that could not be drawn
}
