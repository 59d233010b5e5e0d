package change

import (
	"slices"
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

// TestLinksAreAsTheyWillBe once all that are invited have joined: around a peer that is gone. A new peer gets neighbours with the fewest.
func TestLinksAreAsTheyWillBe(t *testing.T) {
	d := &network.Document{Links: [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 5}, {5, 6}, {2, 7}}}
	for _, name := range strings.Split("abcdefgh", "") {
		d.Peers = append(d.Peers, network.Peer{Name: name, Standing: network.Present, Addrs: []string{"/ip4/192.0.2.1/tcp/1"}})
	}
	d.Peers[0].Standing, d.Peers[6].Standing, d.Peers[7].Addrs = network.Gone, network.Invited, []string{"/ip4/0.0.0.0/tcp/1"}
	if got := fewest(d); !slices.Equal(got, []string{"d", "e", "f", "b"}) { // of 2, 2, 2 and 3 links; h cannot be reached
		t.Error(got)
	}
	if got := newTerms(d, "c").Links; !slices.Equal(slices.Sorted(slices.Values(got)), []string{"b", "d", "h"}) {
		t.Error(got)
	}
}

// TestAPrivateAddressIsNamed where the network was not reached in a private one: others outside could never dial it.
func TestAPrivateAddressIsNamed(t *testing.T) {
	for addr, named := range map[string]bool{"/ip4/10.0.2.2/tcp/8471": true, "/ip6/fd00::1/tcp/8471": true, "/ip4/192.0.2.1/tcp/8471": false, "/dns4/a.example/tcp/8471": false} {
		far, near := Terms{Addrs: []string{"/ip4/198.51.100.1/tcp/1", addr}}, Terms{Addrs: []string{addr}, near: true}
		if strings.Contains(far.Reached(), "private") != named || strings.Contains(near.Reached(), "private") {
			t.Errorf("%s; %s", far.Reached(), near.Reached())
		}
	}
}
