package config_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/network"
)

// TestEndedKeysAreCompared as builds compared them that had them: these are hashes of 0.1.0.
func TestEndedKeysAreCompared(t *testing.T) {
	for chosen, want := range map[string]string{
		"learner.name=ucb":                           "d6a3ed8b90cf303c",
		"learner.name=elimination":                   "0b8fb3d82e90e44e",
		"learner.name=klucb":                         "5e49ca4d88226f50",
		"learner.name=linucb protocol.name=local":    "b061443a186db54c",
		"learner.name=klucb protocol.name=consensus": "69bf53cf231bc2a6",
	} {
		c, _, err := plan.Schema().Read(configtest.Write(t, configtest.Good(nil)), strings.Fields(chosen))
		if err != nil {
			t.Fatal(err)
		}
		hash := config.PolicyHash(&c.Settings, configtest.ThreeSites(), "")
		if got := hex.EncodeToString(hash[:8]); got != want {
			t.Errorf("%s: the policy is %s, and was %s", chosen, got, want)
		}
	}
}

// TestEndedKeysAreReadWithTheValueThatIsLeft, from every source and from the document of a network;
// with another value the refusal says what to do.
func TestEndedKeysAreReadWithTheValueThatIsLeft(t *testing.T) {
	const key, variable = "learner.ucb.confidence", "PEERD_LEARNER_UCB_CONFIDENCE"
	for value, reason := range map[string]string{"calibrated": "", "paper": "leave it out; the radius that paper 004 prints has learner.name: ucb-printed"} {
		refused := func(source string, err error) {
			t.Helper()
			if reason == "" && err != nil || reason != "" && (err == nil || !strings.Contains(err.Error(), reason)) {
				t.Errorf("%s from %s: %v", value, source, err)
			}
		}
		file := configtest.Write(t, configtest.Good(nil))
		_, err := plan.Schema().Load(configtest.Write(t, strings.Replace(configtest.Good(nil), "  name: ucb\n", "  name: ucb\n  ucb: {confidence: "+value+"}\n", 1)), nil)
		refused("a file", err)
		_, err = plan.Schema().Load(file, []string{key + "=" + value})
		refused("a flag", err)
		t.Setenv(variable, value)
		_, err = plan.Schema().Load(file, nil)
		refused("the environment", err)
		t.Setenv(variable, "")
		c, err := plan.Schema().Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := configtest.ThreeSites()
		n.Version = 1
		n.Settings = c.SharedSettings()
		for i, x := range n.Settings {
			if x == (network.Setting{Key: key, Value: "calibrated"}) {
				n.Settings[i].Value = value
			}
		}
		if problems := c.CheckNetwork(n); (len(problems) > 0) != (reason != "") {
			t.Errorf("%s from a document: %v", value, problems)
		}
	}
}

// TestFilesThatNameEveryKeyAreRead: folders of results and of testnets have the defaults of what was not chosen.
func TestFilesThatNameEveryKeyAreRead(t *testing.T) {
	text := strings.Replace(configtest.Good(nil), "protocol:\n", "protocol:\n  program:\n    command: []\n    timeout: 10\n    parameter: 0\n    every: 20\n", 1)
	text = strings.Replace(text, "world:\n", "world:\n  program:\n    command: []\n    timeout: 10\n    parameter: 0\n", 1)
	if strings.Count(text, "program:") != 2 {
		t.Fatalf("no section is there:\n%s", text)
	}
	if _, err := plan.Schema().Load(configtest.Write(t, text), nil); err != nil {
		t.Error(err)
	}
	_, err := plan.Schema().Load(configtest.Write(t, strings.Replace(text, "every: 20", "every: 21", 1)), nil)
	if err == nil || !strings.Contains(err.Error(), "a protocol is written in Go") {
		t.Errorf("%v", err)
	}
}

// TestEndedKeysMayHaveChanged: a signed document of an earlier build can say that a network changed one of them, and goes on if the value is the one
// that is left.
func TestEndedKeysMayHaveChanged(t *testing.T) {
	c, _, err := plan.Schema().Read(configtest.Write(t, configtest.Good(nil)), []string{"protocol.name=shuffle"})
	if err != nil {
		t.Fatal(err)
	}
	n := configtest.ThreeSites()
	n.Changed = []network.Setting{{Key: "protocol.shuffle.deadline", Value: "50"}, {Key: "protocol.shuffle.pull", Value: "20"}}
	if _, err = c.In(n); err != nil {
		t.Error(err)
	}
	n.Changed[0].Value = "80"
	if _, err = c.In(n); err == nil || !strings.Contains(err.Error(), "the shuffler waits for 50 rounds") {
		t.Errorf("another value: %v", err)
	}
}
