package plan

import (
	"math"
	"reflect"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/wanted"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/world"
)

// keys lists the settings of a site for which there is more to choose with simulated worlds.
func keys() []config.Key {
	kinds, paying := []string{config.Application}, []string(nil)
	for _, w := range world.Table() {
		name := w.Words().Name
		kinds, paying = append(kinds, name), append(paying, name+" "+w.Words().Summary)
	}
	return []config.Key{
		{
			Name: "mode", Default: string(config.Live), Shared: true, Laboratory: true, Rule: wanted.OneOf(string(config.Live), string(config.Lockstep)),
			Doc: "Whose data: live protects people, and rounds follow the wall clock; lockstep protects no one, and simulated rounds wait for each other.",
		},
		{
			Name: "world.kind", Default: config.Application, Fixed: true, Laboratory: true, Rule: wanted.OneOf(kinds...),
			Doc: "What pays rewards: application, the site's application over the API; or a simulated world: " + strings.Join(paying, "; ") + ".",
		},
	}
}

// Rules returns the rules of the fields that tags call by a name.
func (World) Rules() map[string]wanted.Rule { return map[string]wanted.Rule{"shares": shares()} }

// Rules does the same.
func (Testnet) Rules() map[string]wanted.Rule {
	return map[string]wanted.Rule{"topology": graphText()}
}

// Rules does the same.
func (Experiment) Rules() map[string]wanted.Rule {
	return map[string]wanted.Rule{
		"cells": cellList(), "span": span(), "axis": axisText(), "panels": panelList(), "facet": facetText(),
		"cost": wanted.Number("a number from 0", func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }),
		"text": wanted.Holds("text", func(reflect.Value) bool { return true }),
	}
}

// shares allows lists of shares of rounds.
func shares() wanted.Rule {
	return wanted.Rule{Want: "a list of numbers over 0 up to 1: one for all sites, or several that sites take in turn", Check: func(v reflect.Value) string {
		list := v.Interface().([]float64)
		if len(list) == 0 {
			return "want a list of numbers over 0 up to 1; [1] is a decision in every round"
		}
		if _, want := world.CheckTraffic(world.Config{Traffic: list}); want != "" {
			return "want " + want
		}
		return ""
	}}
}

// span allows no rounds, or from one round to before another.
func span() wanted.Rule {
	return wanted.Holds("[] or [from, to] in rounds, from below to", func(v reflect.Value) bool {
		list := v.Interface().([]uint64)
		return len(list) == 0 || len(list) == 2 && list[0] < list[1]
	})
}

// graphText allows the short form of a topology.
func graphText() wanted.Rule {
	return wanted.Rule{Want: "a topology, such as ring or regular(4); `peerd topology --help` lists them", Check: func(v reflect.Value) string {
		if _, err := graphs.ParseSpec(v.String()); err != nil {
			return "want a topology; " + strings.TrimPrefix(err.Error(), "topology: ")
		}
		return ""
	}}
}
