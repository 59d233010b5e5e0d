package site

import (
	"fmt"
	"math"

	"peerd.dev/dp/state"
	"peerd.dev/node/kept"
	"peerd.dev/node/store"
)

// inside is the half of a site that nothing leaves: what its own users paid, and the decisions that it keeps. Its zero value is for a
// site that gives all decisions. See docs/proofs/kept.md.
//
// Kept decisions are no steps. Every decision is in the table InsideDue from when it is made until the half has its reward, and the half is
// saved in the batch that takes it out, so no replay is needed.
type inside struct {
	half    *kept.Half
	learned counts // decisions of which the half has the reward
	waits   counts // decisions of which it has not
	from    []byte // no decision waits before this key
	past    []byte // no kept decision is to be forgotten before this key
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (inside) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// counts are numbers of decisions.
type counts struct {
	Given, Kept uint64
	Pulls       []uint64 // by arm
}

func newCounts(arms int) counts { return counts{Pulls: make([]uint64, arms)} }

func (t *counts) add(c *choice) { t.count(c, 1) }

func (t *counts) take(c *choice) { t.count(c, math.MaxUint64) } // which is -1

func (t *counts) count(c *choice, by uint64) {
	t.Pulls[c.arm] += by
	if c.kept {
		t.Kept += by
	} else {
		t.Given += by
	}
}

func (i *inside) bytes() []byte {
	return state.Save(insideVersion, func(v *state.Visitor) {
		v.Part(i.half.Save, i.half.Load)
		i.learned.fields(v)
	})
}

func (t *counts) fields(v *state.Visitor) {
	v.Uint(&t.Given)
	v.Uint(&t.Kept)
	v.Uints(t.Pulls)
}

// insideKey is the key under which a decision waits for the half.
func insideKey(due uint64, id string) []byte { return append(store.Number(due), id...) }
