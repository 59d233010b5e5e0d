package sim_test

import (
	"os/exec"
	"reflect"
	"testing"

	"peerd.dev/internal/lab/program"
	"peerd.dev/node/lab/sim"
)

// TestAProtocolInPythonDoesWhatTheSameInGoDoes: what the example in Python passes on is, where all peers are linked, what
// push sends, and so all peers believe and choose the same.
func TestAProtocolInPythonDoesWhatTheSameInGoDoes(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed; the test plays a protocol in it: ", err)
	}
	play := func(change func(c *sim.Config)) sim.Result {
		c := pushing()
		c.Rounds = 300
		change(&c)
		res, err := sim.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	run := program.NewRun(t.Context(), 1, 300, "../../../docs/examples/python/lab")
	there := play(func(*sim.Config) {})
	here := play(func(c *sim.Config) {
		c.Spec.Protocol = program.ProtocolParams{Command: []string{"python3", "protocol.py"}, Timeout: 60, Every: 20}.In(run)
	})
	if err := run.Close(nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(here.Pulls, there.Pulls) || !reflect.DeepEqual(here.Means, there.Means) || !reflect.DeepEqual(here.Regret, there.Regret) {
		t.Errorf("pulls %v, want %v", here.Pulls, there.Pulls)
	}
	if here.Refused > 0 || here.Messages <= there.Messages { // it passes on what it hears, too
		t.Errorf("%d messages, %d refused; %d of push", here.Messages, here.Refused, there.Messages)
	}
}
