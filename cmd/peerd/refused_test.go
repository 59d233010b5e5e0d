package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
)

// A refusedCase is a value that must be refused.
type refusedCase struct {
	key, value string            // as in a file
	shown      string            // the value in the message, if it differs
	reason     string            // part of the reason
	with       map[string]string // other settings that are needed
}

// refusedAlone has cases that a key's own rule refuses.
func refusedAlone() []refusedCase {
	return []refusedCase{
		{key: "dir", value: `""`, reason: "want a path"},
		{key: "network", value: `""`, reason: "want a path"},
		{key: "listen", value: "[/ip4/127.0.0.1/udp/1]", reason: "want one over TCP alone"},
		{key: "listen", value: "[localhost]", reason: `address "localhost"`},
		{key: "listen", value: "[]", reason: "want a list of different addresses"},
		{key: "listen", value: "[/ip4/127.0.0.1/tcp/1, /ip4/127.0.0.1/tcp/1]", reason: "is there twice"},
		{key: "arms", value: "[a]", reason: "want a list of 2 to 1000 different names"},
		{key: "arms", value: "[a, b, a]", reason: "different names"},
		{key: "arms", value: "[a, ' ']", reason: "different names"},
		{key: "arms", value: "[a, 010]", shown: "missing", reason: `item 1 is a number (010): put names in quotes: ["a", "010"]`},
		{key: "arms", value: "a", reason: "want a list"},
		{key: "arms", value: "-", shown: "missing", reason: "want a list"},
		{key: "arms", value: "{a: 1}", shown: "a section", reason: "want a list"},
		{key: "privacy.epsilon", value: "-1", reason: "want a number over 0"},
		{key: "privacy.epsilon", value: "0", reason: "want a number over 0"},
		{key: "privacy.epsilon", value: ".nan", reason: "want a number over 0"},
		{key: "privacy.epsilon", value: "1e-7", shown: "1e-07", reason: "want at least 1e-06"},
		{key: "privacy.epsilon", value: "2e9", shown: "2e+09", reason: "want at most 1e+09", with: map[string]string{"privacy.accept_weak": "true"}},
		{key: "privacy.epsilon", value: "high", reason: "want a number over 0"},
		{key: "privacy.epsilon", value: `"1"`, reason: "want a number over 0"},
		{key: "privacy.epsilon", value: "-", shown: "missing", reason: "want a number over 0"},
		{key: "privacy.delta", value: "1", reason: "want a probability from 0 to below 1"},
		{key: "privacy.delta", value: "-0.1", reason: "want a probability"},
		{key: "privacy.records_per_user", value: "1.5", reason: "want a whole number"},
		{key: "privacy.horizon", value: "0", reason: "want the number of rounds that the budget has to cover"},
		{key: "privacy.horizon", value: "-", shown: "0", reason: "want the number of rounds"},
		{key: "privacy.horizon", value: "1073741825", reason: "to 1073741824"},
		{key: "privacy.accept_weak", value: `"yes"`, shown: "yes", reason: "want true or false"},
		{key: "learner.name", value: "oracle", reason: "want personalized, thompson"},
		{key: "protocol.name", value: "gossip", reason: "average"},
		{key: "protocol.average.rate", value: "0", reason: "want a number over 0 up to 0.5"},
		{key: "protocol.average.rate", value: "1.1", reason: "want a number over 0 up to 0.5"},
		{key: "rounds.every", value: "100us", shown: "100µs", reason: "want a duration from 1ms to 24h"},
		{key: "rounds.every", value: "25h", reason: "want a duration from 1ms to 24h"},
		{key: "rounds.every", value: "5", reason: "want a duration"},
		{key: "rounds.every", value: "soon", reason: "want a duration"},
		{key: "privacy.inside", value: "0.4", reason: "want 0, or a number from 0.5 to 20"},
		{key: "api.listen", value: "0.0.0.0:8470", reason: "reachable by others"},
		{key: "api.listen", value: "localhost", reason: "is not an address"},
		{key: "api.window", value: "500ms", reason: "want a duration from 1s to 720h"},
		{key: "api.window", value: "721h", reason: "want a duration from 1s to 720h"},
		{key: "api.default_reward", value: "1.5", reason: "want a number from 0 to 1, by api.reward_range: [0, 1]"},
		{key: "api.default_reward", value: ".nan", reason: "want a finite number"},
		{key: "api.reward_range", value: "[1, -1]", reason: "want two numbers, the smaller first, such as [-1, 1]"},
		{key: "api.reward_range", value: "[0, .inf]", reason: "want two numbers"},
		{key: "api.reward_range", value: "[0]", reason: "want two numbers"},
		{key: "api.fallback", value: "1", reason: "want the name of an action"},
		{key: "api.keep", value: "-1s", reason: "want a duration from 0s to 8760h"},
		{key: "api.baseline", value: "1", reason: "want the name of an action"},
		{key: "api.baseline_share", value: "1.5", reason: "want a number from 0 to 1"},
		{key: "api.offer", value: "blue", reason: "want a list of names"},
		{key: "api.offer", value: "[all, blue]", reason: "want a list of names of actions that were added to the network, or [all]"},
		{key: "learner.program.command", value: "5", reason: "want a list of words, such as [python3, my.py]"},
		{key: "learner.program.command", value: `[python3, ""]`, reason: "want a list of words"},
		{key: "learner.program.parameter", value: ".nan", reason: "want a number from -1e9 up to 1e9"},
		{key: "world.bernoulli.means", value: "[0.1, 0.2, 0.3]", reason: "want a list of rows of numbers"},
		{key: "world.bernoulli.means", value: "[[0.1, x, 0.3]]", reason: "see item 0, number 1"},
		{key: "world.bernoulli.means", value: "[[0.1, .nan, 0.3]]", reason: "want a list of rows of numbers"},
		{key: "world.bernoulli.means", value: "[[]]", reason: "want a list of rows of numbers"},
		{key: "world.bernoulli.odd", value: "[0, 1, 0.5]", reason: "want a list of rows of a site, an arm and its mean there"},
		{key: "world.gaussian.means", value: "[0.1, 0.2, 0.3]", reason: "want a list of rows of numbers"},
		{key: "world.gaussian.means", value: "[[0.1, .inf, 0.3]]", reason: "want a list of rows of numbers"},
		{key: "world.gaussian.sd", value: "0", reason: "want a number over 0"},
		{key: "world.gaussian.sd", value: ".inf", reason: "want a number over 0"},
		{key: "world.replay.data", value: "5", reason: "want a path"},
		{key: "world.replay.data", value: `"a\0b"`, reason: "want a path"},
		{key: "world.ranking.data", value: "5", reason: "want a path"},
		{key: "features.context", value: "[hour]", reason: "item 0 is not NAME=LOW..HIGH or NAME=A|B|C"},
		{key: "features.context", value: "[hour=24..0]", reason: "item 0 has no range of two finite numbers, the lower one first"},
		{key: "features.context", value: "[hour=0..24, hour=a|b]", reason: "item 1 has the name of one before, hour"},
		{key: "features.context", value: "[hour:x=0..24]", shown: "['hour:x=0..24']", reason: "want a list"},
		{key: "features.action", value: "[price=0..1, kind=x]", reason: "item 1 has no range and no two different categories"},
		{key: "learner.explore", value: "1.01", reason: "want a number from 0 to 1"},
		{key: "world.traffic", value: "[]", reason: "want a list of numbers over 0 up to 1; [1] is a decision in every round"},
		{key: "world.traffic", value: "[0.5, 0]", reason: "want numbers over 0 up to 1; number 1 is 0"},
		{key: "world.traffic", value: "[[1]]", reason: "want a list of numbers over 0 up to 1"},
		{key: "testnet.topology", value: "torus", reason: `there is no topology "torus"`},
		{key: "testnet.topology", value: "regular", reason: "write regular(degree)"},
		{key: "experiment.cells", value: "[{}]", reason: "item 0 sets nothing and has no name"},
		{key: "experiment.cells", value: "[{set: {experiment.seeds: 2}}]", shown: "[{set: {experiment.seeds: 2}}]", reason: "item 0 sets experiment.seeds, which all cells share"},
		{key: "experiment.cells", value: "[{set: {privacy.epsilom: 2}}]", reason: "item 0 sets privacy.epsilom, which is no setting; did you mean privacy.epsilon?"},
		{key: "experiment.cells", value: "[{set: {privacy.epsilon: []}}]", reason: "item 0 has no value for privacy.epsilon"},
		{key: "experiment.cells", value: "[{each: [{name: a}, {}]}]", reason: "item 0 sets nothing and has no name"},
		{key: "experiment.cells", value: "[{name: a}, {each: [{set: {privacy.epsilom: 2}}]}]", reason: "item 1 sets privacy.epsilom, which is no setting"},
		{key: "experiment.cells", value: "[{each: [{title: a}]}]", reason: "see item 0, each"},
		{key: "experiment.cells", value: "2", reason: "want a list of cells"},
		{key: "experiment.cells", value: "[{title: a}]", reason: "see item 0, which knows no title"},
		{key: "experiment.cells", value: "[{name: [a]}]", reason: "see item 0, name"},
		{key: "experiment.faults.loss", value: "1", reason: "want a probability from 0 to below 1"},
		{key: "experiment.faults.duplicate", value: "-0.1", reason: "want a probability"},
		{key: "experiment.faults.reorder", value: "2", reason: "want a probability"},
		{key: "experiment.faults.partition", value: "[5]", reason: "want [] or [from, to]"},
		{key: "experiment.faults.partition", value: "[5, 5]", reason: "from below to"},
		{key: "experiment.faults.churn", value: "1", reason: "want a probability"},
		{key: "experiment.cost.hub", value: "-1", reason: "want a number from 0"},
		{key: "experiment.cost.link", value: "-1", reason: "want a number from 0"},
		{key: "experiment.figure.x", value: "mode", reason: "want spectral_gap, cost, bytes or a setting that holds a number"},
		{key: "experiment.figure.panels", value: "[{x: mode}]", reason: "x of item 0 is \"mode\", want spectral_gap, cost, bytes or a setting that holds a number"},
		{key: "experiment.figure.facet", value: "protocol", reason: "want name or a setting, such as protocol.name"},
		{key: "experiment.figure.title", value: "5", reason: "want text"},
	}
}

var ofWhole = regexp.MustCompile(`^a whole number from (\d+)(?: to (\d+))?$`)

// TestEveryKeyHasAValueThatIsRefused: words that are not among those that a key wants, numbers around those that it wants, and what other
// rules refuse.
func TestEveryKeyHasAValueThatIsRefused(t *testing.T) {
	had := make(map[string]bool)
	for _, c := range refusedAlone() {
		had[c.key] = true
	}
	for _, k := range plan.Schema().Keys() {
		if !had[k.Name] { // words and numbers refuse this one; other rules need a case
			c := refusedCase{key: k.Name, value: "'no such value'", shown: "no such value", reason: "want"}
			t.Run(k.Name, c.run)
		}
		for i, end := range ofWhole.FindStringSubmatch(k.Want()) {
			if n, err := strconv.ParseInt(end, 10, 64); err == nil {
				c := refusedCase{key: k.Name, value: strconv.FormatInt(n+int64(2*i-3), 10), reason: "want " + k.Want()} // 1 below the first, 1 above the last
				t.Run(k.Name+"="+c.value, c.run)
			}
		}
	}
	for _, c := range refusedAlone() {
		t.Run(c.key+"="+c.value, c.run)
	}
}

// run checks that the case is refused, and nothing else.
func (c refusedCase) run(t *testing.T) {
	changes := map[string]string{c.key: c.value}
	for k, v := range c.with {
		changes[k] = v
	}
	shown := c.shown
	switch shown {
	case "":
		shown = c.value
	case "missing":
		shown = ""
	}
	problems := check(t, changes)
	if len(problems) != 1 {
		t.Fatalf("%d problems, want 1: %v", len(problems), problems)
	}
	if p := problems[0]; p.Key != c.key || p.Value != shown || !strings.Contains(p.Reason, c.reason) {
		t.Errorf("got  %v\nwant %s: %s: …%s…", p, c.key, shown, c.reason)
	}
}

// TestAnEmptyValueIsNoDefault: an empty value that --set gives to a parameter of an entry counts,
// as with every other key.
func TestAnEmptyValueIsNoDefault(t *testing.T) {
	file := configtest.Write(t, configtest.Good(nil))
	for _, set := range []string{"privacy.records_per_user=", "protocol.rows.every=", "protocol.average.rate=null", "world.gaussian.sd="} {
		_, err := plan.Schema().Load(file, []string{set})
		key, _, _ := strings.Cut(set, "=")
		var r *config.Refusal
		if !errors.As(err, &r) || len(r.Problems) != 1 || r.Problems[0].Key != key || r.Problems[0].From != "--set "+key {
			t.Errorf("--set %s: %v, want it refused", set, err)
		}
	}
}
