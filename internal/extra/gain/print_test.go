package gain

import (
	"strings"
	"testing"

	"peerd.dev/node/api"
)

// TestTheCommandPrintsRanges, or only the sentence.
func TestTheCommandPrintsRanges(t *testing.T) {
	g := api.Gain{
		Sentence: "joining has saved them", Decisions: 150_000, Simulated: 100_000, Waited: 1200,
		Together: &api.Range{Median: 10, Low: 8, High: 12.25}, Alone: &api.Range{Median: 40, Low: 30, High: 50}, Saved: &api.Range{Median: 30, Low: 18, High: 42},
	}
	var w strings.Builder
	Print(&w, &g)
	for _, want := range []string{
		"joining has saved them\n", "In 150,000 decisions (the first 100,000 of them, alone) these", "10.0 rewards (8.0 to 12.2)\n",
		"40.0 rewards (30.0 to 50.0)\n", "gained by joining                       30.0 rewards (18.0 to 42.0)\n", "1,200 decisions at once.\n",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("no %q in\n%s", want, w.String())
		}
	}
	w.Reset()
	if Print(&w, &api.Gain{Sentence: "not yet"}); w.String() != "not yet\n" {
		t.Error(w.String())
	}
}
