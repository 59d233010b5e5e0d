package site

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// choice is a decision as it is stored, by id.
type choice struct {
	counted  bool
	rewarded bool
	source   decision.Source
	arm      bandit.Arm      // of the network, or the place among the actions of the ask
	action   string          // its id, if the ask brought its own actions; else ""
	features bandit.Features // of the arm; nil unless the learner is contextual
	route    node.Route      // of the reward; zero unless counted
	late     bool            // its stream had no leaf left
	chance   float64
	model    model
	expires  time.Time
	window   time.Duration // between the decision and then; 0 if an earlier release made it
	due      uint64        // round in which its reward is taken in
	step     uint64        // in which it was made
	value    bandit.Reward
	subject  [8]byte // of the hash of its subject; zero for none
}

// A model says what a learner chose from: the incarnation, the rounds whose messages it had taken in, and how
// many nodes it had drawn. Of one peer, choices of one model rest on the same releases. All of it is
// public; a number of steps would show how many decisions there were.
type model struct {
	incarnation     uint32
	round, released uint64
}

func (m model) String() string { return fmt.Sprintf("%d-%d-%d", m.incarnation, m.round, m.released) }

// Format implements [fmt.Formatter] as [logRecord] does.
func (choice) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// sources are stored by their place.
func sources() []decision.Source {
	return []decision.Source{decision.Learned, decision.Exposure, decision.Fallback, decision.Initial}
}

// learned reports whether the peer learns from the reward, as far as is known when the decision
// is made.
func (c *choice) learned() bool { return c.counted && c.route.In && !c.late }

// name returns the name of the chosen action at a site with arms.
func (c *choice) name(arms []string) string {
	if c.action != "" {
		return c.action
	}
	return arms[c.arm]
}

func (c *choice) bytes() []byte {
	var source byte
	for i, s := range sources() {
		if s == c.source {
			source = byte(i)
		}
	}
	b := append(make([]byte, 0, 96+8*len(c.features)), choiceVersion, flags(c.counted, c.rewarded, c.route.In, c.late), source)
	b = binary.AppendUvarint(b, uint64(c.arm))
	b = appendFeatures(b, c.features)
	b = binary.AppendUvarint(b, uint64(c.route.Stream))
	b = binary.AppendUvarint(b, c.route.Epoch)
	for _, v := range []uint64{math.Float64bits(c.chance), uint64(c.expires.UnixNano()), c.due, c.step} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	b = append(appendReward(b, c.value), c.subject[:]...)
	b = binary.AppendUvarint(b, uint64(c.model.incarnation))
	b = binary.AppendUvarint(b, c.model.round)
	b = binary.AppendUvarint(b, c.model.released)
	b = binary.AppendUvarint(b, uint64(c.window/time.Millisecond))
	return appendPart(b, c.action)
}

// parseChoice reads a decision of a site of a shape.
func parseChoice(b []byte, s shape) (c choice, err error) {
	if err = checkVersion("decision", b, 3, choiceVersion); err != nil {
		return c, err
	}
	r := reader{b: b[1:]}
	f, source := r.byte(), int(r.byte())
	if source >= len(sources()) {
		return c, fmt.Errorf("%w: decision", ErrDamaged)
	}
	c.counted, c.rewarded, c.late, c.source = f&1 != 0, f&2 != 0, f&8 != 0, sources()[source]
	c.arm = r.arm(s)
	c.features = r.features(s)
	c.route = node.Route{Stream: r.stream(s), In: f&4 != 0, Epoch: r.uvarint()}
	c.chance = math.Float64frombits(r.uint64())
	c.expires = time.Unix(0, int64(r.uint64())).UTC()
	c.due, c.step = r.uint64(), r.uint64()
	c.value = r.reward()
	copy(c.subject[:], r.take(len(c.subject)))
	if b[0] > 3 {
		incarnation := r.uvarint()
		if incarnation > math.MaxUint32 {
			r.fail()
		}
		c.model = model{uint32(incarnation), r.uvarint(), r.uvarint()}
		window := r.uvarint()
		if window > math.MaxInt64/uint64(time.Millisecond) {
			r.fail()
		}
		c.window = time.Duration(window) * time.Millisecond
	}
	if b[0] > 4 {
		c.action = string(r.part())
	}
	if r.err != nil || len(r.b) > 0 {
		return c, fmt.Errorf("%w: decision", ErrDamaged)
	}
	return c, nil
}

// dueKey is where a decision waits for its round.
func dueKey(round, step uint64) []byte {
	return binary.BigEndian.AppendUint64(store.Number(round), step)
}
