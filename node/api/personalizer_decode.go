package api

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/node/decision"
)

const (
	maxActionID = 256     // bytes
	maxCrossed  = 1 << 20 // products of features of the context and of the actions, in a request
)

// ranked is a request for a ranking.
type ranked struct {
	ids      []string // of the actions
	excluded []string
	places   map[string]int // of the network's actions among ids
	ask      decision.Ask
}

// decodeRank reads a request for a ranking by a network with actions, whose features have a
// shape.
func decodeRank(s *scanner, actions []string, shape decision.Shape) (q ranked) {
	var named [][]decision.Named
	var context []decision.Named
	s.object(
		field{name: "actions", need: true, read: func() {
			s.list(func() {
				var id string
				var of []decision.Named
				s.object(
					field{name: "id", need: true, read: func() { id = s.text(wrongActionID) }},
					field{name: "features", read: func() { s.orNull(func() { of = s.named() }) }},
				)
				if of == nil {
					of = decision.Identity(id)
				}
				if slices.Contains(q.ids, id) {
					s.within("id", func() { s.flaw("is the id of an action before") })
				}
				q.ids, named = append(q.ids, id), append(named, of)
			})
			if len(q.ids) == 0 && s.err == nil && len(s.flaws) == 0 {
				s.flaw("is empty")
			}
		}},
		field{name: "contextFeatures", read: func() { s.orNull(func() { context = s.named() }) }},
		field{name: "excludedActions", read: func() {
			s.orNull(func() { s.list(func() { q.excluded = append(q.excluded, s.text(wrongActionID)) }) })
		}},
		field{name: "eventId", read: func() { s.orNull(func() { q.ask.ID = s.text(decision.WrongID) }) }},
		field{name: "deferActivation", read: func() {
			s.orNull(func() {
				if s.truth() {
					s.flaw("is not supported: every decision counts, shown or not; ask when its action is to be shown")
				}
			})
		}},
	)
	if len(s.flaws) > 0 || s.err != nil {
		return q
	}
	if shape.Inputs.Action == 0 {
		s.within("actions", func() { q.byName(s, actions) })
		return q
	}
	s.within("actions", func() { q.byFeatures(s, shape, named, context) })
	return q
}

// byName is for learners without features: ids are names of the network's actions, and actions
// that are not offered are excluded.
func (q *ranked) byName(s *scanner, actions []string) {
	q.places = make(map[string]int, len(q.ids))
	for i, id := range q.ids {
		if q.places[id] = i; !slices.Contains(actions, id) { // no id is empty
			s.path = fmt.Appendf(s.path, "[%d]", i)
			s.within("id", func() {
				s.flaw(fmt.Sprintf("%q is no action of this network, whose learner takes no features; GET /v1/arms lists its actions", id))
			})
			return
		}
	}
	for _, name := range actions {
		if name == "" {
			continue
		}
		if _, offered := q.places[name]; !offered || slices.Contains(q.excluded, name) {
			q.ask.Exclude = append(q.ask.Exclude, name)
		}
	}
}

// byFeatures is for contextual learners, which know actions only by their features.
func (q *ranked) byFeatures(s *scanner, shape decision.Shape, named [][]decision.Named, context []decision.Named) {
	if len(q.ids) > shape.Actions {
		s.flaw(fmt.Sprintf("are %d, and this network has %d (arms); send no more at once", len(q.ids), shape.Actions))
		return
	}
	if shape.Inputs.Context > 0 { // the learner's map makes the products
		q.ask.Context = decision.Sketch(context, shape.Inputs.Context)
		context = nil
	}
	crossed := 0
	for _, of := range named {
		crossed += len(of) * len(context)
	}
	if crossed > maxCrossed {
		s.flaw(fmt.Sprintf("have too many features: their products with the features of the context are more than %d", maxCrossed))
		return
	}
	q.places = make(map[string]int, len(q.ids))
	for i, id := range q.ids {
		q.places[id] = i
		q.ask.Actions = append(q.ask.Actions, decision.Action{ID: id, Features: decision.Sketch(decision.Crossed(named[i], context), shape.Inputs.Action)})
		if slices.Contains(q.excluded, id) {
			q.ask.Exclude = append(q.ask.Exclude, id)
		}
	}
}

// named reads a list of objects of features; it is nil if there are none.
func (s *scanner) named() (all []decision.Named) {
	s.found = s.found[:0]
	s.list(func() { s.featuresIn(decision.Names()) })
	if len(s.found) > maxItems {
		s.flaw(fmt.Sprintf("has more than %d features", maxItems))
	}
	return append(all, s.found...)
}

// featuresIn reads an object of features, also from nested objects, until there are too many. Like that service, it skips
// names that begin with _.
func (s *scanner) featuresIn(in decision.Name) {
	s.members(func(name string) {
		at := in.Under(name)
		switch c := s.peek(); {
		case strings.HasPrefix(name, "_") || len(s.found) > maxItems:
			s.skip()
		case c == '{':
			s.featuresIn(at)
		case c == '"':
			s.found = append(s.found, at.Text(s.str()))
		case c == 't' || c == 'f':
			s.found = append(s.found, at.Bool(s.truth()))
		case c == '[':
			i := 0
			s.list(func() {
				s.found = append(s.found, at.Place(i).Number(s.finite()))
				i++
			})
		case c == '-' || c >= '0' && c <= '9':
			s.found = append(s.found, at.Number(s.finite()))
		default:
			s.other("want a string, a number, true, false, a list of numbers, or an object of these")
		}
	})
}

func wrongActionID(id string) string {
	if len(id) == 0 || len(id) > maxActionID {
		return fmt.Sprintf("want 1 to %d bytes", maxActionID)
	}
	return ""
}
