package api

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRequestsMayKeepDecisions: alone and in a batch, and without the field nothing is kept.
func TestRequestsMayKeepDecisions(t *testing.T) {
	f := newFake()
	r := run(t, f)
	for path, body := range map[string]string{"/v1/decisions": `{"keep":%}`, "/v1/decisions/batch": `{"decisions":[{"keep":%}]}`} {
		for _, keep := range []bool{true, false} {
			text, _ := json.Marshal(keep)
			code, _, got := r.ask(t, path, strings.ReplaceAll(body, "%", string(text)))
			if code != 200 || f.asked[0].Keep != keep || strings.Contains(got, `"kept":true`) != keep {
				t.Errorf("%s %s: %d %s", path, text, code, got)
			}
		}
	}
	if code, _, got := r.ask(t, "/v1/decisions", `{}`); code != 200 || f.asked[0].Keep || strings.Contains(got, "kept") {
		t.Errorf("%d %s", code, got)
	}
}
