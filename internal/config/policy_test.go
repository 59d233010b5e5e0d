package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
)

// chooses returns the setting that makes a parameter count.
func chooses(key string) []string {
	section, name, _ := strings.Cut(key, ".")
	name, _, parameter := strings.Cut(name, ".")
	choice := map[string]string{"learner": "learner.name=", "protocol": "protocol.name=", "world": "world.kind="}[section]
	if !parameter || choice == "" {
		return nil
	}
	return []string{choice + name}
}

// policy is a policy's hash, and its terms as text.
type policy struct {
	hash  [32]byte
	terms string
}

// policyOf returns a policy, of which no two terms have one key.
func policyOf(t *testing.T, s *config.Settings, n *config.Network, data string) policy {
	t.Helper()
	keys := make(map[string]bool)
	all := config.Terms(s, n, data)
	for _, term := range all {
		if keys[term.Key] {
			t.Errorf("two terms %s", term.Key)
		}
		keys[term.Key] = true
	}
	return policy{config.PolicyHash(s, n, data), fmt.Sprint(all)}
}

// TestPolicyIsWhatPeersShare changes each key, and each part of the network, and looks
// whether the hash and the terms follow. A parameter counts where its learner, protocol or world is the
// chosen one.
func TestPolicyIsWhatPeersShare(t *testing.T) {
	c := require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(nil)), nil))(t)
	before := policyOf(t, &c.Settings, configtest.ThreeSites(), "")
	other := map[string]string{"arms": "x,y", "rounds.every": "3s", "log.level": "warn", "world.gaussian.means": "[[1, 2, 3]]", "world.changing.means": "[]", "listen": "[]", "world.traffic": "[0.5]", "world.bernoulli.means": "[]", "world.bernoulli.odd": "[[0, 1, 0.5]]", "world.linear.odd": "[[0, 0, 1]]", "world.linear.means": "[[1, 2, 3]]", "experiment.faults.partition": "[1, 2]", "experiment.cells": "[{name: x}]", "experiment.figure.panels": "[{x: bytes}]", "api.reward_range": "[-1, 1]", "api.window": "7s", "api.keep": "7s"}
	for _, k := range plan.Schema().Keys() {
		value, ok := other[k.Name]
		switch {
		case ok:
		case k.Default == "true":
			value = "false"
		case k.Default == "false":
			value = "true"
		default:
			value = "7"
		}
		hash := func(set ...string) policy {
			t.Helper()
			other, problems, err := plan.Schema().Read(c.File, append(set, chooses(k.Name)...))
			if err != nil || len(problems) > 0 {
				t.Fatal(k.Name, err, problems)
			}
			return policyOf(t, &other.Settings, configtest.ThreeSites(), "")
		}
		changed, same := hash(k.Name+"="+value), hash()
		if differs := changed != same; differs != k.Shared || differs != (changed.terms != same.terms) {
			t.Errorf("%s: shared %v, but the policy differs: %v", k.Name, k.Shared, differs)
		}
	}
	for what, change := range map[string]func(n *config.Network){
		"name":   func(n *config.Network) { n.Name = "other" },
		"start":  func(n *config.Network) { n.Start = n.Start.Add(time.Nanosecond) },
		"every":  func(n *config.Network) { n.Every++ },
		"peers":  func(n *config.Network) { n.Peers[0], n.Peers[1] = n.Peers[1], n.Peers[0] },
		"member": func(n *config.Network) { n.Peers[0].Name = "other" },
		"links":  func(n *config.Network) { n.Links[0] = [2]int{0, 2} },
	} {
		n := configtest.ThreeSites()
		change(n)
		if now := policyOf(t, &c.Settings, n, ""); now.hash == before.hash || now.terms == before.terms {
			t.Errorf("%s changes nothing", what)
		}
	}
	if policyOf(t, &c.Settings, configtest.ThreeSites(), "0123") == before {
		t.Error("the records of a world change nothing")
	}
	for what, change := range map[string]func(n *config.Network){
		"addresses":      func(n *config.Network) { n.Peers[0].Addrs = nil },
		"order of links": func(n *config.Network) { n.Links = [][2]int{{2, 1}, {1, 0}} },
		"time zone":      func(n *config.Network) { n.Start = n.Start.In(time.FixedZone("x", 3600)) },
	} {
		n := configtest.ThreeSites()
		change(n)
		if policyOf(t, &c.Settings, n, "") != before {
			t.Errorf("%s should change nothing", what)
		}
	}
}

// TestWhatIsAskedIsSharedOnceItIsAsked: a network that asks for nothing has the policy of builds from before the key; a wrong key
// names the right one; and no change of the network ends in settings with which no peer sees who has given.
func TestWhatIsAskedIsSharedOnceItIsAsked(t *testing.T) {
	load := func(changes ...string) (*config.Config, error) {
		all := map[string]string{"protocol.name": "rows", "learner.name": "imed"}
		for i := 0; i < len(changes); i += 2 {
			all[changes[i]] = changes[i+1]
		}
		return plan.Schema().Load(configtest.Write(t, configtest.Good(all)), nil)
	}
	none := require.Value(load())(t)
	zero := require.Value(load("give.least", "0"))(t)
	c, err := load("give.least", "100")
	if err != nil {
		t.Fatal(err)
	}
	text := func(c *config.Config) string {
		return string(config.PolicyText(&c.Settings, configtest.ThreeSites(), ""))
	}
	if text(none) != text(zero) || strings.Contains(text(none), "give") || !strings.Contains(text(c), "give.least \"100\"\n") {
		t.Error("the policy of what is asked")
	}
	for _, x := range append(none.FixedSettings(), c.FixedSettings()...) {
		if x.Key == "give.least" {
			t.Error("a folder keeps what is asked")
		}
	}
	if _, err = plan.Schema().Load(none.File, []string{"give.lest=100"}); err == nil || !strings.Contains(err.Error(), "give.least") {
		t.Error(err)
	}
	was, is := configtest.ThreeSites(), configtest.ThreeSites()
	was.Version, was.Settings, is.Settings, is.Version = 1, c.SharedSettings(), c.SharedSettings(), 2
	is.Changed = []network.Setting{{Key: "give.least", Value: "7"}}
	if err = c.CheckChange(was, is); err != nil {
		t.Error(err)
	}
	if at, wrong := c.In(is); wrong != nil || at.Give.Least != 7 || c.Give.Least != 100 {
		t.Error(at.Give, c.Give, wrong)
	}
	is.Changed = []network.Setting{{Key: "protocol.rows.merge", Value: "trimmed"}}
	if err = c.CheckChange(was, is); err == nil || !strings.Contains(err.Error(), "give.least: 100: want 0 with protocol.name: rows") {
		t.Error(err)
	}
}

// A later key is left out of what peers compare while it has its default, so that builds from before
// it take part; with another value it is there.
func TestLaterKeys(t *testing.T) {
	has := func(s *config.Settings) bool {
		return slices.ContainsFunc(s.SharedSettings(), func(x network.Setting) bool { return x.Key == "spare_arms" })
	}
	c := require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(nil)), nil))(t)
	s := c.Settings
	without := config.PolicyHash(&s, configtest.ThreeSites(), "")
	if has(&s) {
		t.Error("the default is shared")
	}
	s.SpareArms = 2
	if !has(&s) || config.PolicyHash(&s, configtest.ThreeSites(), "") == without {
		t.Error("another value is not shared")
	}
}
