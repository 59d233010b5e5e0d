package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/decisions"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/api/client"
)

// TestASiteThatKeepsDecisions shows its own people what is inside, in answers, /v1/inside, status, exports and evaluations; nothing of a
// kept decision is in the public status, nor counted by a metric.
func TestASiteThatKeepsDecisions(t *testing.T) {
	dir := aSite(t, "arms=red,green", "privacy.answers=inside", "give.sites=10", "api.window=1s", "learner.explore=0.3")
	peer := served(t, dir)
	const n = 120
	given := 0
	for i := range n {
		ask := client.Ask{ID: fmt.Sprint("d-", i), Subject: fmt.Sprint("user-", i), Keep: i%2 == 0}
		d, err := peer.Decide(t.Context(), ask)
		if err != nil || ask.Keep && !d.Kept || !d.Counted {
			t.Fatalf("%+v, %v", d, err)
		}
		if !d.Kept {
			given++
		}
		require.Value(peer.Reward(t.Context(), d.ID, map[string]float64{"red": .25, "green": .75}[d.Action]))(t)
	}
	var in api.Inside
	eventually(t, "rewards are learned from", func() bool {
		return api.Get(t.Context(), dir, "/v1/inside", &in) == nil && in.Pending == 0
	})
	if in.Given != uint64(given) || in.Given+in.Kept != n || in.Actions[0].Decisions+in.Actions[1].Decisions != n || in.Actions[0].Mean != .25 || in.Actions[1].Mean != .75 {
		t.Errorf("%d were given; %#v, %d and %d", given, in, in.Given, in.Kept)
	}
	if public, err := daemon.AskStatus(t.Context(), dir); err != nil || public.Gain != nil || in.Gain == nil || in.Gain.Sentence == "" {
		t.Errorf("gain is public as %+v, and inside %+v: %v", public.Gain, in.Gain, err)
	} else if c, stdout, stderr := peerd(t, "gain", "--dir", dir); c != exitOK || stdout != in.Gain.Sentence+"\n" {
		t.Errorf("peerd gain: code %d, %q, %q, want %q", c, stdout, stderr, in.Gain.Sentence)
	}
	_, status, _ := peerd(t, "status", "--dir", dir)
	if !regexp.MustCompile(fmt.Sprintf(`\ninside: %d decisions, %d of them given; (red|green) 0\.[27]5 \(\d+ rewards\), `, n, given)).MatchString(status) {
		t.Error(status)
	}
	var metrics bytes.Buffer
	require.NoError(t, api.Download(t.Context(), dir, "/metrics", &metrics))
	for _, name := range []string{"/v1/decisions", "peerd_api_decisions_total{", "peerd_store_commit", "peerd_store_memory"} {
		if strings.Contains(metrics.String(), name) {
			t.Errorf("a metric has %s", name)
		}
	}
	file := filepath.Join(dir, "d.jsonl")
	if c, _, stderr := peerd(t, "decisions", "export", "--dir", dir, "-o", file, "--format", "jsonl"); c != exitOK {
		t.Fatal(stderr)
	}
	b := require.Value(os.ReadFile(file))(t)
	kept, possible := uint64(0), 0
	for line := range bytes.Lines(b) {
		var r decisions.Row
		require.NoError(t, json.Unmarshal(line, &r))
		if r.Kept {
			kept++
			if r.PScore > 0 && r.PScore < 1 {
				possible++
			}
		}
	}
	if kept != in.Kept || possible < n/4 {
		t.Errorf("%d rows are kept, %d of them weigh", kept, possible)
	}
}
