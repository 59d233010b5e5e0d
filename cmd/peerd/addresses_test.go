package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/change"
	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
)

// TestAnAddressThatNobodyCanDialIsRefused by every command that takes one, before anything is signed or made.
func TestAnAddressThatNobodyCanDialIsRefused(t *testing.T) {
	b := require.Value(os.ReadFile("testdata/addresses.txt"))(t)
	root := t.TempDir()
	dir, fresh := filepath.Join(root, "a"), filepath.Join(root, "b")
	for _, d := range []string{dir, fresh} {
		does(t, "init", "--dir", d, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1")
	}
	found := []string{"network", "new", "--name", "clinics", "--peer", "a", "--dir"}
	does(t, append(found, dir, "--addr", "/ip4/192.0.2.1/tcp/8471")...)
	does(t, "network", "invite", "b", "--dir", dir)
	before := does(t, "network", "show", "--dir", dir)
	id := gossip.SeedIdentity([32]byte{7}).ID()
	token := (&change.Invitation{Until: time.Now().Add(time.Hour), Network: "x", Name: "c", With: gossip.PeerInfo{ID: id, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}}}).Token()
	refused := func(want string, c code, args ...string) {
		t.Helper()
		if got, _, stderr := peerd(t, args...); got != c || !strings.Contains(stderr, want) {
			t.Errorf("peerd %q: code %d, want %d\n%s\nwant %s", args, got, c, stderr, want)
		}
	}
	good := &config.Network{Peers: []config.Member{{Name: "a", ID: id, Addrs: []string{"/ip4/192.0.2.1/tcp/8471"}}}}
	if problems := good.ValidatePeers(); problems != nil {
		t.Fatal(problems)
	}
	for addr := range strings.Lines(string(b)) {
		addr = strings.TrimSuffix(addr, "\n")
		want := map[string]string{
			"/ip4/0.0.0.0/tcp/8471": "0.0.0.0 means every address of this machine; others need one that reaches it", "/ip6/::/tcp/8471": ":: means every address of this machine",
			"/ip6/fe80::1/tcp/8471": "fe80::1 reaches this machine from its own link only; others need one that reaches it", "/dns4/a b/tcp/8471": `"a b" is no name of a machine`,
		}[addr] // others say what their kind is
		for _, args := range [][]string{
			append(found, fresh), {"network", "move", "--dir", dir}, {"join", token, "--yes", "--dir", filepath.Join(root, "c")},
		} {
			refused(want, exitConfig, append(args, "--addr", addr)...)
		}
		if problems := (&config.Network{Peers: []config.Member{{Name: "a", ID: id, Addrs: []string{addr}}}}).ValidatePeers(); len(problems) != 1 {
			t.Errorf("a document with %s: %v", addr, problems)
		}
	}
	for _, args := range [][]string{append(found, fresh), {"network", "move", "--dir", dir}} {
		refused("want --addr, at which others dial this peer", exitUsage, args...)
	}
	for _, none := range []string{filepath.Join(fresh, "network.json"), filepath.Join(root, "c")} {
		if _, err := os.Stat(none); err == nil {
			t.Error(none, "was made")
		}
	}
	if after := does(t, "network", "show", "--dir", dir); after != before {
		t.Errorf("the document has changed:\n%s", after)
	}
}

// TestAnAddressOfAnEarlierBuildKeepsNobodyFromMoving: a document has addresses that an earlier build accepted. Doctor names this peer's, its
// invitations are refused until it has moved, and the other peer's stands in no way.
func TestAnAddressOfAnEarlierBuildKeepsNobodyFromMoving(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	does(t, "init", "--dir", dir, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1")
	does(t, "network", "new", "--name", "clinics", "--peer", "a", "--dir", dir, "--addr", "/ip4/192.0.2.1/tcp/8471")
	path := filepath.Join(dir, "network.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var state network.State
	var d network.Document
	require.NoError(t, errors.Join(json.Unmarshal(b, &state), json.Unmarshal(state.Root, &d)))
	d.Peers[0].Addrs = []string{"/ip4/0.0.0.0/tcp/8471"}
	d.Peers = append(d.Peers, network.Peer{Name: "b", ID: gossip.SeedIdentity([32]byte{7}).ID(), Addrs: []string{"/ip6/::/tcp/8471"}, Standing: network.Present})
	d.Links = [][2]int{{0, 1}}
	if state.Root, err = json.Marshal(d); err == nil {
		b, err = json.Marshal(state)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, stdout, _ := peerd(t, "doctor", "--dir", dir); !strings.Contains(stdout, "0.0.0.0 means every address") || !strings.Contains(stdout, "peerd network move --addr") {
		t.Errorf("doctor does not say it:\n%s", stdout)
	}
	if c, _, stderr := peerd(t, "network", "invite", "c", "--dir", dir); c == exitOK || !strings.Contains(stderr, "run `peerd network move --addr` first") {
		t.Errorf("invite: code %d, %s", c, stderr)
	}
	if stdout := does(t, "network", "move", "--addr", "/ip4/192.0.2.1/tcp/8471", "--dir", dir); !strings.Contains(stdout, " /ip4/192.0.2.1/tcp/8471\n") {
		t.Errorf("move:\n%s", stdout)
	}
}
