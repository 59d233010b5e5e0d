package status

import (
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/node/api"
)

// TestPeersExplainsAPeerWithoutALink: one that is heard through others runs, and the note says so before the reason. Gifts follow.
func TestPeersExplainsAPeerWithoutALink(t *testing.T) {
	now := time.Now()
	var w strings.Builder
	Peers(&w, []api.Peer{
		{Name: "withdrawn-1", LastError: api.Left},
		{Name: "linked", Neighbour: true, State: string(gossip.Up), LastSeen: now, LastError: "old", Given: 1234},
		{Name: "heard", Neighbour: true, State: string(gossip.Down), LastSeen: now, LastError: "connection refused", Given: 5, Gives: "gives less than the network asks (5 of 100)"},
		{Name: "lost", Neighbour: true, State: string(gossip.Down), LastSeen: now.Add(-time.Hour), LastError: "connection refused"},
		{Name: "far", State: string(gossip.None), LastSeen: now, Gives: "no released reward is known here"},
		{Name: "own", State: "self", LastSeen: now, Given: 7},
	})
	lines := strings.Split(w.String(), "\n")
	for i, want := range []string{"ago      1,234", "it runs, and is heard through others, but not linked: connection refused; gives less than the network asks (5 of 100)", "ago  -      connection refused", "ago      -      no released reward is known here", "ago      7"} {
		if got := strings.TrimRight(lines[i+1], " "); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want it to end with %q", got, want)
		}
	}
}
