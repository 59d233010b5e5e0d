package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

func testID(i byte) string { return gossip.SeedIdentity([32]byte{i}).ID() }

func TestNetworkFilesReadAsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "network.yaml")
	want := configtest.ThreeSites()
	require.NoError(t, config.WriteNetwork(path, want))
	got := require.Value(config.ReadNetwork(path))(t)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if i, ok := got.Index(testID(1)); i != 1 || !ok {
		t.Errorf("the second peer is %d, %v", i, ok)
	}
	if _, ok := got.Index(testID(9)); ok {
		t.Error("a stranger has a place")
	}
}

func TestBadNetworksAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(n *config.Network){
		`name: "": want 1 to 64 letters`:                            func(n *config.Network) { n.Name = "" },
		"name: a b: want 1 to 64 letters":                           func(n *config.Network) { n.Name = "a b" },
		"start: \"0001-01-01T00:00:00Z\": want the time of round 0": func(n *config.Network) { n.Start = time.Time{} },
		"every: 0s: want a duration":                                func(n *config.Network) { n.Every = 0 },
		"peers: 1: want at least 2":                                 func(n *config.Network) { n.Peers, n.Links = n.Peers[:1], nil },
		"peers[1].name: north: want another name":                   func(n *config.Network) { n.Peers[1].Name = "north" },
		`peers[2].name: "": want a name`:                            func(n *config.Network) { n.Peers[2].Name = "" },
		"peers[0].id: me: want what `peerd id` prints":              func(n *config.Network) { n.Peers[0].ID = "me" },
		"peers[2].id: " + testID(0) + ": want another id":           func(n *config.Network) { n.Peers[2].ID = testID(0) },
		"peers[1].addrs: nowhere: want an address to dial":          func(n *config.Network) { n.Peers[1].Addrs = []string{"nowhere"} },
		"peers[1].addrs: /ip4/10.0.0.1/tcp/0: want":                 func(n *config.Network) { n.Peers[1].Addrs = []string{"/ip4/10.0.0.1/tcp/0"} },
		"peers[1].addrs: [/ip4/10.0.0.1/tcp/1/p2p/":                 func(n *config.Network) { n.Peers[1].Addrs = []string{"/ip4/10.0.0.1/tcp/1/p2p/" + testID(0)} },
		"peers[1].addrs: [/ip4/127.0.0.1/tcp/8472, /ip4/127.0.0.1/tcp/8472, /ip4/127.…: 17 addresses, want at most 16": func(n *config.Network) { n.Peers[1].Addrs = slices.Repeat(n.Peers[1].Addrs, 17) },
		"peers[2].addrs: []: want an address here or at peer 1":                                                        func(n *config.Network) { n.Peers[1].Addrs, n.Peers[2].Addrs = nil, nil },
		"links: [[0, 3]]: edge 0-3: peers are 0..2":                                                                    func(n *config.Network) { n.Links = [][2]int{{0, 3}} },
		"links: [[0, 1], [1, 2], [2, 1]]: edge 1-2: given twice":                                                       func(n *config.Network) { n.Links = append(n.Links, [2]int{2, 1}) },
		"links: [[0, 1]]: want a way from every peer to every other":                                                   func(n *config.Network) { n.Links = n.Links[:1] },
		"links: [[0, 0], [1, 2]]: edge 0-0: a peer cannot be its own":                                                  func(n *config.Network) { n.Links[0] = [2]int{0, 0} },
	} {
		n := configtest.ThreeSites()
		spoil(n)
		path := filepath.Join(t.TempDir(), "network.yaml")
		require.NoError(t, config.WriteNetwork(path, n))
		_, err := config.ReadNetwork(path)
		var refused *config.Refusal
		if !errors.As(err, &refused) || !errors.Is(err, config.ErrRefused) {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if len(refused.Problems) != 1 || !strings.HasPrefix(refused.Problems[0].String(), want) {
			t.Errorf("got  %v\nwant %s", refused.Problems, want)
		}
	}
}

func TestNetworkFilesAreReadStrictly(t *testing.T) {
	for text, want := range map[string]string{
		"nam: x":              "nam: line 1: unknown key",
		"name: x\nevery: 5x":  "line 2: 5x: want a duration such as 1s",
		"start: soon":         "start: soon: want a time such as 2026-01-02T15:04:05Z",
		"links: [[a, 1]]":     "line 1: a: want a peer's index",
		"peers:\n- name: [a]": "want text",
		"a: [":                "line 1: did not find expected node content",
		"":                    "refused: ",
	} {
		path := filepath.Join(t.TempDir(), "network.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := config.ReadNetwork(path)
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, config.ErrRefused) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	if _, err := config.ReadNetwork(filepath.Join(t.TempDir(), "none")); !errors.Is(err, config.ErrRefused) {
		t.Error(err)
	}
}

func TestSettingsThatDoNotSuitTheNetworkAreRefused(t *testing.T) {
	for want, changes := range map[string]map[string]string{
		"":                          {"rounds.every": "1s"},
		"rounds.every: 2s: want 1s": {"rounds.every": "2s"},
		"world.bernoulli.means: [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]]: want at most 3 rows": {"world.bernoulli.means": "[[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]]", "testnet.nodes": "4", "testnet.topology": "path"},
		"protocol.rows.f: 2: want at most 1":                  {"protocol.name": "rows", "protocol.rows.merge": "trimmed", "protocol.rows.f": "2"},
		"protocol.average.f: 1: want more than 2f neighbours": {"protocol.name": "average", "protocol.average.consistency": "robust", "testnet.topology": "complete"},
	} {
		c := require.Value(plan.Schema().Load(configtest.Write(t, configtest.Good(changes)), nil))(t)
		problems := c.CheckNetwork(configtest.ThreeSites())
		switch {
		case want == "" && len(problems) > 0:
			t.Error(problems)
		case want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0].String(), want)):
			t.Errorf("got  %v\nwant %s", problems, want)
		}
	}
}
