package site

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// choice is a decision as it is stored, by id.
type choice struct {
	counted  bool
	kept     bool // and so not counted: nothing of it leaves the site
	rewarded bool
	source   decision.Source
	arm      bandit.Arm      // arm of the network, or its place among the ask's actions
	action   string          // the action's id, if the ask brought its own actions; else ""
	features bandit.Features // of the arm; nil unless the learner is contextual
	route    node.Route      // of the reward; zero unless counted
	late     bool            // its stream had no leaf left
	chance   float64
	model    decision.Model
	expires  time.Time
	window   time.Duration // from the decision to when it is due
	due      uint64        // round in which its reward is observed
	step     uint64        // step in which it was made
	value    bandit.Reward // in the application's units; a sum may be out of the range
	subject  [8]byte       // first bytes of the hash of its subject; zero for none

	proposed string   // what the peer would have chosen; "" unless the application took an action
	target   float64  // probability with which the peer would have chosen the action that was taken; 0 for no such action
	ended    bool     // the application ended the window
	parts    []addend // the reports that are in value, if it is a sum
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (choice) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// sources are stored by their index.
func sources() []decision.Source {
	return []decision.Source{
		decision.Learned, decision.Exposure, decision.Fallback, decision.Initial, decision.Baseline, decision.Application, decision.Drawn,
	}
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

func (c *choice) fields(v *state.Visitor, s shape) {
	v.Flags(&c.counted, &c.rewarded, &c.route.In, &c.late)
	c.sourceField(v)
	s.arm(v, &c.arm)
	s.armFeatures(v, &c.features)
	s.stream(v, &c.route.Stream)
	v.Uint(&c.route.Epoch)
	v.Float(&c.chance)
	c.expiresField(v)
	v.Uint64(&c.due)
	v.Uint64(&c.step)
	v.Float((*float64)(&c.value))
	v.Array(c.subject[:])
	state.Number(v, &c.model.Incarnation)
	v.Uint(&c.model.Round)
	v.Uint(&c.model.Released)
	millis(v, &c.window)
	v.String(&c.action)
	if v.Version() < 6 {
		return
	}
	v.String(&c.proposed)
	v.Float(&c.target)
	if v.Version() < 7 {
		v.Bool(&c.ended)
	} else {
		v.Flags(&c.ended, &c.kept)
	}
	state.List(v, &c.parts, func(p *addend) {
		v.Array(p.hash[:])
		v.Float((*float64)(&p.value))
	})
}

func (c *choice) sourceField(v *state.Visitor) {
	place := byte(max(0, slices.Index(sources(), c.source)))
	v.Byte(&place)
	if v.Check(int(place) < len(sources()), "source %d of %d", place, len(sources())); v.Loading() && v.OK() {
		c.source = sources()[place]
	}
}

func (c *choice) expiresField(v *state.Visitor) {
	nanos := uint64(c.expires.UnixNano())
	if v.Uint64(&nanos); v.Loading() {
		c.expires = time.Unix(0, int64(nanos)).UTC()
	}
}

// millis visits a time of at least 0, in milliseconds.
func millis(v *state.Visitor, d *time.Duration) {
	const most = math.MaxInt64 / time.Millisecond
	n := uint64(*d / time.Millisecond)
	v.Uint(&n)
	if v.Check(n <= uint64(most), "a time of %d ms", n); v.Loading() && v.OK() {
		*d = time.Duration(n) * time.Millisecond
	}
}

func (c *choice) bytes() []byte {
	return state.Save(choiceVersion, func(v *state.Visitor) { c.fields(v, shape{}) })
}

// parseChoice reads a decision of a site with a shape.
func parseChoice(b []byte, s shape) (c choice, err error) {
	err = form.Decode("decision", b, 5, choiceVersion, func(v *state.Visitor) { c.fields(v, s) })
	return c, err
}

// dueKey is the key under which a decision waits for its round.
func dueKey(round, step uint64) []byte {
	return binary.BigEndian.AppendUint64(store.Number(round), step)
}

// An addend is a report that is in a sum.
type addend struct {
	hash  [8]byte // first bytes of the hash of its id
	value bandit.Reward
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (addend) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// has reports whether the value of a report is in the decision already. It refuses a report that contradicts an earlier one.
func (c *choice) has(adding Adding, r *decision.Report, p addend) (bool, *decision.Refusal) {
	earlier, known := c.value, c.rewarded
	if adding == Sum {
		i := slices.IndexFunc(c.parts, func(q addend) bool { return q.hash == p.hash })
		if known = i >= 0; known {
			earlier = c.parts[i].value
		}
	}
	switch {
	case r.Empty:
		return true, nil
	case !known || adding == Last && earlier != r.Value:
		return false, nil
	case earlier != r.Value:
		return true, &decision.Refusal{Code: decision.Conflict, Field: "value", Reason: "another value was reported before and stands"}
	}
	return true, nil
}

// add adds the value of a report.
func (c *choice) add(adding Adding, p addend) {
	if adding == Sum {
		c.parts = append(c.parts, p)
		p.value += c.value
	}
	c.rewarded, c.value = true, p.value+0 // there is one zero
}
