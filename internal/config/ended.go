package config

import "strings"

// An endedKey is a setting of earlier builds of which one value is left. Files and network documents may
// go on having that value. Peers and folders go on comparing it, so that builds of both kinds take part in
// one network, and what was signed before an upgrade stays valid.
type endedKey struct {
	Key
	value   string // that is left
	after   string // the key after which it is compared
	instead string // what to do with another value
}

func endedKeys() []endedKey {
	return []endedKey{
		{Key{Name: "privacy.calibration", Shared: true, Fixed: true}, "tight", "privacy.mechanism", "the noise that papers print has experiment.noise: printed"},
		{Key{Name: "learner.ucb.confidence", Shared: true}, "calibrated", "learner.name", "the radius that paper 004 prints has learner.name: ucb-printed"},
		{Key{Name: "learner.elimination.radii", Shared: true}, "calibrated", "learner.name", "the radius that paper 003 prints has learner.name: elimination-printed"},
		{Key{Name: "learner.personalized.guard", Shared: true}, "5", "learner.name", "what joining may cost is learner.personalized.price"},
		{Key{Name: "learner.personalized-linear.guard", Shared: true}, "5", "learner.name", "what joining may cost is learner.personalized-linear.price"},
		{Key{Name: "protocol.consensus.kappa", Shared: true}, "0.5", "protocol.consensus.weights", "the step size of weights laplacian is 0.5"},
		{Key{Name: "protocol.local.neighbourhood", Shared: true}, "ball", "protocol.local.hops", "the cliques of paper 000 have protocol.name: local-printed"},
		{Key{Name: "protocol.local.estimators", Shared: true, Fixed: true}, "one", "protocol.local.hops", "the estimators of paper 000 have protocol.name: local-printed"},
		{Key{Name: "learner.personalized-linear.radius", Shared: true}, "1", "learner.personalized-linear.map", "what is sampled is the posterior itself"},
		{Key{Name: "protocol.shuffle.deadline", Shared: true}, "50", "protocol.shuffle.least", "the shuffler waits for 50 rounds"},
		{Key{Name: "protocol.shuffle.pull", Shared: true}, "20", "protocol.shuffle.least", "sites send again after 20 rounds"},
		{Key{Name: "protocol.local-printed.schedule", Shared: true}, "fixed", "protocol.local-printed.growth", "protocol.local has the other one"},
		{Key{Name: "protocol.local-printed.threshold", Shared: true}, "50", "protocol.local-printed.growth", "protocol.local has it"},
		{Key{Name: "protocol.local-printed.pull", Shared: true}, "20", "protocol.local-printed.growth", "protocol.local has it"},
		{Key{Name: "learner.elimination-printed.alpha", Shared: true}, "0", "learner.name", "learner.elimination has it"},
		{Key{Name: "learner.elimination-printed.length", Shared: true}, "1", "learner.name", "learner.elimination has it"},
		{Key{Name: "learner.elimination-printed.rounds", Shared: true}, "0", "learner.name", "learner.elimination has it"},
		{Key{Name: "learner.elimination-printed.gap", Shared: true}, "0", "learner.name", "learner.elimination has it"},
		{Key{Name: "protocol.phases.one_arm"}, "false", "", "batches of an arm grow with its own rewards"},
		{Key{Name: "learner.lints.vectors"}, "[]", "", "learner linucb chooses by features"},
		{Key{Name: "learner.lints.radius"}, "1", "", "learner linucb chooses by features"},
		{Key{Name: "api.max_body"}, "4194304", "", "a request has at most 4 MiB"},
		{Key{Name: "world.bernoulli.differ"}, "0", "", "all arms differ between sites"},
		{Key{Name: "world.ranking.ridge"}, "0.001", "", "it is 0.001"},
		{Key{Name: "world.linear.actions"}, "full", "", "a round draws all actions"},
		{Key{Name: "protocol.program.command"}, "[]", "", "a protocol is written in Go: docs/examples/go"},
		{Key{Name: "protocol.program.timeout"}, "10", "", "a protocol is written in Go: docs/examples/go"},
		{Key{Name: "protocol.program.parameter"}, "0", "", "a protocol is written in Go: docs/examples/go"},
		{Key{Name: "protocol.program.every"}, "20", "", "a protocol is written in Go: docs/examples/go"},
		{Key{Name: "world.program.command"}, "[]", "", "a world is written in Go: node/lab/world"},
		{Key{Name: "world.program.timeout"}, "10", "", "a world is written in Go: node/lab/world"},
		{Key{Name: "world.program.parameter"}, "0", "", "a world is written in Go: node/lab/world"},
		{Key{Name: "experiment.lemmas"}, "false", "", "scripts/show.sh lemmas checks them"},
	}
}

// reason says why another value is refused.
func (e *endedKey) reason() string { return "no longer a setting: leave it out; " + e.instead }

// applies reports whether the key is not a parameter of a learner or a protocol that is not chosen.
func (e *endedKey) applies(s *Settings) bool {
	section, _, _ := strings.Cut(e.Name, ".")
	chosen, one := map[string]string{"learner": s.Learner.Name, "protocol": s.Protocol.Name}[section]
	return !one || strings.HasPrefix(e.Name, section+"."+chosen+".")
}

// ended returns the key that has ended with a name.
func ended(name string) (endedKey, bool) {
	for _, e := range endedKeys() {
		if e.Name == name {
			return e, true
		}
	}
	return endedKey{}, false
}
