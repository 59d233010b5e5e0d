package daemon

import (
	"errors"
	"fmt"
	"testing"

	"peerd.dev/node/api"
	"peerd.dev/node/store"
)

// TestStateIsASentence, with the reason that matters most.
func TestStateIsASentence(t *testing.T) {
	full := api.Status{BlockedReason: "an old copy", AloneReason: "no coordinator", Learning: "ended", Notice: "all rounds are over"}
	for _, x := range []struct {
		change             func(d *api.Status)
		ready              error
		neighbours, linked int
		want               string
	}{
		{func(*api.Status) {}, fmt.Errorf("%w: no more files", store.ErrFull), 3, 3, "accepts nothing: the disk is full: no more files"},
		{func(*api.Status) {}, errors.New("starting"), 3, 3, "releases nothing: an old copy"},
		{func(d *api.Status) { d.BlockedReason = "" }, errors.New("starting"), 3, 3, "is not ready: starting"},
		{func(*api.Status) {}, nil, 3, 3, "all rounds are over"},
		{func(d *api.Status) { d.Learning = "learning" }, nil, 3, 3, "learns with what it knows: no coordinator"},
		{func(d *api.Status) { d.AloneReason = "" }, nil, 3, 3, "learns together with 3 of 3 neighbours"},
		{func(*api.Status) {}, nil, 3, 1, "learns together with 1 of 3 neighbours; `peerd peers` says why others are not linked"},
		{func(*api.Status) {}, nil, 3, 0, "learns alone: none of 3 neighbours is linked; `peerd peers` says why"},
		{func(*api.Status) {}, nil, 0, 0, "learns alone: there is no other site in the network"},
		{func(d *api.Status) { d.DocumentNotice = "the network is split: two documents" }, nil, 3, 3, "learns together with 3 of 3 neighbours; the network is split: two documents"},
	} {
		x.change(&full)
		if got := state(&full, x.ready, x.neighbours, x.linked); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
}
