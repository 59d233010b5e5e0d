package site

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// choice is a decision as it is stored, by id.
type choice struct {
	counted  bool
	rewarded bool
	source   decision.Source
	arm      int
	chance   float64
	expires  time.Time
	due      uint64 // round in which its reward is taken in
	step     uint64 // in which it was made
	value    bandit.Reward
	subject  [8]byte // of the hash of its subject; zero for none
}

// Format implements [fmt.Formatter], as that of [entry].
func (choice) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// sources are stored by their place.
func sources() []decision.Source {
	return []decision.Source{decision.Learned, decision.Exposure, decision.Fallback}
}

func (c *choice) bytes() []byte {
	var source byte
	for i, s := range sources() {
		if s == c.source {
			source = byte(i)
		}
	}
	b := append(make([]byte, 0, 64), stateVersion, flags(c.counted, c.rewarded), source)
	b = binary.AppendUvarint(b, uint64(c.arm))
	for _, v := range []uint64{math.Float64bits(c.chance), uint64(c.expires.UnixNano()), c.due, c.step, math.Float64bits(float64(c.value))} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return append(b, c.subject[:]...)
}

func parseChoice(b []byte, arms int) (c choice, err error) {
	r := reader{b: b}
	version, f, source := r.byte(), r.byte(), int(r.byte())
	if version != stateVersion || source >= len(sources()) {
		return c, fmt.Errorf("%w: decision", ErrDamaged)
	}
	c.counted, c.rewarded, c.source = f&1 != 0, f&2 != 0, sources()[source]
	c.arm = r.arm(arms)
	c.chance = math.Float64frombits(r.uint64())
	c.expires = time.Unix(0, int64(r.uint64())).UTC()
	c.due, c.step = r.uint64(), r.uint64()
	c.value = bandit.Reward(math.Float64frombits(r.uint64()))
	copy(c.subject[:], r.take(len(c.subject)))
	if r.err != nil || len(r.b) > 0 {
		return c, fmt.Errorf("%w: decision", ErrDamaged)
	}
	return c, nil
}

// dueKey is where a decision waits for its round.
func dueKey(round, step uint64) []byte {
	return binary.BigEndian.AppendUint64(store.Number(round), step)
}
