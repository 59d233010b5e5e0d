package sim_test

import (
	"os"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// TestPushIsTheExamples: push is the protocol of docs/examples/go/protocol, a module of its own, which a test of this
// one cannot import. Its file here is a copy.
func TestPushIsTheExamples(t *testing.T) {
	const example = "../../../docs/examples/go/protocol/push.go"
	there := require.Value(os.ReadFile(example))(t)
	here := require.Value(os.ReadFile("push_example_test.go"))(t)
	if strings.Replace(string(there), "package main", "package sim_test", 1) != string(here) {
		t.Error("push_example_test.go is not the example's; in the repository: sed '1s/main/sim_test/' docs/examples/go/protocol/push.go >node/lab/sim/push_example_test.go")
	}
}

// pushing returns a run of push by five peers, each of which knows all others.
func pushing() sim.Config {
	complete := make([][]protocol.Peer, 5)
	for i := range complete {
		for j := range protocol.Peer(5) {
			if int(j) != i {
				complete[i] = append(complete[i], j)
			}
		}
	}
	c := config(7, complete, 2000, []float64{.8, .5, .2}, []float64{.3, .9, .2})
	c.Spec.Protocol = push{Every: 20}
	return c
}

// TestAProtocolOfAnotherModule learns in the simulator.
func TestAProtocolOfAnotherModule(t *testing.T) {
	res := require.Value(sim.Run(pushing()))(t)
	if res.Messages == 0 || res.Refused > 0 {
		t.Errorf("%d messages, %d refused", res.Messages, res.Refused)
	}
	for i, pulls := range res.Pulls {
		if pulls[1] < 1000 { // the means over sites are .6, .66 and .2
			t.Errorf("peer %d pulls %v, want the second arm most", i, pulls)
		}
	}
}

// TestAProtocolOfAnotherModuleInLockstep does there what it does in the simulator.
func TestAProtocolOfAnotherModuleInLockstep(t *testing.T) {
	equal(t, func() sim.Config {
		c := pushing()
		c.Rounds = 200
		for i := range c.Worlds {
			c.Keys = append(c.Keys, vouch.For[protocol.Keys](protocoltest.Keys(i)))
		}
		return c
	})
}

// TestAProtocolOfAnotherModuleIsAudited, with its restarts.
func TestAProtocolOfAnotherModuleIsAudited(t *testing.T) {
	c := pushing()
	c.Spec.Privacy.Mode = dp.Private
	report := require.Value(audit.Run(t.Context(), audit.Config{Spec: c.Spec, Runs: audit.MinRuns, Seed: 1}))(t)
	if !report.Passed {
		t.Errorf("broken: %v", report.Broken)
	}
}
