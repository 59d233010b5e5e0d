package main

import (
	"testing"
	"time"
)

// TestPolicyIsWhatPeersShare changes each key, and each part of the network, and
// looks whether the hash follows.
func TestPolicyIsWhatPeersShare(t *testing.T) {
	c, err := loadConfig(write(t, good(nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := policyHash(&c.Settings, threeSites())
	other := map[string]string{"arms": "x,y", "privacy.accept_weak": "true", "rounds.every": "3s", "log.level": "warn", "world.clip": "false", "listen": "[]", "world.means": "[]", "experiment.faults.partition": "[1, 2]", "experiment.cells": "[{name: x}]", "experiment.alone": "true", "experiment.laws": "true", "experiment.coverage": "true", "api.window": "7s", "api.keep": "7s"}
	for _, k := range schema() {
		value, ok := other[k.Name]
		if !ok {
			value = "7"
		}
		changed, problems, err := readConfig(c.File, []string{k.Name + "=" + value})
		if err != nil || len(problems) > 0 {
			t.Fatal(k.Name, err, problems)
		}
		if differs := policyHash(&changed.Settings, threeSites()) != before; differs != k.Shared {
			t.Errorf("%s: shared %v, but the hash differs: %v", k.Name, k.Shared, differs)
		}
	}
	for what, change := range map[string]func(n *Network){
		"name":   func(n *Network) { n.Name = "other" },
		"start":  func(n *Network) { n.Start = n.Start.Add(time.Nanosecond) },
		"every":  func(n *Network) { n.Every++ },
		"peers":  func(n *Network) { n.Peers[0], n.Peers[1] = n.Peers[1], n.Peers[0] },
		"member": func(n *Network) { n.Peers[0].Name = "other" },
		"links":  func(n *Network) { n.Links[0] = [2]int{0, 2} },
	} {
		n := threeSites()
		change(n)
		if policyHash(&c.Settings, n) == before {
			t.Errorf("%s changes nothing", what)
		}
	}
	for what, change := range map[string]func(n *Network){
		"addresses":      func(n *Network) { n.Peers[0].Addrs = nil },
		"order of links": func(n *Network) { n.Links = [][2]int{{2, 1}, {1, 0}} },
		"time zone":      func(n *Network) { n.Start = n.Start.In(time.FixedZone("x", 3600)) },
	} {
		n := threeSites()
		change(n)
		if policyHash(&c.Settings, n) != before {
			t.Errorf("%s should change nothing", what)
		}
	}
}
