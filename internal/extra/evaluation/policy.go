package evaluation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A policy is what may have run instead.
type policy struct {
	name string
	of   func(d *weighed) (chances, bool) // false if it does not apply to the decision
}

// applies reports whether the policy applies to a decision.
func (p *policy) applies(d *weighed) bool {
	_, ok := p.of(d)
	return ok
}

// chances are a policy's probabilities in a decision.
type chances struct {
	taken float64   // of the action that was taken
	all   []float64 // of each action; or 1 for one that the policy drew
}

// mostFixed is how many single actions are estimated at most: those that were on offer most often.
const mostFixed = 20

// policies returns those that are estimated.
func (o Options) policies(f *survey) (all []policy) {
	if f.learned {
		all = append(all, policy{"what the peer proposed", proposed})
	}
	if o.Table != nil {
		all = append(all, policy{o.Table.name(), o.Table.of})
	}
	all = append(all, policy{"uniform", uniform})
	names := slices.SortedFunc(maps.Keys(f.offered), func(a, b string) int {
		return cmp.Or(-cmp.Compare(f.offered[a], f.offered[b]), cmp.Compare(a, b))
	})
	names = names[:min(len(names), mostFixed)]
	slices.SortStableFunc(names, func(a, b string) int { // the network's come first, in its order
		return cmp.Compare(uint(slices.Index(o.Actions, a)), uint(slices.Index(o.Actions, b)))
	})
	for _, name := range names {
		all = append(all, policy{"always " + name, fixed(name)})
	}
	return all
}

func fixed(name string) func(*weighed) (chances, bool) {
	return func(d *weighed) (chances, bool) {
		i := slices.Index(d.names, name)
		if i < 0 {
			return chances{}, false
		}
		return sure(d, i), true
	}
}

// sure takes one action.
func sure(d *weighed, i int) chances {
	c := chances{all: make([]float64, len(d.names))}
	if c.all[i] = 1; i == d.taken {
		c.taken = 1
	}
	return c
}

func uniform(d *weighed) (chances, bool) {
	each := 1 / float64(len(d.names))
	return chances{each, slices.Repeat([]float64{each}, len(d.names))}, true
}

// proposed is what the peer would have done where the application chose. It is known with which
// probability the peer would have taken what was taken; the proposal is a draw, which predicts as the probabilities do on average.
func proposed(d *weighed) (chances, bool) {
	if d.proposed < 0 {
		return chances{}, false
	}
	c := sure(d, d.proposed)
	c.taken = d.peer
	return c, true
}

// A Table is a policy by weights of actions, in the form of GET /v1/table.
type Table struct {
	Version string
	Actions []Share
}

// A Share is an action with its weight.
type Share struct {
	Name   string
	Weight *uint64
}

// name returns the name of the table's policy.
func (t *Table) name() string { return strings.TrimSpace("table " + t.Version) }

// ParseTable reads a table, with no fields that GET /v1/table does not answer.
func ParseTable(b []byte) (*Table, error) {
	var doc struct {
		Version, Model, Salt string
		MadeAt               string `json:"made_at"`
		Actions              []json.RawMessage
	}
	if !strict(b, &doc) || len(doc.Actions) == 0 {
		return nil, errors.New(`want version and actions alone, or what GET /v1/table answers: {"version":"half","actions":[{"name":"red","weight":1}]}`)
	}
	t, seen := &Table{Version: doc.Version}, make(map[string]bool)
	for i, text := range doc.Actions {
		var a Share
		if !strict(text, &a) || a.Name == "" || seen[a.Name] || a.Weight == nil || *a.Weight > 1<<20 {
			return nil, fmt.Errorf(`actions[%d]: want {"name":"red","weight":1} alone, every name once, and a whole number from 0 to %d as its weight`, i, 1<<20)
		}
		seen[a.Name], t.Actions = true, append(t.Actions, a)
	}
	return t, nil
}

// strict reads text without unknown fields, and reports whether it could.
func strict(text []byte, to any) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return json.Valid(text) && d.Decode(to) == nil
}

// of is the probability with which a client that draws from the table takes each action. If none that can be chosen has a
// weight, each of the table's has the same.
func (t *Table) of(d *weighed) (c chances, ok bool) {
	c.all = make([]float64, len(d.names))
	total, here := 0., 0
	for _, a := range t.Actions {
		if slices.Contains(d.names, a.Name) {
			here++
			total += float64(*a.Weight)
		}
	}
	for _, a := range t.Actions {
		if i := slices.Index(d.names, a.Name); i >= 0 {
			if c.all[i] = 1 / float64(here); total > 0 {
				c.all[i] = float64(*a.Weight) / total
			}
		}
	}
	c.taken = c.all[d.taken]
	return c, here > 0
}
