package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node"
	"peerd.dev/protocol"
)

// TestNoPromiseIsBelowTheCharge changes settings of the repository at random: either every command refuses them, as
// the curator of a peer would, or the curator opens, and the page promises an epsilon that covers the charge.
func TestNoPromiseIsBelowTheCharge(t *testing.T) {
	files, err := configtest.Shipped("../..")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var mechanisms []dp.Mechanism
	for _, m := range dp.Mechanisms() {
		if m != dp.None {
			mechanisms = append(mechanisms, m)
		}
	}
	opened, over := make(map[string]int), 0
	for range 120 {
		file := files[rng.IntN(len(files))]
		if rng.IntN(3) == 0 {
			file = "../../configs/ldp-fedlinucb-lazy.yaml" // one with a formula that a paper prints
		}
		set := []string{"mode=live", "experiment.raw.choices=false", "experiment.raw.news=0", "experiment.coverage=false", "privacy.delta=0"}
		set = append(set, fmt.Sprintf("privacy.records_per_user=%d", 1+rng.IntN(5)), fmt.Sprintf("privacy.epsilon=%.2f", .1+4.9*rng.Float64()))
		if m := mechanisms[rng.IntN(len(mechanisms))]; strings.Contains(file, "lazy") && rng.IntN(2) == 0 {
			set = append(set, "privacy.delta=1e-6") // its own mechanism
		} else {
			set = append(set, "privacy.mechanism="+m.String())
			if m.Law() == dp.Gaussian {
				set = append(set, "privacy.delta=1e-6")
			}
		}
		set = append(set, "experiment.noise="+[]string{"tight", "printed"}[rng.IntN(2)])
		c, problems, err := plan.Schema().Read(file, set)
		if err != nil || len(problems) > 0 {
			t.Fatal(err, problems)
		}
		args := []string{file, "--json"}
		for _, x := range set {
			args = append(args, "--set", x)
		}
		got, stdout, _ := peerd(t, append([]string{"privacy", "explain"}, args...)...)
		if checked, _, _ := peerd(t, append([]string{"config", "check"}, args...)...); checked != got {
			t.Errorf("%s %v: explain ends with %d and check with %d", file, set, got, checked)
		}
		opens := startable(&c.Settings)
		short := new(dp.BudgetError)
		switch {
		case got == exitOK && opens != nil:
			t.Errorf("%s %v: explained, and a peer does not start: %v", file, set, opens)
		case got == exitOK:
			var doc struct {
				Budget struct {
					Epsilon float64 `json:"epsilon"`
					Used    float64 `json:"epsilon_used"`
				} `json:"budget"`
			}
			if err := json.Unmarshal([]byte(stdout), &doc); err != nil || doc.Budget.Used == 0 || doc.Budget.Used > doc.Budget.Epsilon {
				t.Errorf("%s %v: %v, promised %v, charged %v", file, set, err, doc.Budget.Epsilon, doc.Budget.Used)
			}
			opened[c.Privacy.Mechanism]++
		case errors.As(opens, &short):
			over++
			if audited, _, _ := peerd(t, append([]string{"audit", "--quick"}, args...)...); audited != exitConfig {
				t.Errorf("%s %v: audited with %d", file, set, audited)
			}
		}
	}
	t.Log(opened, over)
	if len(opened) < 5 || over < 3 {
		t.Errorf("%v opened and %d over their budget: too few to show anything", opened, over)
	}
}

// startable returns why a peer with arms would not start.
func startable(s *config.Settings) error {
	spec, err := plan.Spec(s)
	if err != nil {
		return err
	}
	for p := range spec.Peers() {
		if protocol.Learns(spec.Protocol, protocol.Peer(p)) {
			_, err = spec.Agent(node.PeerConfig{Self: protocol.Peer(p), Seed: node.FreshSeed(), Noise: dp.NewSecureSource()})
			return err
		}
	}
	return nil
}

// TestEveryCommandRefusesWhatTheBudgetDoesNotPay, with the charge and the budget: the noise that a paper prints grows
// less with the records of a user than the charge.
func TestEveryCommandRefusesWhatTheBudgetDoesNotPay(t *testing.T) {
	const file = "../../configs/ldp-fedlinucb-lazy.yaml"
	set := []string{"--set", "privacy.records_per_user=2", "--set", "privacy.epsilon=2"}
	c, _, err := plan.Schema().Read(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string // for init, which reads no file
	for _, k := range plan.Schema().Keys() {
		if c.From[k.Name] == config.FromFile && k.Name != "privacy.epsilon" {
			all = append(all, "--set", k.Name+"="+config.ValueText(c.Value(k.Name).Interface()))
		}
	}
	numbers := regexp.MustCompile(`is epsilon (\S+) with this delta; the budget is epsilon 2 with delta 1e-06`)
	for _, args := range [][]string{
		{"config", "check", file},
		{"privacy", "explain", file},
		{"audit", "--quick", file},
		{"gain", file},
		{"run", file},
		append([]string{"init", "--dir", filepath.Join(t.TempDir(), "new")}, all...),
	} {
		got, stdout, stderr := peerd(t, append(args, set...)...)
		said := append(numbers.FindStringSubmatch(stderr), "", "")
		if charged, err := strconv.ParseFloat(said[1], 64); got != exitConfig || stdout != "" || err != nil || charged <= 2 {
			t.Errorf("%v: code %d\n%s%s", args[:2], got, stdout, stderr)
		}
	}
}
