package daemon

import (
	"reflect"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// TestWhatIsInsideIsInTheApplicationsUnits: without places that have no action yet, and with 0 where nothing is known.
func TestWhatIsInsideIsInTheApplicationsUnits(t *testing.T) {
	d := Deployment{
		s:       &config.Settings{API: config.API{RewardRange: []float64{-1, 3}}},
		actions: config.Actions{Names: []string{"red", "old", "new", ""}, Absent: []bandit.Arm{1}},
	}
	got := d.inside(&node.Inside{
		Given: 2, Kept: 7, Pending: 1, Pulls: []uint64{5, 4, 0, 0}, Rewards: []float64{4, 0, 0, 0}, Means: []float64{.5, 0, 0, 0}, Estimates: []float64{.75, .25, 0, 0},
	})
	want := api.Inside{Given: 2, Kept: 7, Pending: 1, Actions: []api.InsideAction{
		{Name: "red", Decisions: 5, Rewards: 4, Mean: 1, Estimate: 2}, {Name: "old", Decisions: 4, Retired: true}, {Name: "new"},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
	if got = d.inside(&node.Inside{Kept: 7}); got.Kept != 7 || got.Actions == nil || len(got.Actions) > 0 {
		t.Errorf("by features %#v", got)
	}
}
