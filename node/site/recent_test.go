package site

import (
	"fmt"
	"testing"
)

// TestRecentIsBounded: the newest decisions are kept, however many there are and whatever was
// settled before.
func TestRecentIsBounded(t *testing.T) {
	var r recent
	id := func(i int) string { return fmt.Sprint(i) }
	const n = 2*recentSize + 100
	for i := range n {
		r.put(id(i), []byte{byte(i)})
		r.put(id(i), []byte{byte(i + 1)}) // its reward
		if i%3 == 0 {
			r.drop(id(i))
		}
	}
	if len(r.of) > recentSize || len(r.ring) != recentSize {
		t.Errorf("%d are kept, in a ring of %d", len(r.of), len(r.ring))
	}
	for i := range n {
		v, kept := r.of[id(i)]
		if want := i%3 != 0 && i >= n-recentSize; kept != want || kept && v[0] != byte(i+1) {
			t.Fatalf("%d of %d: kept is %v", i, n, kept)
		}
	}
}
