package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/configtest"
	"peerd.dev/node/lab/audit"
)

// TestAuditOfTheConfigurations audits what the repository's configurations promise, quickly, in
// both forms.
func TestAuditOfTheConfigurations(t *testing.T) {
	for _, name := range []string{"testnet", "rows", "application"} {
		t.Run(name, func(t *testing.T) {
			args := []string{"audit", "-c", "../../configs/" + name + ".yaml", "--runs", "20", "--seed", "3"}
			c, stdout, stderr := peerd(t, append(args, "--json")...)
			if c != exitOK {
				t.Fatalf("code %d: %s\n%s", c, stderr, stdout)
			}
			var r audit.Report
			if err := json.Unmarshal([]byte(stdout), &r); err != nil {
				t.Fatal(err)
			}
			if !r.Passed || r.Epsilon != 1 || len(r.Canaries) < 5 || len(r.Checks) < 5 || len(r.Tests) < 10 {
				t.Errorf("report %+v", r)
			}
			for _, canary := range r.Canaries {
				// The last record can be in a batch that is still open.
				if reach := canary.Bound.Reach; reach > 1 || reach < 0 || reach == 0 && (canary.Name != "last" || name != "testnet") {
					t.Errorf("canary %s: reach %v", canary.Name, reach)
				}
			}
			if name != "rows" {
				return // the page is the same
			}
			c, stdout, _ = peerd(t, args...)
			if c != exitOK || !strings.Contains(stdout, "PASS") {
				t.Errorf("code %d:\n%s", c, stdout)
			}
		})
	}
}

// TestAuditOfEveryMechanism: each can be audited, and the report names its measure.
func TestAuditOfEveryMechanism(t *testing.T) {
	for _, m := range dp.Mechanisms() {
		if m == dp.None || !m.Running() {
			continue // promises nothing, or is not for running sums
		}
		name := m.String()
		t.Run(name, func(t *testing.T) {
			settings, measure, most := map[string]string{"privacy.mechanism": name, "privacy.horizon": "100"}, "ε", 1.
			if m.Law() == dp.Gaussian {
				settings["privacy.delta"], measure, most = "0.000001", "μ", .237
			}
			c, stdout, stderr := peerd(t, "audit", "-c", configtest.Write(t, configtest.Good(settings)), "--runs", "20", "--seed", "1", "--json")
			var r audit.Report
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || c != exitOK {
				t.Fatalf("code %d, %v: %s%s", c, err, stderr, stdout)
			}
			if r.Mechanism != name || r.Measure != measure || (r.Untested > 0) != (m == dp.Kary) {
				t.Errorf("mechanism %s in %s, %d nodes are not tested", r.Mechanism, r.Measure, r.Untested)
			}
			for _, canary := range r.Canaries {
				if b := canary.Bound; b.Reach > b.Charged || b.Reach <= 0 || b.Charged > most || b.Charged < .9*most {
					t.Errorf("canary %s: reach %v of %v, want at most %v", canary.Name, b.Reach, b.Charged, most)
				}
			}
		})
	}
}

// TestAuditOfAnExperiment audits a file with cells: it says that it omits them, and how to audit
// one; the report shows the settings of --set.
func TestAuditOfAnExperiment(t *testing.T) {
	args := []string{"audit", "-c", "../../configs/figures/radius.yaml", "--runs", "20", "--seed", "1", "--json"}
	for _, want := range []string{"ucb", "ucb-printed"} {
		c, stdout, stderr := peerd(t, append(args, "--set", "learner.name="+want)...)
		var r audit.Report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || c != exitOK {
			t.Fatalf("code %d, %v: %s%s", c, err, stderr, stdout)
		}
		if !r.Passed || !strings.HasPrefix(r.Learner, want+" ") || r.Horizon != 600_000 {
			t.Errorf("report %+v", r)
		}
		for _, part := range []string{"mode lockstep protects no one", "2 experiment cells", `"as printed" add --set learner.name=ucb-printed`} {
			if !strings.Contains(stderr, part) {
				t.Errorf("%q is not said: %s", part, stderr)
			}
		}
	}
	if _, _, stderr := peerd(t, "audit", "-c", "../../configs/rows.yaml", "--runs", "20", "--seed", "1"); strings.Contains(stderr, "cells") || strings.Contains(stderr, "lockstep") {
		t.Errorf("a daemon's configuration has neither: %s", stderr)
	}
}

// TestAuditLeavesIdlePeersOut: and says so.
func TestAuditLeavesIdlePeersOut(t *testing.T) {
	c, stdout, stderr := peerd(t, "audit", "../../configs/relay.yaml", "--runs", "20", "--seed", "1", "--json")
	var r audit.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || c != exitOK || !r.Passed || len(r.Canaries) < 5 {
		t.Fatalf("code %d, %v: %s%s", c, err, stderr, stdout)
	}
	if want := "1 peer without arms, with no rewards to protect, left out"; !strings.Contains(stderr, want) {
		t.Errorf("%q is not said: %s", want, stderr)
	}
}

// TestAuditEndsWithTheCodeOfAnError.
func TestAuditEndsWithTheCodeOfAnError(t *testing.T) {
	base := configtest.Good(nil)
	for _, tc := range []struct {
		want code
		args []string
	}{
		{exitUsage, []string{"--runs", "3"}},
		{exitUsage, []string{"--runs", "none"}},
		{exitConfig, []string{"--set", "mode=lockstep", "--set", "seed=1", "--set", "privacy.epsilon=inf", "--set", "privacy.mechanism=none"}},
		{exitConfig, []string{"--set", "privacy.epsilon=-1"}},
		{exitConfig, []string{"--set", "mode=lockstep", "--set", "seed=1", "--set", "world.kind=gaussian", "--set", "world.gaussian.clip=false"}},
	} {
		c, _, stderr := peerd(t, append([]string{"audit", "-c", configtest.Write(t, base)}, tc.args...)...)
		if c != tc.want {
			t.Errorf("%v: code %d, want %d: %s", tc.args, c, tc.want, stderr)
		}
	}
}

// TestAuditOfManyRecordsPerUser has the canary with all records of a user.
func TestAuditOfManyRecordsPerUser(t *testing.T) {
	file := configtest.Write(t, configtest.Good(map[string]string{"privacy.records_per_user": "3"}))
	for i, p := range covering(t, file) {
		if i%6 != 0 && os.Getenv("PEERD_LONG") == "" {
			continue // a user's records are the curator's matter, whatever the protocol
		}
		c, stdout, stderr := peerd(t, append([]string{"audit", "-c", file, "--runs", "20", "--seed", "1", "--json"}, p.flags()...)...)
		var r audit.Report
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || c != exitOK {
			t.Fatalf("%s: code %d, %v: %s%s", p.name, c, err, stderr, stdout)
		}
		if last := r.Canaries[len(r.Canaries)-1]; last.Name != "user" || last.Bound.Reach <= last.Bound.Charged/2 {
			t.Errorf("%s: %+v", p.name, last)
		}
	}
}
