package network

import (
	"runtime"
	"strings"
	"testing"
)

// TestAStateOfManyObjectsIsRefused before it takes memory: two megabytes of {} would take a gigabyte.
func TestAStateOfManyObjectsIsRefused(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("{},", 700_000), ",")
	for _, list := range []string{"steps", "promises", "votes"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseState([]byte(`{"` + list + `":[` + many + `]}`))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "objects") {
			t.Errorf("%s: %v", list, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<24 {
			t.Errorf("%s: %d bytes were taken", list, took)
		}
	}
	if _, err := ParseState([]byte(`{"steps":[{"a":"{{{\"{{"}]}`)); err == nil || !strings.Contains(err.Error(), "unknown field") {
		t.Error("braces in strings are counted", err)
	}
}
