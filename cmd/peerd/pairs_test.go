package main

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
	"peerd.dev/protocol/epochs"
	"peerd.dev/protocol/shuffling"
)

// A pair is a protocol and a learner that suit each other, as settings for --set: with parameters
// that show everything in a few rounds, and a mechanism and a world that suit them.
type pair struct {
	name string
	set  []string
}

// covering returns few pairs that a configuration with more settings can have, which include every protocol and every
// learner, and all of them with PEERD_LONG. It fails if some protocol or learner has none. Whether two suit is asked only of
// pairs that may be among them: it takes most of a second to refuse one.
func covering(t *testing.T, file string, more ...string) (few []pair) {
	t.Helper()
	c := require.Value(plan.Schema().Load(file, more))(t)
	protocols, learners := papers.All(), slices.Concat(learner.All(), printed.Learners())
	seen, asked := make(map[string]bool), make(map[string]bool)
	for _, oneSeen := range []bool{false, true} {
		for _, e := range protocols {
			for _, l := range learners {
				protocol, learner := e.Words().Name, l.Words().Name
				skip := seen[protocol] && seen[learner] || !oneSeen && (seen[protocol] || seen[learner])
				name := protocol + " " + learner
				if asked[name] || skip && os.Getenv("PEERD_LONG") == "" {
					continue
				}
				asked[name] = true
				if set, ok := suited(t, c, e, l, more); ok {
					seen[protocol], seen[learner] = true, true
					few = append(few, pair{name, set})
				}
			}
		}
	}
	for _, e := range protocols {
		if !seen[e.Words().Name] {
			t.Errorf("no learner suits protocol %s in %s", e.Words().Name, file)
		}
	}
	for _, l := range learners {
		if !seen[l.Words().Name] {
			t.Errorf("no protocol suits learner %s in %s", l.Words().Name, file)
		}
	}
	return few
}

// suited returns settings with which a protocol and a learner are a valid configuration: c with
// its mechanism or else the first one that suits.
func suited(t *testing.T, c *config.Config, e protocol.Params, l bandit.Params, more []string) (set []string, ok bool) {
	t.Helper()
	const leaf = 20 // rounds or decisions
	s := c.Settings
	params := protocol.Small(e, leaf)
	if p, ok := params.(epochs.CoordinatorParams); ok && bandit.TraitsOf(l).Phased {
		p.Schedule, p.Epochs = epochs.ByEpoch, 16
		params = p
	}
	s.SetProtocol(params)
	if idle := plan.TestnetOf(&s).Nodes - protocol.Learners(s.ProtocolParams(), plan.TestnetOf(&s).Nodes); idle > 0 { // as many sites with arms
		more = append(more[:len(more):len(more)], fmt.Sprintf("testnet.nodes=%d", plan.TestnetOf(&s).Nodes+idle))
	}
	if _, ok := params.(shuffling.Params); ok { // whose shuffler is linked to all
		more = append(more[:len(more):len(more)], "testnet.topology=star")
	}
	s.SetLearner(bandit.Small(l))
	if bandit.TraitsOf(l).Contextual {
		for _, w := range world.Table() {
			if _, ok := w.(world.LinearParams); ok {
				params := world.LinearParams{Features: 3, Law: world.Sphere, Draw: world.FreshActions, Gap: .1, Instance: 1}
				s.World = config.World{Kind: w.Words().Name, Params: s.World.Params.With(w.Words().Name, params)}
			}
		}
	}
	set = append(set, more...)
	values := s.Values()
	add := func(keys ...string) {
		for _, key := range keys {
			set = append(set, key+"="+values[key])
		}
	}
	add("protocol.name", "learner.name", "world.kind")
	add(plan.Schema().Under("protocol." + e.Words().Name)...)
	add(plan.Schema().Under("learner." + l.Words().Name)...)
	add(plan.Schema().Under("world." + s.World.Kind)...)
	for _, m := range append([]dp.Mechanism{mechanism(t, &s)}, dp.Mechanisms()...) {
		with := append(set[:len(set):len(set)], "privacy.mechanism="+m.String())
		if m.Law() == dp.Gaussian {
			with = append(with, "privacy.delta=0.000001")
		}
		if _, err := plan.Schema().Load(c.File, with); err == nil {
			return with, true
		}
	}
	return nil, false
}

func mechanism(t *testing.T, s *config.Settings) dp.Mechanism {
	t.Helper()
	return require.Value(dp.ParseMechanism(s.Privacy.Mechanism))(t)
}

// flags returns the settings as arguments of a command.
func (p pair) flags() (args []string) {
	for _, s := range p.set {
		args = append(args, "--set", s)
	}
	return args
}
