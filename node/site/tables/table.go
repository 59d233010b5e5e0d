package tables

import (
	"time"

	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
)

// A table is a [Table] as it is stored.
type table struct {
	number uint64
	model  decision.Model
	stored bool // or in a batch
	Table
}

func (t *table) fields(v *state.Visitor) {
	state.Number(v, &t.model.Incarnation)
	v.Uint(&t.model.Round)
	v.Uint(&t.model.Released)
	v.String(&t.Salt)
	nanos := uint64(t.MadeAt.UnixNano())
	v.Uint64(&nanos)
	state.List(v, &t.Actions, func(w *Weight) {
		v.String(&w.Name)
		v.Uint(&w.Weight)
	})
	if v.Loading() {
		t.MadeAt, t.Model = time.Unix(0, int64(nanos)).UTC(), t.model.String()
		t.Seal()
	}
}
