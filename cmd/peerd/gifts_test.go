package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/node/api"
)

// TestWhatEachMemberGivesIsSeen: of three sites that join a network which asks for rewards, one decides nothing. All peers see
// what each has given; a member that has left is not asked, and what is asked can change.
func TestWhatEachMemberGivesIsSeen(t *testing.T) {
	root := peerdtest.Dir(t)
	dir := func(name string) string { return filepath.Join(root, name) }
	addrs := freeAddrs(t, 3)
	world := []string{"--set", "world.kind=bernoulli", "--set", "world.bernoulli.means=[[0.9, 0.1]]"}
	does(t, append([]string{"init", "--dir", dir("a"), "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "rounds.every=50ms", "--set", "give.least=8", "--set", "listen=[" + addrs[0] + "]"}, world...)...)
	if said := does(t, "network", "new", "--dir", dir("a"), "--name", "clinics", "--peer", "a", "--addr", addrs[0]); !strings.Contains(said, "\nasks each site to release 8 rewards or more\n") {
		t.Errorf("network new says\n%s", said)
	}
	runs(t, dir("a"))
	for i, name := range []string{"b", "c"} {
		var token string
		eventually(t, "an invitation", func() bool {
			c, stdout, _ := peerd(t, "network", "invite", name, "--dir", dir("a"))
			token = strings.TrimSpace(stdout)
			return c == exitOK
		})
		plays := world
		if name == "c" { // its application never asks
			plays = nil
		}
		c, _, stderr := peerd(t, append([]string{"join", token, "--yes", "--dir", dir(name), "--listen", addrs[i+1], "--addr", addrs[i+1]}, plays...)...)
		if c != exitOK || !strings.Contains(stderr, "\n  asks     that each site releases 8 rewards or more; all sites see how many each has released\n") {
			t.Fatalf("join: code %d\n%s", c, stderr)
		}
		runs(t, dir(name))
	}
	const unknown = "no released reward is known here, and the network asks for 8"
	peers := func(at string) (all []api.Peer) {
		if _, stdout, _ := peerd(t, "peers", "--dir", dir(at), "--json"); json.Unmarshal([]byte(stdout), &all) != nil || len(all) != 3 {
			return make([]api.Peer, 3)
		}
		return all
	}
	for i, at := range []string{"a", "b", "c"} {
		eventually(t, "what all have given, at "+at, func() bool {
			x := peers(at)
			return x[0].Given >= 8 && x[1].Given >= 8 && x[2].Given == 0 && x[0].Gives == "" && x[1].Gives == "" && x[2].Gives == unknown && x[i].State == "self" && x[i].Name == at
		})
	}
	does(t, "network", "set", "give.least", "1000000000", "--dir", dir("a"))
	eventually(t, "that all give less than is asked", func() bool {
		_, stdout, _ := peerd(t, "peers", "--dir", dir("b"))
		return strings.Count(stdout, "gives less than the network asks (") == 2 && strings.Contains(stdout, " of 1,000,000,000)") && strings.Count(stdout, "no released reward") == 1
	})
	_, stdout, _ := peerd(t, "peers", "--dir", dir("b"))
	t.Logf("peerd peers\n%s", stdout)
	does(t, "network", "remove", "b", "--dir", dir("a"))
	eventually(t, "that a former member is not asked", func() bool {
		x := peers("a")
		return x[0].Gives != "" && x[1].Gives == "" && x[1].Given == 0 && x[2].Gives != ""
	})
	does(t, "network", "set", "give.least", "0", "--dir", dir("a"))
	eventually(t, "that nothing is asked", func() bool {
		x := peers("c")
		d, err := daemon.AskStatus(t.Context(), dir("c"))
		return err == nil && d.Gives == "" && x[0].Given >= 8 && !slices.ContainsFunc(x, func(p api.Peer) bool { return p.Gives != "" })
	})
}
