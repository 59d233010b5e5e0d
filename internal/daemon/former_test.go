package daemon

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// past is a network of a, b, c and d in which much has been replaced: b signed changes once, c was removed, d joined with a token,
// and a has another key since its ledger had ten records.
type past struct {
	t               *testing.T
	keys            map[string]gossip.Identity
	record          network.Record // of the newest version
	a, d            *network.Book
	stated          protocol.Checkpoint
	asked, approved network.Agreement // a wish of d in the first version, and the approval of b
}

// masked signs with one key and takes its signatures for another key's.
type masked struct {
	documentKeys
	as string
}

func (m masked) Verify(id string, b, sig []byte) bool {
	return m.documentKeys.Verify(id, b, sig) || id == m.as && m.documentKeys.Verify(m.id.ID(), b, sig)
}

func (p *past) book(keys network.Keys, id string, r network.Record) *network.Book {
	p.t.Helper()
	b, err := network.Open(network.Config{Keys: keys, ID: id, Keep: func(network.Record) error { return nil }}, r)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *past) honest(name string, r network.Record) *network.Book {
	return p.book(Keys(p.keys[name]), p.keys[name].ID(), r)
}

// show shows a book what another one has.
func show(to, from *network.Book) error {
	s := from.Record().State
	return to.Merge(&s)
}

func newPast(t *testing.T) *past {
	p := &past{t: t, keys: make(map[string]gossip.Identity), stated: protocol.Checkpoint{Records: 10, Head: [32]byte{10}}}
	first := network.Document{Version: 1, Name: "clinics", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s", Admins: []string{"a", "b"}}
	for i, name := range []string{"a", "b", "c", "token", "a2", "d"} {
		p.keys[name] = gossip.SeedIdentity([32]byte{byte(i + 1)})
		if i < 4 {
			first.Peers = append(first.Peers, network.Peer{Name: name, ID: p.keys[name].ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/1"}, Standing: network.Present})
			for j := range i {
				first.Links = append(first.Links, [2]int{j, i})
			}
		}
	}
	first.Peers[3].Name, first.Peers[3].Standing, first.Peers[3].Token = "d", network.Invited, p.keys["token"].ID()
	begin := network.Record{State: network.State{First: first}}
	a, b := p.honest("a", begin), p.honest("b", begin)
	want := func(of *network.Book, c network.Change, key string) {
		t.Helper()
		if key != "" {
			c.ID = p.keys[key].ID()
			if err := c.Prove(a.At(1).Hash(), Signs(p.keys[key])); err != nil {
				t.Fatal(err)
			}
		}
		was := a.Newest().Version
		if err := of.Wish(c); err != nil {
			t.Fatal(err)
		}
		for range 10 { // until all have signed
			for _, with := range []*network.Book{of, b, of, a} {
				for _, x := range with.Proposed() {
					_ = with.Approve(x.Hash)
				}
				if err := errors.Join(show(a, with), show(b, a), show(of, a), a.Tick(), b.Tick()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if a.Newest().Version != was+1 {
			t.Fatalf("%v: version %d", &c, a.Newest().Version)
		}
	}
	want(p.honest("token", begin), network.Change{Kind: network.Join, Peer: "d", Addrs: []string{"/ip4/127.0.0.1/tcp/2"}}, "d")
	d := p.honest("d", a.Record())
	if err := d.Wish(network.Change{Kind: network.Extend, Arm: "white"}); err != nil {
		t.Fatal(err)
	}
	p.asked = d.Record().Agreement
	late := p.honest("b", a.Record())
	if err := errors.Join(show(late, d), late.Approve(late.Proposed()[0].Hash)); err != nil {
		t.Fatal(err)
	}
	p.approved = late.Record().Agreement
	want(a, network.Change{Kind: network.Govern, Admins: []string{"a"}}, "")
	want(a, network.Change{Kind: network.Remove, Peer: "c"}, "")
	want(a, network.Change{Kind: network.Rotate, Peer: "a", Ledger: &network.Ledger{Records: 10, Head: "0a" + strings.Repeat("00", 31)}}, "a2")
	p.record = a.Record()
	p.a, p.d = p.honest("a2", p.record), p.honest("d", p.record)
	return p
}

// shows returns what a book believes after it was shown a state: nothing new, or what.
func (p *past) shows(b *network.Book, s network.State) string {
	was := b.Record()
	err := b.Merge(&s)
	var fork *network.Fork
	switch {
	case b.Newest().Version != uint64(len(was.Steps))+1:
		return "a version"
	case errors.As(err, &fork):
		return "a fork is named"
	case len(b.Record().Agreement.Wishes)+len(b.Record().Agreement.Approvals) > len(was.Agreement.Wishes)+len(was.Agreement.Approvals):
		return "a wish or an approval"
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
		"a wish, an approval and a version, by the replaced key of the only admin": {func(p *past) string {
			thief := p.book(masked{documentKeys{p.keys["a"]}, p.keys["a2"].ID()}, p.keys["a2"].ID(), p.record)
			if err := thief.Wish(network.Change{Kind: network.Extend, Arm: "forged"}); err != nil || thief.Newest().Version != 6 {
				p.t.Fatal("the thief's own book does not go on: ", err)
			}
			return p.shows(p.d, thief.Record().State)
		}, "nothing"},
		"a wish by the replaced key": {func(p *past) string {
			r := p.record
			r.Agreement = network.Agreement{}
			thief := p.book(masked{documentKeys{p.keys["a"]}, p.keys["a2"].ID()}, p.keys["a2"].ID(), network.Record{State: r.State})
			_ = thief.Wish(network.Change{Kind: network.Move, Peer: "a", Addrs: []string{"/ip4/127.0.0.1/tcp/9"}})
			s := thief.Record().State
			s.Steps = s.Steps[:len(p.record.Steps)]
			return p.shows(p.d, s)
		}, "nothing"},
		"a wish by the key of an invitation": {func(p *past) string {
			if err := p.honest("token", p.record).Wish(network.Change{Kind: network.Move, Peer: "d", Addrs: []string{"/ip4/127.0.0.1/tcp/9"}}); err == nil {
				return "a wish"
			}
			return "nothing"
		}, "nothing"},
		"a wish by a removed member": {func(p *past) string {
			r := p.record
			r.Steps = r.Steps[:2] // it is a member still
			thief := p.honest("c", network.Record{State: network.State{First: r.First, Steps: r.Steps}})
			if err := thief.Wish(network.Change{Kind: network.Extend, Arm: "forged"}); err != nil {
				p.t.Fatal(err)
			}
			return p.shows(p.a, network.State{First: r.First, Steps: p.record.Steps, Agreement: thief.Record().Agreement})
		}, "nothing"},
		"an approval by a former admin, of a wish that still holds": {func(p *past) string {
			if got := p.shows(p.a, network.State{First: p.record.First, Steps: p.record.Steps, Agreement: p.asked}); got != "a wish or an approval" {
				p.t.Fatal("the wish does not hold any more: ", got)
			}
			if len(p.approved.Approvals) == 0 {
				p.t.Fatal("there is no approval")
			}
			return p.shows(p.a, network.State{First: p.record.First, Steps: p.record.Steps, Agreement: p.approved})
		}, "nothing"},
		// By the signers of the version before it, as they were then: no peer follows it.
		"another version by a replaced key and a former admin, of when they signed": {func(p *past) string {
			begin := network.Record{State: network.State{First: p.record.First, Steps: p.record.Steps[:1]}}
			a, b := p.honest("a", begin), p.honest("b", begin)
			_ = a.Wish(network.Change{Kind: network.Extend, Arm: "forged"})
			for range 10 {
				if err := errors.Join(show(b, a), show(a, b)); err != nil {
					p.t.Fatal(err)
				}
				for _, x := range b.Proposed() {
					_ = b.Approve(x.Hash)
				}
			}
			if a.Newest().Version != 3 {
				p.t.Fatal("no other version")
			}
			return p.shows(p.d, a.Record().State)
		}, "a fork is named"},
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
			read := shelf{text: []byte("ours"), merged: make(chan string, 1)}
			h, err := gossip.NewHost(gossip.Config{Identity: p.keys["d"], Listen: []string{"/ip4/127.0.0.1/tcp/0"}, Self: 3, Peers: p.network(), Network: "clinics", Document: &read})
			if err != nil {
				p.t.Fatal(err)
			}
			defer func() { _ = h.Close() }()
			forged := shelf{text: []byte("forged"), merged: make(chan string, 1)}
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
		if v := p.d.Newest().Version; v != 5 {
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

func (s *shelf) Show() ([]byte, error) { return s.text, nil }

func (s *shelf) Merge(b []byte) error {
	s.merged <- string(b)
	return nil
}
