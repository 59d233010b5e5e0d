package config

import (
	"strings"
	"testing"
)

// TestRawRecordsAreRefused where there are people, by the key and with the way out, and are called not private
// in lockstep.
func TestRawRecordsAreRefused(t *testing.T) {
	const file = "../../../../configs/ldp-fedlinucb.yaml"
	_, err := Load(file, []string{"protocol.batch.decide_from=raw"})
	if err == nil || !strings.Contains(err.Error(), "protocol.batch.decide_from") || !strings.Contains(err.Error(), "want releases or noised-local with mode: live") {
		t.Errorf("%v", err)
	}
	c, err := Load(file, []string{"protocol.batch.decide_from=raw", "mode=lockstep", "seed=1"})
	if err != nil {
		t.Fatal(err)
	}
	if text := c.Description(); !strings.Contains(text, "raw records") || !strings.Contains(text, "not private") {
		t.Error(text)
	}
}
