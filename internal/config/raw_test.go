package config_test

import (
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
)

// TestRawRecordsAreRefused where there are people, by the key and with the way out, and are called not private
// in lockstep.
func TestRawRecordsAreRefused(t *testing.T) {
	for _, x := range []struct{ file, key, raw, instead, follow string }{
		{"ldp-fedlinucb", "protocol.batch.decide_from", "raw", "releases or noised-local", "choices"},
		{"feducb-central", "protocol.batch.schedule", "logdet-raw", "fixed or logdet-private", "messages"},
		{"local-feducb", "protocol.local.schedule", "logdet-raw", "fixed or logdet-private", "messages"},
	} {
		file, set := "../../configs/"+x.file+".yaml", x.key+"="+x.raw
		_, err := plan.Schema().Load(file, []string{set})
		if err == nil || !strings.Contains(err.Error(), x.key) || !strings.Contains(err.Error(), "want "+x.instead+" with mode: live") {
			t.Errorf("%s: %v", x.key, err)
		}
		c, err := plan.Schema().Load(file, []string{set, "mode=lockstep", "seed=1"})
		if err != nil {
			t.Fatal(err)
		}
		if text := c.Description(); !strings.Contains(text, "From raw records follow "+x.follow) || !strings.Contains(text, "not private") {
			t.Error(text)
		}
	}
}
