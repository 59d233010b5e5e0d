package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// refusedTogether has cases in which each key is valid by itself.
func refusedTogether() []refusedCase {
	return []refusedCase{
		{key: "seed", value: "7", reason: "want 0 with mode: live"},
		{key: "seed", value: "0", reason: "want 1 or more with mode: lockstep", with: inLockstep("seed", "0")},
		{key: "privacy.epsilon", value: "inf", reason: "want a finite number with mode: live"},
		{key: "privacy.epsilon", value: "11", reason: "want at most 10 with privacy.accept_weak: false"},
		{key: "privacy.mechanism", value: "none", reason: "want another one with mode: live"},
		{key: "privacy.mechanism", value: "none", reason: "want another one with privacy.epsilon: 1", with: inLockstep()},
		{
			key: "world.kind", value: "gaussian", reason: "want rewards in [0, 1] with privacy.mechanism: tree-gaussian, since Gaussian noise is calibrated for them alone: set world.gaussian.clip: true",
			with: inLockstep("privacy.mechanism", "tree-gaussian", "world.gaussian.means", "[[0, 0.5, 1]]", "world.gaussian.clip", "false", "world.gaussian.sd", "1", "privacy.delta", "1e-06"),
		},
		{key: "experiment.noise", value: "printed", reason: "papers print noise for records with features in tree-gaussian", with: average()},
		{key: "protocol.shuffle.honest", value: "2", reason: "want 1 with mode: live: the budget of a live peer", with: threeSilos()},
		{key: "protocol.shuffle.honest", value: "2", reason: "needs M > 16 ln(2/delta)", with: threeSilos("mode", "lockstep", "seed", "1")},
		{key: "protocol.shuffle.honest", value: "2", reason: "want 1, or other settings", with: threeSilos("mode", "lockstep", "seed", "1", "experiment.noise", "proven")},
		{key: "learner.name", value: "program", reason: "want another one with mode: live; a program plays in the simulator alone", with: map[string]string{"learner.program.command": "[a]"}},
		{key: "learner.program.command", value: "[]", reason: "want the program and its arguments, such as [python3, my.py]", with: inLockstep("learner.name", "program")},
		{key: "experiment.raw.choices", value: "true", reason: "want false with mode: live; what follows from raw records is not private"},
		{key: "experiment.raw.choices", value: "true", reason: "want false with protocol.name: rows; papers take raw records", with: inLockstep("protocol.name", "rows")},
		{key: "experiment.raw.news", value: "5", reason: "want 0 with mode: live; what follows from raw records is not private"},
		{key: "privacy.counts", value: "noised", reason: "want public with protocol.name: average", with: average("api.min_exposures", "0")},
		{
			key: "world.kind", value: "gaussian", reason: "want rewards in [0, 1] with privacy.counts: noised: set world.gaussian.clip: true",
			with: inLockstep("protocol.name", "rows", "privacy.counts", "noised", "world.gaussian.means", "[[0, 0.5, 1]]", "world.gaussian.clip", "false", "world.gaussian.sd", "1"),
		},
		{
			key: "api.min_exposures", value: "1", reason: "want 0 with learner.name: linucb",
			with: map[string]string{"learner.name": "linucb", "protocol.name": "batch", "world.kind": "application", "privacy.mechanism": "blt", "privacy.delta": "0.000001"},
		},
		{key: "features.context", value: "[hour=0..24]", reason: "want [] with learner.name: personalized, which takes no features; or learner.name: linucb", with: withRows("learner.name", "personalized", "world.kind", "application")},
		{key: "features.action", value: "[price=0..1]", reason: "want [] with learner.name: personalized, which takes no features", with: withRows("learner.name", "personalized", "world.kind", "application")},
		{key: "features.context", value: "[hour=0..24]", reason: "want [] with world.kind: linear, which offers numbers", with: named("world.linear.features", "6")},
		{key: "features.action", value: "[price=0..1]", reason: "want [] with world.kind: linear, which offers numbers", with: named("world.linear.features", "2")},
		{key: "learner.linucb.features", value: "4", reason: "want 3, which follows from the names of features", with: named("world.kind", "application", "features.context", "[hour=0..24]")},
		{key: "learner.linucb.context", value: "3", reason: "want 2, which follows from the names of features", with: named("world.kind", "application", "features.context", "[hour=0..24]")},
		{key: "features.context", value: "[" + manyFeatures(40) + "]", shown: "[" + manyFeatures(6) + ", f6=0.…", reason: "want fewer numbers and categories: with 3 actions they make 123 numbers, and 120 is the most", with: named("world.kind", "application")},
		{key: "api.shadow", value: "learn", reason: "want propose with privacy.counts: public, whose exact numbers would show all peers which action the application took for whom; or privacy.counts: noised, or a learner by features"},
		{key: "api.baseline", value: "b", reason: "want nothing with api.shadow: propose", with: peerdtest.Pairs([]string{"api.shadow", "propose"})},
		{key: "api.baseline", value: "purple", reason: "want one of arms: [a, b, c], or nothing"},
		{key: "api.baseline_until", value: "better", reason: "want ever with api.baseline: \"\""},
		{key: "api.baseline_until", value: "better", reason: "want ever with protocol.name: average and privacy.mechanism: tree: it takes a protocol that states every site's own releases, such as phases", with: average("api.baseline", "b")},
		{key: "api.baseline_until", value: "better", reason: "want ever with learner.name: linucb: by features no action is better than another for everyone", with: map[string]string{"api.baseline": "b", "learner.name": "linucb", "protocol.name": "batch", "world.kind": "application", "privacy.mechanism": "blt", "privacy.delta": "0.000001", "api.min_exposures": "0"}},
		{key: "api.baseline_until", value: "better", reason: "want ever with api.baseline_share: 1: no other action is ever tried", with: peerdtest.Pairs([]string{"api.baseline", "b", "protocol.name", "phases", "privacy.mechanism", "each"})},
		{key: "api.offer", value: "[blue]", reason: "want [] with learner.name: linucb", with: map[string]string{"learner.name": "linucb", "protocol.name": "batch", "world.kind": "application", "privacy.mechanism": "blt", "privacy.delta": "0.000001", "api.min_exposures": "0"}},
		{key: "give.least", value: "100", reason: "want 0 with protocol.name: average and privacy.counts: public: to see how many rewards each member has released takes public counts and a protocol that keeps sites apart", with: average()},
		{key: "give.least", value: "100", reason: "want 0 with protocol.name: rows and privacy.counts: noised", with: withRows("privacy.counts", "noised", "api.min_exposures", "0")},
		{key: "give.least", value: "100", reason: "want 0 with protocol.name: rows and privacy.counts: public", with: withRows("protocol.rows.merge", "trimmed")},
		{key: "give.least", value: "100", reason: "want 0 with protocol.name: phases and privacy.counts: public", with: peerdtest.Pairs([]string{"protocol.name", "phases", "protocol.phases.window", "100", "privacy.mechanism", "each"})},
		{key: "spare_arms", value: "2", reason: "want 0 with world.kind: bernoulli, whose arms are all there from the start"},
		{key: "spare_arms", value: "998", reason: "want at most 997 with arms: [a, b, c]", with: map[string]string{"world.kind": "application"}},
		{
			key: "spare_arms", value: "2", reason: "want 0 with protocol.name: gis, in whose epochs all actions are explored",
			with: map[string]string{"protocol.name": "gis", "learner.name": "elimination", "privacy.mechanism": "each", "world.kind": "application"},
		},
		{
			key: "spare_arms", value: "2", reason: "want 0 with learner.name: linucb, which chooses by features: actions come and go with every decision",
			with: map[string]string{"learner.name": "linucb", "protocol.name": "batch", "world.kind": "application", "privacy.mechanism": "blt", "privacy.delta": "0.000001", "api.min_exposures": "0"},
		},
		{key: "world.kind", value: "linear", reason: "want a world without features with learner.name: "},
		{
			key: "privacy.mechanism", value: "tree", reason: "want one of tree-gaussian",
			with: map[string]string{"learner.name": "linucb", "protocol.name": "batch", "world.kind": "linear"},
		},
		{
			key: "world.kind", value: "linear", reason: "want world.linear.features: 4 with learner.name: linucb",
			with: map[string]string{"learner.name": "linucb", "learner.linucb.features": "4", "protocol.name": "batch", "privacy.mechanism": "blt", "privacy.delta": "0.000001"},
		},
		{
			key: "privacy.adjacency", value: "zero-out", reason: "want replace-one with learner.name: linucb and centred rewards, of which 0 adds something",
			with: map[string]string{"learner.name": "linucb", "learner.linucb.records": "centred", "protocol.name": "batch", "world.kind": "linear", "world.linear.instance": "1", "privacy.mechanism": "blt", "privacy.delta": "0.000001"},
		},
		{key: "protocol.name", value: "average", reason: ", with merge: mean, with learner.name: personalized, which weighs each site's mean", with: map[string]string{"learner.name": "personalized"}},
		{
			key: "privacy.mechanism", value: "none", reason: "want one that releases every leaf by itself, not running sums, which forget nothing, with a window of 100 rounds",
			with: inLockstep("protocol.name", "phases", "protocol.phases.window", "100", "privacy.epsilon", "inf"),
		},
		{
			key: "experiment.coverage", value: "true", reason: "want false with world.kind: changing: its means change",
			with: map[string]string{"world.kind": "changing", "world.changing.means": "[[0, 0.5, 1]]"},
		},
		{key: "api.min_exposures", value: "1", reason: "want 0 with privacy.counts: noised", with: withRows("privacy.counts", "noised", "world.kind", "application")},
		{key: "privacy.delta", value: "1e-06", reason: "want 0 with privacy.mechanism: tree, whose epsilon is never exceeded"},
		{key: "privacy.delta", value: "0", reason: "want a small probability, such as 0.000001, with privacy.mechanism: tree-gaussian", with: map[string]string{"privacy.mechanism": "tree-gaussian"}},
		{key: "privacy.delta", value: "0.01", reason: "want at most 0.001 with privacy.accept_weak: false", with: map[string]string{"privacy.mechanism": "tree-gaussian"}},
		{key: "privacy.mechanism", value: "tree", reason: "want none with privacy.epsilon: inf", with: inLockstep("privacy.epsilon", "inf")},
		{
			key: "privacy.records_per_user", value: "1048576", reason: "want fewer with privacy.epsilon: 1e-06 and privacy.horizon: 1000000000; reward sums of 3 arms: noise scale",
			with: map[string]string{"privacy.epsilon": "1e-06", "privacy.horizon": "1000000000"},
		},
		{
			key: "protocol.average.f", value: "1", reason: "want more than 2f neighbours at every peer with consistency robust; some peer has 2",
			with: average("protocol.average.consistency", "robust"),
		},
		{
			key: "protocol.average.f", value: "1", reason: "some peer has 1",
			with: average("protocol.average.consistency", "robust", "testnet.topology", "star"),
		},
		{key: "protocol.rows.every", value: "1001", reason: "want at most privacy.horizon, or no row is ever sent", with: withRows()},
		{key: "experiment.liars.count", value: "3", reason: "want fewer with testnet.nodes: 5, so that one peer with arms is honest", with: withRows("protocol.rows.relays", "4")},
		{key: "protocol.rows.relays", value: "5", reason: "want fewer than the 5 peers, so that some have arms", with: withRows()},
		{
			key: "protocol.rows.f", value: "2", reason: "want at most 1 with merge trimmed and 4 peers with arms",
			with: withRows("protocol.rows.merge", "trimmed", "testnet.nodes", "4"),
		},
		{key: "arms", value: "[a, b, c]", reason: "want 5 names with world.kind: replay", with: map[string]string{"world.kind": "replay"}},
		{key: "world.bernoulli.means", value: "[]", reason: "want a row of numbers as long as arms with world.kind: bernoulli"},
		{
			key: "world.kind", value: "gaussian", reason: "want rewards in [0, 1] with mode: live, since the noise is made for them: set world.gaussian.clip: true",
			with: map[string]string{"world.gaussian.means": "[[0, 0.5, 1]]", "world.gaussian.clip": "false"},
		},
		{
			key: "world.traffic", value: "[1, 0.5, 1]", reason: "want at most 2 numbers, one for each site, not 3",
			with: map[string]string{"testnet.nodes": "2", "testnet.topology": "path"},
		},
		{key: "world.kind", value: "application", reason: "want a simulated world with world.traffic: [0.5]; an application asks when it has a decision to make", with: map[string]string{"world.traffic": "[0.5]"}},
		{
			key: "world.late.sites", value: "3", reason: "want at most 2, the number of sites, not 3",
			with: map[string]string{"testnet.nodes": "2", "testnet.topology": "path", "world.late.every": "10"},
		},
		{
			key: "world.late.every", value: "500", with: map[string]string{"world.late.sites": "2"},
			reason: "want less, or fewer sites than with world.late.sites: 2: the last one begins in round 1000, and the run ends before round 1000 by rounds.count: 0 and privacy.horizon: 1000",
		},
		{
			key: "world.kind", value: "application", with: map[string]string{"world.late.sites": "2", "world.late.every": "100"},
			reason: "want a simulated world with world.late.sites: 2; an application asks when it has a decision to make",
		},
		{
			key: "world.kind", value: "application", with: map[string]string{"world.late.life": "5"},
			reason: "want a simulated world with world.late.life: 5; an application asks when it has a decision to make",
		},
		{key: "privacy.horizon", value: "0", reason: "such as 10000, with privacy.mechanism: "},
		{
			key: "rounds.count", value: "0", reason: "want the number of rounds to play with mode: lockstep and privacy.horizon: 0",
			with: map[string]string{"mode": "lockstep", "seed": "1", "privacy.horizon": "0", "privacy.mechanism": "each", "protocol.name": "phases"},
		},
		{key: "rounds.count", value: "1001", reason: "want at most privacy.horizon: 1000: releases stop at the horizon"},
		{key: "testnet.topology", value: "regular(7)", reason: "suits testnet.nodes: 5"},
		{key: "testnet.topology", value: "ring", reason: "suits testnet.nodes: 2", with: map[string]string{"testnet.nodes": "2"}},
		{key: "testnet.topology", value: "file(no-such-file)", reason: "no such file"},
		{key: "experiment.liars.count", value: "5", reason: "want fewer than testnet.nodes: 5"},
		{key: "experiment.faults.partition", value: "[1000, 2000]", reason: "rounds.count: 0 and privacy.horizon: 1000"},
		{
			key: "experiment.faults.partition", value: "[500, 2000]", reason: "before round 500, where the run ends by rounds.count: 500",
			with: map[string]string{"rounds.count": "500"},
		},
		{key: "experiment.faults.stop", value: "1000", reason: "want a round before 1000, where the run ends by rounds.count: 0 and privacy.horizon: 1000"},
		{key: "experiment.faults.stop", value: "10", reason: "no honest site stays", with: map[string]string{"experiment.liars.count": "4"}},
		{key: "experiment.faults.resume", value: "10", reason: "want 0, or a later round than experiment.faults.stop: 0"},
		{key: "experiment.faults.resume", value: "10", reason: "want 0, or a later round than experiment.faults.stop: 10", with: map[string]string{"experiment.faults.stop": "10"}},
		{key: "experiment.alone", value: "true", reason: "want false, and experiment.alone_noised: true, with experiment.coverage: true", with: map[string]string{"experiment.coverage": "true"}},
		{key: "experiment.alone", value: "true", reason: "want false, and experiment.alone_noised: true, with learner.name: elimination", with: map[string]string{"learner.name": "elimination", "protocol.name": "gis", "privacy.mechanism": "each"}},
		{key: "experiment.alone", value: "true", reason: "want false with experiment.alone_noised: true", with: map[string]string{"experiment.alone_noised": "true"}},
		{key: "privacy.answers", value: "inside", reason: "want anyone with learner.name: imed and protocol.name: phases; a site that keeps decisions weighs what each other site releases, as learners personalized and personalized-linear do", with: keeping("learner.name", "imed")},
		{key: "privacy.answers", value: "inside", reason: "which protocols phases, batch and local have, and protocol rows has not", with: keeping("protocol.name", "rows", "privacy.mechanism", "tree")},
		{key: "privacy.answers", value: "inside", reason: "want anyone with experiment.alone_noised: true", with: keeping("mode", "lockstep", "seed", "1", "experiment.alone_noised", "true")},
		{key: "experiment.listen", value: "true", reason: "want false with privacy.answers: anyone and mode: lockstep", with: keeping("mode", "lockstep", "seed", "1", "privacy.answers", "anyone")},
		{key: "experiment.listen", value: "true", reason: "want false with privacy.answers: inside and mode: live", with: keeping()},
		{key: "privacy.inside", value: "2", reason: "want 0 with privacy.answers: anyone: all decisions are given", with: keeping("privacy.answers", "anyone")},
		{key: "privacy.inside", value: "2", reason: "want 0 with learner.name: personalized-linear: what this noise costs by features is not measured yet", with: named("privacy.answers", "inside", "learner.name", "personalized-linear")},
		{key: "api.shadow", value: "learn", reason: "want propose with privacy.answers: inside: the peer learns from what was taken with it, too", with: named("privacy.answers", "inside", "learner.name", "personalized-linear")},
		{key: "give.sites", value: "0", reason: "want the number of sites to plan for, such as 10, with mode: live", with: keeping()},
		{key: "experiment.figure.x", value: "spectral_gap", reason: "want nothing with experiment.figure.kind: curves"},
		{key: "experiment.figure.regret", value: "own", reason: "want shared with experiment.figure.kind: curves"},
		{key: "experiment.figure.panels", value: "[{x: bytes}]", reason: "want [] with experiment.figure.kind: curves"},
		{
			key: "experiment.figure.x", value: "cost", reason: "want nothing with experiment.figure.panels: [{x: bytes}]",
			with: map[string]string{"experiment.figure.kind": "final", "experiment.figure.panels": "[{x: bytes}]"},
		},
		{key: "experiment.figure.runs", value: "3", reason: "want 0 with experiment.figure.kind: none", with: map[string]string{"experiment.figure.kind": "none"}},
		{
			key: "experiment.figure.x", value: `""`, reason: "want spectral_gap or a setting that holds a number with experiment.figure.kind: final",
			with: map[string]string{"experiment.figure.kind": "final"},
		},
		{key: "world.kind", value: "application", reason: "with mode: lockstep", with: inLockstep()},
		{key: "api.default_reward", value: "0", reason: "want a number from 1 to 5, by api.reward_range: [1, 5]", with: map[string]string{"api.reward_range": "[1, 5]", "world.kind": "application"}},
		{key: "api.reward_range", value: "[-1, 1]", reason: "want [0, 1] with world.kind: bernoulli, which pays rewards from 0 to 1"},
		{key: "api.fallback", value: "purple", reason: "want one of arms: [a, b, c]"},
	}
}

// inLockstep, average and rows return changes that choose these, and pairs of a key and a value.
func inLockstep(pairs ...string) map[string]string {
	return peerdtest.Pairs(append([]string{"mode", "lockstep", "seed", "1"}, pairs...))
}

func average(pairs ...string) map[string]string {
	return peerdtest.Pairs(append([]string{"protocol.name", "average"}, pairs...))
}

func withRows(pairs ...string) map[string]string {
	return peerdtest.Pairs(append([]string{"protocol.name", "rows"}, pairs...))
}

// keeping returns changes with which a site keeps decisions, and others.
func keeping(pairs ...string) map[string]string {
	return peerdtest.Pairs(append([]string{"privacy.answers", "inside", "learner.name", "personalized", "protocol.name", "phases", "privacy.mechanism", "each"}, pairs...))
}

// named returns changes that choose a learner by features, and others.
func named(pairs ...string) map[string]string {
	return peerdtest.Pairs(append([]string{"learner.name", "linucb", "protocol.name", "batch", "privacy.mechanism", "blt", "privacy.delta", "0.000001", "api.min_exposures", "0", "world.kind", "linear", "world.linear.instance", "1"}, pairs...))
}

// manyFeatures returns the text of n features.
func manyFeatures(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("f%d=0..1", i))
	}
	return strings.Join(all, ", ")
}

func TestWhatDoesNotGoTogetherIsRefused(t *testing.T) {
	for _, c := range append(refusedTogether(), refusedByTables(t)...) {
		t.Run(c.key+"="+c.value, c.run)
	}
}

// refusedByTables has a case for every mechanism, and every learner, that does not suit some
// protocol. If all suit, there is none.
func refusedByTables(t *testing.T) (all []refusedCase) {
	t.Helper()
	mechanisms, _ := plan.Schema().Find("privacy.mechanism")
	for _, e := range papers.All() {
		epochs := e.Cadence().Epochs > 0
		with, law := map[string]string{"protocol.name": e.Words().Name}, dp.Laplace
		if protocol.TraitsOf(e).Wide { // for records with features
			law = dp.Gaussian
			maps.Copy(with, described("linucb", e))
			delete(with, "privacy.mechanism")
		}
		for _, l := range slices.Concat(learner.All(), printed.Learners()) {
			if epochs && bandit.TraitsOf(l).Phased {
				with["learner.name"] = l.Words().Name
			}
		}
		for _, m := range dp.Mechanisms() {
			if m.Law() == law && m != dp.None && !protocol.Suits(e, m) && strings.Contains(mechanisms.Want(), m.String()) {
				all = append(all, refusedCase{key: "privacy.mechanism", value: m.String(), reason: "want one of", with: with})
			}
		}
		for _, l := range slices.Concat(learner.All(), printed.Learners()) {
			learner, err := bandit.New(l, bandit.Config{Arms: 3, Peers: 5, Horizon: 1000, Epsilon: 1})
			if err != nil {
				t.Fatal(err)
			}
			apart := learner.Statistic().Width() > 1 != protocol.TraitsOf(e).Wide
			chosen := map[string]string{"learner.name": l.Words().Name}
			if bandit.TraitsOf(l).Phased != epochs && !apart {
				with := maps.Clone(chosen)
				if !protocol.Suits(e, dp.Tree) {
					with["privacy.mechanism"] = firstSuited(e)
				}
				all = append(all, refusedCase{key: "protocol.name", value: e.Words().Name, reason: "want one of", with: with})
			}
			if apart {
				with := maps.Clone(chosen)
				if bandit.TraitsOf(l).Contextual {
					with = described(l.Words().Name, e)
				} else if !protocol.Suits(e, dp.Tree) {
					with["privacy.mechanism"] = firstSuited(e)
				}
				all = append(all, refusedCase{key: "protocol.name", value: e.Words().Name, reason: "want one of", with: with})
			}
		}
	}
	return all
}

// threeSilos returns changes that choose protocol shuffle with three sites, and others.
func threeSilos(more ...string) map[string]string {
	with := described("linucb", shuffling.Params{})
	maps.Copy(with, map[string]string{"protocol.name": shuffling.Params{}.Words().Name, "protocol.shuffle.least": "2", "testnet.nodes": "5", "testnet.topology": "star"})
	for i := 0; i < len(more); i += 2 {
		with[more[i]] = more[i+1]
	}
	return with
}

// described returns changes that choose a learner by features, with a world that has features and
// Gaussian noise that suits a protocol.
func described(learner string, e protocol.Params) map[string]string {
	with := map[string]string{"learner.name": learner, "privacy.delta": "0.000001", "world.linear.instance": "1", "world.kind": "linear"}
	for _, m := range dp.Mechanisms() {
		if m.Law() == dp.Gaussian && protocol.Suits(e, m) {
			with["privacy.mechanism"] = m.String()
		}
	}
	return with
}

// firstSuited returns the first private mechanism that suits a protocol.
func firstSuited(e protocol.Params) string {
	for _, m := range dp.Mechanisms() {
		if m != dp.None && m.Law() == dp.Laplace && protocol.Suits(e, m) {
			return m.String()
		}
	}
	return dp.None.String()
}

// ofTables reports whether a rule depends only on tables: it is possible that all suit.
func ofTables(p config.Constraint) bool {
	return !slices.ContainsFunc(p.Keys, func(key string) bool {
		return key != "privacy.mechanism" && key != "protocol.name" && key != "learner.name"
	})
}

// breaks reports whether a case that follows from the tables breaks a rule.
func breaks(t *testing.T, p config.Constraint) bool {
	return slices.ContainsFunc(refusedByTables(t), func(c refusedCase) bool {
		if c.key != p.Keys[0] {
			return false
		}
		changes := map[string]string{c.key: c.value}
		maps.Copy(changes, c.with)
		cfg, problems, err := plan.Schema().Read(configtest.Write(t, configtest.Good(changes)), nil)
		return err == nil && len(problems) == 0 && p.Broken(&cfg.Settings) != ""
	})
}

// TestEveryPactRefusesSomething also checks that a message names another key in addition to the
// refused one.
func TestEveryPactRefusesSomething(t *testing.T) {
	for _, p := range plan.Schema().Constraints() {
		refuses := ofTables(p) && !breaks(t, p)
		for _, c := range append(refusedTogether(), refusedByTables(t)...) {
			if c.key != p.Keys[0] {
				continue
			}
			changes := map[string]string{c.key: c.value}
			for k, v := range c.with {
				changes[k] = v
			}
			cfg, problems, err := plan.Schema().Read(configtest.Write(t, configtest.Good(changes)), nil)
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			reason := p.Broken(&cfg.Settings)
			if reason == "" {
				continue
			}
			refuses = true
			named := false
			for _, other := range p.Keys[1:] {
				named = named || strings.Contains(reason, other+": ")
			}
			if !named {
				t.Errorf("%s: %q names no other key", p.Keys[0], reason)
			}
		}
		if !refuses {
			t.Errorf("no case breaks: %s", p.Keys)
		}
	}
}

func TestWhatGoesTogetherIsTaken(t *testing.T) {
	for name, changes := range map[string]map[string]string{
		"lockstep":       inLockstep(),
		"no noise":       inLockstep("privacy.epsilon", "inf", "privacy.mechanism", "none"),
		"unclipped":      inLockstep("world.kind", "gaussian", "world.gaussian.clip", "false", "world.gaussian.means", "[[1.5, -2, 0]]"),
		"weak":           {"privacy.epsilon": "11", "privacy.accept_weak": "true"},
		"robust":         average("protocol.average.consistency", "robust", "testnet.topology", "regular(4)", "testnet.nodes", "10"),
		"robust, random": average("protocol.average.consistency", "robust", "testnet.topology", "gnp(0.5)", "testnet.nodes", "10"),
		"components":     {"testnet.topology": "hub(2+2,gnp(0.9))"}, // random
		"trimmed":        withRows("protocol.rows.merge", "trimmed", "protocol.rows.f", "2"),
		"relays":         withRows("protocol.rows.relays", "4"),
		"rows in turn":   {"world.bernoulli.means": "[[0, 1, 0], [1, 0, 0]]"},
		"drawn":          {"world.bernoulli.means": "[]", "world.bernoulli.draw": "shared"},
		"row a site":     {"world.bernoulli.means": "[[0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]]"},
		"replay":         {"world.kind": "replay", "arms": "[a, b, c, d, e]", "world.replay.cap": "3", "privacy.records_per_user": "3"},
		"float horizon":  {"privacy.horizon": "1e6"},
		"short average":  {"privacy.horizon": "10"}, // rows.every exceeds it, but rows are not used
		"partition":      {"experiment.faults.partition": "[10, 20]", "experiment.liars.count": "4"},
	} {
		if problems := check(t, changes); problems != nil {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestAllProblemsAreNamedAtOnceInOrder(t *testing.T) {
	problems := check(t, map[string]string{
		"log.level": "loud", "mode": "slot", "arms": "-", "privacy.epsilon": "x", "rounds.count": "2000", "seed": "1.5",
	})
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	if got, want := strings.Join(keys, " "), "mode arms seed privacy.epsilon rounds.count log.level"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestARefusalNamesTheNetworkThatItIsBy: if the number of peers is not set, it comes from
// testnet.nodes, and a refusal that does not depend on peers mentions neither.
func TestARefusalNamesTheNetworkThatItIsBy(t *testing.T) {
	const by = ", with testnet.nodes: 5 and testnet.topology: ring"
	for _, c := range []struct {
		changes map[string]string
		named   bool
	}{
		{withRows("protocol.rows.relays", "5"), true},
		{withRows("protocol.rows.merge", "trimmed", "protocol.rows.f", "3"), true},
		{average("protocol.average.consistency", "robust"), true},
		{map[string]string{"world.bernoulli.means": "[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]"}, true},
		{withRows("protocol.rows.every", "1001"), false},
		{map[string]string{"world.bernoulli.means": "[[0.1, 0.2]]"}, false},
	} {
		if problems := check(t, c.changes); len(problems) != 1 || strings.HasSuffix(problems[0].Reason, by) != c.named {
			t.Errorf("%v, want the network named: %v", problems, c.named)
		}
	}
}
