package status

import (
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/node/api"
)

// TestPeersExplainsAPeerWithoutALink: one that is heard through others runs, and the note says so before the reason.
func TestPeersExplainsAPeerWithoutALink(t *testing.T) {
	now := time.Now()
	var w strings.Builder
	Peers(&w, []api.Peer{
		{Name: "linked", Neighbour: true, State: string(gossip.Up), LastSeen: now, LastError: "old"},
		{Name: "heard", Neighbour: true, State: string(gossip.Down), LastSeen: now, LastError: "connection refused"},
		{Name: "lost", Neighbour: true, State: string(gossip.Down), LastSeen: now.Add(-time.Hour), LastError: "connection refused"},
		{Name: "far", State: string(gossip.None), LastSeen: now},
	})
	lines := strings.Split(w.String(), "\n")
	for i, want := range []string{"ago", "it runs, and is heard through others, but not linked: connection refused", "ago  connection refused", "ago"} {
		if got := strings.TrimRight(lines[i+1], " "); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want it to end with %q", got, want)
		}
	}
}
