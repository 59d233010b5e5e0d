package daemon

import (
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestNoOldFolderReplacesItsKey: a peer states in a rotation how far its ledger is, so it does not ask for one before its neighbours
// have reported that they remember no more.
func TestNoOldFolderReplacesItsKey(t *testing.T) { rotates(t, 1) }

// TestASignersKeyIsNamedFirst in a version: a record alone changes no signer.
func TestASignersKeyIsNamedFirst(t *testing.T) { rotates(t, 0) }

// rotates lets the first of two peers replace its key, of whom the one in a place signs versions.
func rotates(t *testing.T, signer int) {
	dir := t.TempDir()
	require.Value(Init(config.Site(), []string{"dir=" + filepath.Join(dir, "a"), "arms=[red, green]", "privacy.epsilon=1", "privacy.horizon=1000"}, false))(t)
	dir = filepath.Join(dir, "a")
	c := require.Value(config.Site().Load(filepath.Join(dir, config.FileName), nil))(t)
	id, err := c.Identity()
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{id.ID(), gossip.SeedIdentity([32]byte{9}).ID()}
	d := network.Document{Version: 1, Name: "clinics", Start: time.Now().UTC().Truncate(time.Second), Every: "1s", Settings: c.SharedSettings(), Links: [][2]int{{0, 1}}, Signers: []network.Signer{{Name: string(rune('a' + signer)), ID: ids[signer]}}}
	for i, id := range ids {
		d.Peers = append(d.Peers, network.Peer{Name: string(rune('a' + i)), ID: id, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: network.Present})
	}
	require.NoError(t, CreateRecord(filepath.Join(dir, config.DocumentName), network.State{Root: marshal(t, d)}))
	p := liveOf(t, c)
	said := func() *network.Peer {
		d := require.Value(p.record.Newest())(t)
		return &d.Peers[0]
	}
	if err = p.rotate(); err != nil || said().ID != id.ID() {
		t.Error("without a key: ", err, said())
	}
	next := require.Value(gossip.CreateIdentity(filepath.Join(dir, NextKey)))(t)
	if err = p.rotate(); err == nil || !strings.Contains(err.Error(), "waiting for neighbours to report") || said().ID != id.ID() {
		t.Errorf("a site that waits for its neighbours: %v, %v", err, said())
	}
	p.site.OnRemembered(1, protocol.Checkpoint{}, true)
	at, open := p.site.Checkpoint()
	if signer == 0 {
		p.record.roll.Add([]int{1})
		if err = p.rotate(); err != nil || said().ID != id.ID() {
			t.Error("before a version names the next key: ", err, said())
		}
	}
	for range 2 {
		require.NoError(t, p.rotate())
		if x := said(); !open || x.ID != next.ID() || len(x.Closed) != 1 || x.Closed[0].ID != id.ID() || x.Closed[0].Ledger != (network.Ledger{Records: at.Records, Head: hex.EncodeToString(at.Head[:])}) {
			t.Errorf("%v of %v", x, at)
		}
	}
}

// liveOf opens the site of a configuration.
func liveOf(t *testing.T, c *config.Config) *live {
	t.Helper()
	d, err := NewDeployment(&c.Settings)
	if err != nil {
		t.Fatal(err)
	}
	p := &live{place: &place{log: slog.New(slog.DiscardHandler), deployment: d}, record: d.Record}
	p.site = require.Value(d.site(p.log, store.Options{}, nil, nil))(t)
	t.Cleanup(func() { _ = p.site.Close() })
	return p
}

// TestASignerGetsNoKeyThatItsPlaceCannotTake: a version would name the new key, which the peer never has, and no other could follow.
func TestASignerGetsNoKeyThatItsPlaceCannotTake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	require.Value(Init(config.Site(), []string{"dir=" + dir, "arms=[red, green]", "spare_arms=1", "privacy.epsilon=1", "privacy.horizon=1000"}, false))(t)
	c := require.Value(config.Site().Load(filepath.Join(dir, config.FileName), nil))(t)
	id, err := c.Identity()
	if err != nil {
		t.Fatal(err)
	}
	d := network.Document{Version: 1, Name: "clinics", Start: time.Now().UTC().Truncate(time.Second), Every: "1s", Settings: c.SharedSettings(), Signers: []network.Signer{{Name: "a", ID: id.ID()}}}
	d.Every = config.DurationText(c.Rounds.Every)
	d.Peers = []network.Peer{{Name: "a", ID: id.ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/1/p2p/" + id.ID()}, Standing: network.Present}} // of the present key
	require.NoError(t, CreateRecord(filepath.Join(dir, config.DocumentName), network.State{Root: marshal(t, d)}))
	p := liveOf(t, c)
	require.Value(gossip.CreateIdentity(filepath.Join(dir, NextKey)))(t)
	for range 2 {
		if err = p.rotate(); err == nil || !strings.Contains(err.Error(), "another peer's") {
			t.Error(err)
		}
	}
	if err = p.record.With(func(b *network.Book) error {
		return b.Propose(network.Change{Kind: network.Extend, Arm: "blue"}, false)
	}); err != nil {
		t.Error("it does not sign any more: ", err)
	}
}
