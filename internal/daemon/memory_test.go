package daemon

import "testing"

func TestTheHeapGrowsByAsMuchAsIsLive(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 6 << 20: 400, 16 << 20: 200, 32 << 20: 100, 1 << 40: 100} {
		if got := growth(live); got != want {
			t.Errorf("with %d bytes in use the heap grows by %d percent, want %d", live, got, want)
		}
	}
}
