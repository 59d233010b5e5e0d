package daemon

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
)

// TestTheDocumentsNotice: a split network, one that cannot change while signers are away, and a
// change that waits for this peer.
func TestTheDocumentsNotice(t *testing.T) {
	now := time.Now()
	d := network.Document{Version: 1, Name: "clinics", Start: now.UTC(), Every: "1s", Links: [][2]int{{0, 1}, {0, 2}}}
	for i, name := range []string{"a", "b", "c"} {
		id := config.LockstepIdentity(uint64(i)).ID()
		d.Peers = append(d.Peers, network.Peer{Name: name, ID: id, Addrs: []string{"/ip4/192.0.2.1/tcp/1"}, Standing: network.Present})
		d.Signers = append(d.Signers, network.Signer{Name: name, ID: id})
	}
	s := network.State{Root: marshal(t, d)}
	open := func() *network.Book {
		id := config.LockstepIdentity(0)
		return require.Value(network.Open(network.Config{Keys: Keys(id), ID: id.ID(), Keep: func(network.State) error { return nil }, Roll: new(network.Roll)}, s))(t)
	}
	h := heard{now: func() time.Time { return now }, since: now.Add(-time.Minute)}
	current := false
	var fork *network.Fork
	says := func(b *network.Book, parts ...string) {
		t.Helper()
		text := h.document(b, fork, 0, current)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q does not say %q", text, part)
			}
		}
		if len(parts) == 0 && text != "" {
			t.Errorf("%q", text)
		}
	}
	b := open()
	says(b)
	if err := b.Propose(network.Change{Kind: network.Extend, Arm: "blue"}, false); !errors.Is(err, network.ErrWaits) {
		t.Fatal(err)
	}
	other := config.LockstepIdentity(1)
	with, err := network.Open(network.Config{Keys: Keys(other), ID: other.ID(), Keep: func(network.State) error { return nil }}, s)
	if err = errors.Join(err, with.Propose(network.Change{Kind: network.Extend, Arm: "blue"}, false), show(b, with)); err != nil {
		t.Fatal(err)
	}
	says(b, "this peer signs once it has heard b, c")
	current = true
	says(b)
	current = false
	h.since = now.Add(-5 * time.Hour)
	h.note([]gossip.PeerStatus{{Peer: 1, LastSeen: now.Add(-3 * time.Hour)}})
	says(b, "the network cannot change: 2 of 3 signers have to sign", "b, last heard 3 hours ago; c, not heard since this peer started, 5 hours ago", "docs/network.md#signers")
	h.note([]gossip.PeerStatus{{Peer: 1, LastSeen: now}})
	says(b, "a change of the network waits")
	fork = &network.Fork{Version: 9, Ours: "aaaaaaaaaaaaaaaa", Theirs: "bbbbbbbbbbbbbbbb", Both: []string{"b"}}
	says(open(), "the network is split: two versions 9 of the network have enough signatures, aaaaaaaaaaaa here and bbbbbbbbbbbb; both are signed by b")
}

// TestWhatAMemberSignsIsItsFault: a peer asks that others dial it by the id of another peer. It is counted for that peer, also
// if another one shows the record, which is not kept.
func TestWhatAMemberSignsIsItsFault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	made := require.Value(Init(config.Site(), []string{"dir=" + dir, "arms=[red, green]", "privacy.epsilon=1"}, false))(t)
	c, err := config.Site().Load(dir+"/"+config.FileName, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &c.Settings
	liar := config.LockstepIdentity(7)
	first := network.State{Root: marshal(t, network.Document{
		Version: 1, Name: "clinics", Start: time.Now().UTC(), Every: config.DurationText(s.Rounds.Every), Settings: s.SharedSettings(), Links: [][2]int{{0, 1}},
		Signers: []network.Signer{{Name: "a", ID: made.ID}},
		Peers: []network.Peer{
			{Name: "a", ID: made.ID, Addrs: []string{"/ip4/192.0.2.1/tcp/1"}, Standing: network.Present},
			{Name: "b", ID: liar.ID(), Addrs: []string{"/ip4/192.0.2.2/tcp/1"}, Standing: network.Present},
		},
	})}
	require.NoError(t, CreateRecord(dir+"/"+config.DocumentName, first))
	id := require.Value(s.Identity())(t)
	record := require.Value(OpenRecord(s, id))(t)
	book := require.Value(network.Open(network.Config{Keys: Keys(liar), ID: liar.ID(), Keep: func(network.State) error { return nil }}, first))(t)
	require.NoError(t, book.Say(1, nil, func(o *network.Own) { o.Addrs = []string{"/ip4/192.0.2.2/tcp/1/p2p/" + made.ID} }))
	summary := require.Value(record.Summary())(t)
	frames, err := book.Lacks(summary)
	lie := new(gossip.Lie)
	if merged := record.Merge(frames); err != nil || len(frames) != 1 || !errors.As(merged, &lie) || lie.Of != 1 || !strings.Contains(merged.Error(), "b: its record is what no peer could go on with") {
		t.Errorf("%d frames: %v, %v", len(frames), merged, err)
	}
	if d, err := record.Newest(); err != nil || d.Peers[1].Addrs[0] != "/ip4/192.0.2.2/tcp/1" {
		t.Errorf("it is kept: %v, %v", d.Peers[1], err)
	}
}

// TestAForkIsSaid: an admin has signed two versions of one number. Both ends go on with what they have, and each keeps what it was shown.
func TestAForkIsSaid(t *testing.T) {
	dir, id, admin := t.TempDir(), config.LockstepIdentity(0), config.LockstepIdentity(1)
	made := require.Value(Init(config.Site(), []string{"dir=" + dir + "/a", "arms=[red, green]", "spare_arms=2", "privacy.epsilon=1"}, false))(t)
	c, err := config.Site().Load(made.Dir+"/"+config.FileName, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := network.State{Root: marshal(t, network.Document{
		Version: 1, Name: "clinics", Start: time.Now().UTC(), Every: "1s", Settings: c.SharedSettings(), Links: [][2]int{{0, 1}}, Signers: []network.Signer{{Name: "b", ID: admin.ID()}},
		Peers: []network.Peer{{Name: "a", ID: id.ID(), Addrs: []string{"/ip4/192.0.2.1/tcp/1"}, Standing: network.Present}, {Name: "b", ID: admin.ID(), Addrs: []string{"/ip4/192.0.2.2/tcp/1"}, Standing: network.Present}},
	})}
	require.NoError(t, CreateRecord(made.Dir+"/"+config.DocumentName, first))
	record := require.Value(OpenRecord(&c.Settings, id))(t)
	for _, arm := range []string{"blue", "white"} {
		book, err := network.Open(network.Config{Keys: Keys(admin), ID: admin.ID(), Keep: func(network.State) error { return nil }}, first)
		require.NoError(t, errors.Join(err, book.Propose(network.Change{Kind: network.Extend, Arm: arm}, false)))
		frames, err := book.Lacks(nil)
		if err = errors.Join(err, record.Merge(frames)); err != nil {
			t.Error(err)
		}
	}
	if d, err := record.Newest(); err != nil || d.Added[0] != "blue" || record.Fork() == nil || record.Fork().Both[0] != "b" {
		t.Error(err, d.Added, record.Fork())
	}
}
