package status

import (
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestStatusSaysWhatJoiningHasGained in a line.
func TestStatusSaysWhatJoiningHasGained(t *testing.T) {
	g := api.Gain{Sentence: "joining has saved them"}
	var w strings.Builder
	if Status(&w, api.Status{Gain: &g}, nil); !strings.HasSuffix(w.String(), "\njoining has saved them\n") {
		t.Error(w.String())
	}
}
