package ports

import (
	"net"
	"slices"
	"strconv"
	"testing"

	"peerd.dev/internal/require"
)

// TestPortsAreFree: no port is returned twice, while it is in use, or from the range that the
// system assigns.
func TestPortsAreFree(t *testing.T) {
	l := require.Value(net.Listen("tcp4", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	if port := l.Addr().(*net.TCPAddr).Port; port <= lastPort {
		t.Skipf("this system hands out port %d", port)
	}
	var all []int
	for range 20 {
		some := require.Value(Free(5))(t)
		next := some[4] + 1
		if taken, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(next)); err == nil {
			defer func() { _ = taken.Close() }()
			all = append(all, next)
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	if len(slices.Compact(all)) < 100 || all[0] < firstPort || all[len(all)-1] > lastPort {
		t.Errorf("ports %v", all)
	}
}
