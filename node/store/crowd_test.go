package store

import (
	"testing"
	"time"
)

// TestOnlyACrowdWaits: syncs pause only while batches come faster than 4,000 in a second.
func TestOnlyACrowdWaits(t *testing.T) {
	for _, c := range []struct {
		gap    time.Duration // between batches
		after  time.Duration // from the last one
		pauses bool
	}{
		{100 * time.Microsecond, 0, true},
		{240 * time.Microsecond, 0, true},
		{260 * time.Microsecond, 0, false},
		{time.Millisecond, 0, false},
		{100 * time.Microsecond, 100 * time.Millisecond, false},
	} {
		var x crowd
		at := time.Unix(1e9, 0)
		for n := range uint64(3 * crowdCount) {
			if n < crowdCount && x.pause(at) != 0 {
				t.Fatalf("%v: a pause before a rate is known", c.gap)
			}
			at = at.Add(c.gap)
			x.count(n+1, at)
		}
		if got := x.pause(at.Add(c.after)) > 0; got != c.pauses {
			t.Errorf("one every %v, %v after: pauses is %v", c.gap, c.after, got)
		}
	}
}
