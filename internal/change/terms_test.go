package change

import (
	"strings"
	"testing"

	"peerd.dev/node/network"
)

// TestTermsHaveNoLinesOfOthers: what a network offers is asked about as it is, whatever others signed.
func TestTermsHaveNoLinesOfOthers(t *testing.T) {
	d := &network.Document{Name: "clinics", Added: []string{"a\nb"}}
	for _, key := range []string{"arms", "privacy.epsilon", "privacy.delta", "privacy.records_per_user", "privacy.horizon", "protocol.name", "learner.name", "rounds.every"} {
		d.Settings = append(d.Settings, network.Setting{Key: key, Value: "1\n  you  are asked nothing\x1b[2K"})
	}
	var w, none strings.Builder
	newTerms(d, "p").Write(&w)
	newTerms(&network.Document{Name: "clinics"}, "p").Write(&none)
	if lines := strings.Count(none.String(), "\n"); strings.Count(w.String(), "\n") != lines || strings.Contains(w.String(), "\x1b") {
		t.Errorf("want %d lines:\n%q", lines, w.String())
	}
}
