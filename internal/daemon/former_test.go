package daemon

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// past is a network of a, b, c and d in which much has been replaced: b signed versions once, c was removed, d joined with a token,
// and a has another key since its ledger had ten records.
type past struct {
	t      *testing.T
	keys   map[string]gossip.Identity
	state  network.State // of the newest version
	a, d   *network.Book
	stated protocol.Checkpoint
}

func (p *past) book(key string, s network.State) *network.Book {
	p.t.Helper()
	b, err := network.Open(network.Config{Keys: Keys(p.keys[key]), ID: p.keys[key].ID(), Keep: func(network.State) error { return nil }}, s)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// show shows a book what another one has.
func show(to, from *network.Book) error {
	frames, err := from.Lacks(to.Summary())
	if err != nil {
		return err
	}
	return to.Merge(frames)
}

func newPast(t *testing.T) *past {
	t.Helper()
	p := &past{t: t, keys: make(map[string]gossip.Identity), stated: protocol.Checkpoint{Records: 10, Head: [32]byte{10}}}
	for i, name := range []string{"a", "b", "c", "token", "a2", "d"} {
		p.keys[name] = gossip.SeedIdentity([32]byte{byte(i + 1)})
	}
	first := network.Document{Version: 1, Name: "clinics", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s", Signers: []network.Signer{{Name: "a", ID: p.keys["a"].ID()}, {Name: "b", ID: p.keys["b"].ID()}}}
	for i, name := range []string{"a", "b", "c", "token"} {
		first.Peers = append(first.Peers, network.Peer{Name: name, ID: p.keys[name].ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: network.Present})
		for j := range i {
			first.Links = append(first.Links, [2]int{j, i})
		}
	}
	first.Peers[3].Name, first.Peers[3].Standing = "d", network.Invited
	begin := network.State{Root: marshal(t, first)}
	a, b, d := p.book("a", begin), p.book("b", begin), p.book("token", begin)
	follows := func(of *network.Book, key string, l *network.Ledger) {
		t.Helper()
		require.NoError(t, of.Say(1, Keys(p.keys[key]), func(o *network.Own) {
			o.Addrs, o.Keys = []string{"/ip4/127.0.0.1/tcp/2"}, append(o.Keys, network.Key{ID: p.keys[key].ID(), Ledger: l})
		}))
	}
	follows(d, "d", nil)
	admins := func(id string) network.Change {
		return network.Change{Kind: network.Govern, Signers: []network.Signer{{Name: "a", ID: p.keys[id].ID()}}}
	}
	require.NoError(t, errors.Join(show(a, d), a.Propose(admins("a"), false), show(b, a), b.Sign(b.Proposed()[0].Hash, false), show(a, b), a.Propose(network.Change{Kind: network.Remove, Peer: "c"}, false), a.Propose(admins("a2"), false)))
	follows(a, "a2", &network.Ledger{Records: 10, Head: "0a" + strings.Repeat("00", 31)})
	p.state = a.State()
	p.a, p.d = p.book("a2", p.state), p.book("d", p.state)
	return p
}

func marshal(t *testing.T, x any) []byte {
	t.Helper()
	return require.Value(json.Marshal(x))(t)
}

// version returns the frame of a version that adds an action, after one with a number and a hash, with the signatures of keys at places.
func (p *past) version(after uint64, parent string, by ...string) []byte {
	v := network.Version{Text: marshal(p.t, network.Step{Number: after + 1, Parent: parent, Change: network.Change{Kind: network.Extend, Arm: "forged"}})}
	for i, key := range by {
		sig, err := Keys(p.keys[key]).Sign(append([]byte("version\x00"), v.Text...))
		if err != nil {
			p.t.Fatal(err)
		}
		v.Sigs = append(v.Sigs, network.Signature{Place: i, Sig: sig})
	}
	return append([]byte("v"), marshal(p.t, v)...)
}

// shows returns what a book believes after it was shown frames: nothing new, or what.
func (p *past) shows(b *network.Book, frames ...[]byte) string {
	was := b.Newest().Hash()
	_ = b.Merge(frames) // what is refused counts for nothing
	if b.Newest().Hash() != was {
		return "another document"
	}
	return "nothing"
}

// remembered returns what a checkpoint of a counts for at a, whose ledger has 12 records, if d shows it.
func (p *past) remembered(of protocol.Peer, key string, c protocol.Checkpoint) string {
	p.t.Helper()
	d := p.a.Newest()
	s := protocol.SignedCheckpoint{Checkpoint: c}
	covered := append(binary.BigEndian.AppendUint64([]byte("clinics\x00"), c.Records), c.Head[:]...)
	sig, err := p.keys[key].Sign("peerd/checkpoint/1", covered)
	if err != nil {
		p.t.Fatal(err)
	}
	copy(s.Signature[:], sig)
	n := p.network()
	config := gossip.Config{Identity: p.keys["a2"], Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Self: 0, Peers: n, Network: "clinics", Checkpoints: true}
	counts := "nothing"
	other := config
	config.Checkpoint = protocol.Checkpoint{Records: 12, Head: [32]byte{12}}
	config.Holds = func(_ protocol.Peer, x protocol.Checkpoint) bool { return x.Head == [32]byte{byte(x.Records)} }
	config.OnMemory = func(_ protocol.Peer, x protocol.Checkpoint) {
		if x.Records > config.Checkpoint.Records {
			counts = "an alarm"
		}
	}
	config.OnFork = func(protocol.Peer, []protocol.SignedCheckpoint) { counts = "evidence" }
	config.OnCheckpoint = func(of protocol.Peer, x protocol.SignedCheckpoint) {
		if of != 3 {
			counts = "a memory"
		}
	}
	other.Identity, other.Self, other.Known = p.keys["d"], 3, make([]protocol.SignedCheckpoint, len(d.Peers))
	other.Known[of] = s
	b, err := gossip.NewHost(other)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	config.Peers[3].Addrs = b.Addrs()
	a, err := gossip.NewHost(config)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if err = a.TradeMemories(p.t.Context(), 3); err != nil {
		p.t.Fatal(err)
	}
	return counts
}

// network returns the peers of the newest version in the form of package gossip.
func (p *past) network() (all []gossip.PeerInfo) {
	for _, x := range p.a.Newest().Peers {
		info := gossip.PeerInfo{Name: x.Name, ID: x.ID, Former: x.Former, Absent: x.Standing == network.Gone, Gone: x.Standing == network.Gone}
		for _, k := range x.Closed {
			info.Closed = append(info.Closed, gossip.Closed{ID: k.ID, Ledger: p.stated})
		}
		all = append(all, info)
	}
	return all
}

// TestWhatFormerKeysSignCountsForNothing: all that can be signed with a replaced key, an invitation's, a removed member's and a former
// admin's, and what it counts for.
func TestWhatFormerKeysSignCountsForNothing(t *testing.T) {
	for what, c := range map[string]struct {
		of    func(p *past) string
		wants string
	}{
		"a version by the replaced key of the only admin": {func(p *past) string {
			head, _ := p.d.Head()
			return p.shows(p.d, p.version(4, head, "a"))
		}, "nothing"},
		"for comparison, a version by the key that is used": {func(p *past) string {
			head, _ := p.d.Head()
			return p.shows(p.book("d", p.state), p.version(4, head, "a2"))
		}, "another document"},
		"a checkpoint beyond what was stated": {func(p *past) string { return p.remembered(0, "a", protocol.Checkpoint{Records: 1 << 40}) }, "nothing"},
		"a checkpoint of one record more, on the ledger": {func(p *past) string {
			return p.remembered(0, "a", protocol.Checkpoint{Records: 11, Head: [32]byte{11}})
		}, "nothing"},
		"a checkpoint that was stated":                         {func(p *past) string { return p.remembered(0, "a", p.stated) }, "nothing"},
		"a checkpoint before, that is not on the ledger":       {func(p *past) string { return p.remembered(0, "a", protocol.Checkpoint{Records: 9}) }, "evidence"}, // that blocks nothing
		"a checkpoint by the key of an invitation":             {func(p *past) string { return p.remembered(3, "token", protocol.Checkpoint{Records: 1 << 40}) }, "nothing"},
		"a checkpoint of another member by the replaced key":   {func(p *past) string { return p.remembered(1, "a", protocol.Checkpoint{Records: 9}) }, "nothing"},
		"a checkpoint of its own ledger, by a removed member":  {func(p *past) string { return p.remembered(2, "c", protocol.Checkpoint{Records: 9}) }, "a memory"}, // of itself, for which no peer waits
		"a checkpoint of another member, by a removed member":  {func(p *past) string { return p.remembered(0, "c", protocol.Checkpoint{Records: 1 << 40}) }, "nothing"},
		"for comparison, a checkpoint by the key that is used": {func(p *past) string { return p.remembered(0, "a2", protocol.Checkpoint{Records: 1 << 40}) }, "an alarm"},
		"a message by a replaced key":                          {func(p *past) string { return p.message(0, "a") }, "nothing"},
		"a message by the key of an invitation":                {func(p *past) string { return p.message(3, "token") }, "nothing"},
		// It is relayed to those that lack it, and no estimate has it where rows are merged by origin (docs/network.md).
		"a message by a removed member, under its own name": {func(p *past) string { return p.message(2, "c") }, "its message"},
		"for comparison, a message by the key that is used": {func(p *past) string { return p.message(0, "a2") }, "its message"},
		"a document that a former id shows, and asks for": {func(p *past) string {
			read := shelf{text: []byte("ours"), merged: make(chan string, 9)}
			h, err := gossip.NewHost(gossip.Config{Identity: p.keys["d"], Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Self: 3, Peers: p.network(), Network: "clinics", Document: &read})
			if err != nil {
				p.t.Fatal(err)
			}
			defer func() { _ = h.Close() }()
			forged := shelf{text: []byte("forged"), merged: make(chan string, 9)}
			if _, err = gossip.TradeDocument(p.t.Context(), p.keys["a"], gossip.PeerInfo{ID: p.keys["d"].ID(), Addrs: h.Addrs()}, &forged); err != nil || <-forged.merged != "ours" {
				p.t.Error("it does not get the document, in which its new id is: ", err)
			}
			select {
			case got := <-read.merged:
				return got
			default:
				return "nothing"
			}
		}, "nothing"},
	} {
		p := newPast(t)
		if got := c.of(p); got != c.wants {
			t.Errorf("%s counts for %s, want %s", what, got, c.wants)
		}
		if v := p.d.Newest().Version; v != 4 {
			t.Errorf("%s: version %d", what, v)
		}
	}
}

// message returns what a message in the name of a peer counts for if a key has signed it.
func (p *past) message(of protocol.Peer, key string) string {
	p.t.Helper()
	d := p.a.Newest()
	ids := make([]string, len(d.Peers))
	for i, x := range d.Peers {
		ids[i] = x.ID
	}
	ring, err := gossip.NewKeyring("clinics", ids)
	if err != nil {
		p.t.Fatal(err)
	}
	keys, err := ring.Keys(p.keys[key])
	if err != nil {
		p.t.Fatal(err)
	}
	if ring.Verify(of, []byte("sums"), keys.Sign([]byte("sums"))) {
		return "its message"
	}
	return "nothing"
}

// shelf is a document.
type shelf struct {
	text   []byte
	merged chan string
}

func (s *shelf) Summary() ([]byte, error) { return s.text, nil }

func (s *shelf) Lacks([]byte) ([][]byte, error) { return [][]byte{s.text}, nil }

func (s *shelf) Merge(frames [][]byte) error {
	for _, f := range frames {
		s.merged <- string(f)
	}
	return nil
}
