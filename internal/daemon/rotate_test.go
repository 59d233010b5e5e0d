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
	"peerd.dev/node/network"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// TestNoOldFolderReplacesItsKey: a peer states in a rotation how far its ledger is, so it does not ask for one before its neighbours
// have reported that they remember no more.
func TestNoOldFolderReplacesItsKey(t *testing.T) {
	dir := t.TempDir()
	if _, err := Init(config.Site(), []string{"dir=" + filepath.Join(dir, "a"), "arms=[red, green]", "privacy.epsilon=1", "privacy.horizon=1000"}); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "a")
	c, err := config.Site().Load(filepath.Join(dir, config.FileName), nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.Identity()
	if err != nil {
		t.Fatal(err)
	}
	d := network.Document{Version: 1, Name: "clinics", Start: time.Now().UTC().Truncate(time.Second), Every: "1s", Settings: c.SharedSettings(), Links: [][2]int{{0, 1}}}
	for i, id := range []string{id.ID(), gossip.SeedIdentity([32]byte{9}).ID()} {
		d.Peers = append(d.Peers, network.Peer{Name: string(rune('a' + i)), ID: id, Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: network.Present})
	}
	if err = CreateRecord(filepath.Join(dir, config.DocumentName), network.Record{State: network.State{First: d}}); err != nil {
		t.Fatal(err)
	}
	p := &live{place: &place{log: slog.New(slog.DiscardHandler)}}
	if p.deployment, err = NewDeployment(&c.Settings); err != nil {
		t.Fatal(err)
	}
	p.record = p.deployment.Record
	if p.site, err = p.deployment.site(p.log, store.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.site.Close() }()
	wanted := func() (all []network.Change) {
		if err = p.record.With(func(b *network.Book) error { all = b.Record().Wanted; return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if err = p.rotate(); err != nil || wanted() != nil {
		t.Error("without a key: ", err, wanted())
	}
	next, err := gossip.CreateIdentity(filepath.Join(dir, NextKey))
	if err != nil {
		t.Fatal(err)
	}
	if err = p.rotate(); err == nil || !strings.Contains(err.Error(), "waiting for neighbours to report") || wanted() != nil {
		t.Errorf("a site that waits for its neighbours: %v, %v", err, wanted())
	}
	p.site.OnRemembered(1, protocol.Checkpoint{}, true)
	at, open := p.site.Checkpoint()
	for range 2 {
		if err = p.rotate(); err != nil {
			t.Fatal(err)
		}
		if w := wanted(); !open || len(w) != 1 || w[0].ID != next.ID() || *w[0].Ledger != (network.Ledger{Records: at.Records, Head: hex.EncodeToString(at.Head[:])}) {
			t.Errorf("%v wanted of %v", w, at)
		}
	}
}
