package network

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var blue, green = Change{Kind: Extend, Arm: "blue"}, Change{Kind: Extend, Arm: "green"}

// TestASignerSignsOneVersion, shows nothing before it is kept, and is bound after a restart and by its own signature that others show
// it after a restoration, once it has heard all.
func TestASignerSignsOneVersion(t *testing.T) {
	l := newLab(t, 1, 4, 3, 2)
	a, b := l.sites[0], l.sites[1]
	none := a.disk
	for range 9 { // before it is on disk, or after that
		before := encode(a.book.State())
		a.crash = 1
		if err := a.book.Propose(blue, false); !errors.Is(err, errCrash) || !bytes.Equal(before, encode(a.book.State())) {
			t.Fatalf("%v, and it shows what is not kept", err)
		}
		if a.start(); len(a.book.State().Proposals) > 0 {
			break
		}
	}
	if err := a.book.Propose(green, false); !errors.Is(err, ErrRefused) || len(a.book.Proposed()) != 1 {
		t.Errorf("a second version: %v", err)
	}
	must(t, a.book.Sign(a.book.Proposed()[0].Hash, false)) // changes nothing
	l.show(a, b)
	a.disk, a.roll = none, new(Roll)
	a.open()
	for _, heard := range [][]int{nil, {1, 2}, {3}} {
		if err := a.book.Propose(green, false); !errors.Is(err, ErrWaits) {
			t.Errorf("before it has heard %v: %v", heard, err)
		}
		a.roll.Add(heard)
	}
	l.show(b, a)
	if err := a.book.Propose(green, false); !errors.Is(err, ErrRefused) {
		t.Errorf("a second version after a restoration: %v", err)
	}
	if must(t, a.book.Propose(green, true)); a.book.Proposed()[0].Change.Arm != "green" {
		t.Error("it does not sign again")
	}
	a.disk, a.roll = none, nil
	a.open()
	c := l.sites[2]
	must(t, a.book.Merge([][]byte{frame(frameProposal, c.proposal(1, blue))}))
	must(t, a.book.Merge([][]byte{frame(frameProposal, a.add(c.proposal(0, blue)))}))
	if err := a.book.Propose(green, false); !errors.Is(err, ErrRefused) {
		t.Errorf("a second version after its signature under a proposal that was replaced: %v", err)
	}
	a.roll = new(Roll)
	a.roll.Confirm(true)
	a.open()
	for range silence {
		if len(a.book.Awaits()) != 3 {
			t.Error("it signs before it has tried to hear others")
		}
		a.roll.Add(nil)
	}
	if len(a.book.Awaits()) > 0 {
		t.Error("it waits for peers that are gone")
	}
}

// TestAForkNamesWhoSignedBoth: each site stays at its version, also if the other branch is longer.
func TestAForkNamesWhoSignedBoth(t *testing.T) {
	l := newLab(t, 1, 3, 3, 2)
	a, b, c := l.sites[0], l.sites[1], l.sites[2]
	old := &labSite{lab: l, name: "b", key: b.key, disk: b.disk}
	old.open()
	b.again = true
	l.agree(blue, a, b)
	l.agree(green, c, old)
	l.agree(Change{Kind: Extend, Arm: "red"}, c, old)
	for _, x := range [][2]*labSite{{a, c}, {c, a}, {c, b}} {
		frames, err := x[0].book.Lacks(x[1].book.Summary())
		must(t, err)
		fork, head := new(Fork), x[1].book.chain.head()
		if err = x[1].book.Merge(frames); !errors.As(err, &fork) || !slices.Equal(fork.Both, []string{"b"}) || fork.Version != 2 {
			t.Errorf("%v, want a fork that names b", err)
		}
		if x[1].book.chain.head() != head {
			t.Error("it goes over to the other branch")
		}
		if x[0] == c && x[1] == a {
			refused(t, "the next version of the other branch", a.book, -1, frames[1:]...)
		}
	}
}

// TestFormerKeysCountForNothing: keys of a member, of an invitation, of a signer, and of a peer that left or was removed.
func TestFormerKeysCountForNothing(t *testing.T) {
	l := newLab(t, 1, 6, 3, 2)
	a, b, c, d, e, f := l.sites[0], l.sites[1], l.sites[2], l.sites[3], l.sites[4], l.sites[5]
	l.agree(Change{Kind: Invite, Peer: "g", ID: "token", Links: []string{"a"}}, a, b)
	l.newcomers()
	former := *c
	for _, s := range []*labSite{c, d} {
		s.next = "new of " + s.key
		must(t, s.say(func(o *Own) { o.Keys = []Key{{ID: string(s.next)}} }))
	}
	must(t, e.say(func(o *Own) { o.Addrs, o.Left = nil, true }))
	l.round()
	l.agree(Change{Kind: Govern, Signers: []Signer{{"a", "of a"}, {"b", "of b"}, {"c", "new of of c"}}}, a, b)
	l.agree(Change{Kind: Remove, Peer: "f"}, a, b)
	l.round()
	for place, s := range l.sites[3:] {
		before := string(encode(a.book.Newest()))
		for _, o := range []Own{{Number: 97, Addrs: []string{"x"}}, {Number: 98, Left: true}, {Number: 99, Addrs: []string{"x"}, Keys: []Key{{ID: "other"}}}} {
			err := a.book.Merge([][]byte{frame(frameRecord, s.record(o))})
			twin := len(o.Keys) > 0 || o.Left && s != e && s != f
			if lie := new(Lie); errors.As(err, &lie) != twin || twin && lie.Place != place+3 {
				t.Errorf("%s after its key was replaced, or it left: %s: %v", s.name, encode(o), err)
			}
			if d := a.book.Newest(); s == f {
				if p := d.Peers[5]; p.Standing != Gone || p.Addrs != nil {
					t.Errorf("%+v", p)
				}
			} else if string(encode(d)) != before {
				t.Errorf("%s: %s counts", s.name, encode(o))
			}
		}
	}
	former.book = a.book
	refused(t, "a signer's former key", a.book, -1, frame(frameProposal, former.proposal(0, blue)))
	d.book = a.book
	refused(t, "a member's key", a.book, -1, frame(frameProposal, d.proposal(0, blue)))
	l.agree(blue, c, a) // with its new key
	a.disk, a.roll = encode(a.book.State()), nil
	if a.open(); a.book.Newest().Peers[3].ID != "new of of d" {
		t.Error("the first is not kept over a restart")
	}
	late, err := Open(Config{Keys: key(""), Keep: func(State) error { return nil }}, State{Root: a.book.State().Root})
	must(t, err)
	must(t, late.Merge([][]byte{frame(frameRecord, e.record(Own{Number: 97, Addrs: []string{"x"}}))}))
	frames, err := a.book.Lacks(late.Summary())
	must(t, err)
	if must(t, late.Merge(frames)); late.Newest().Peers[4].Standing != Gone {
		t.Error("a peer that left is back where a later record came first")
	}
	must(t, a.book.Merge([][]byte{frame(frameProposal, c.add(a.proposal(0, Change{Kind: Invite, Peer: "h", ID: "new of of d", Links: []string{"a"}})))}))
	if a.open(); a.book.Newest().Peers[3].ID != "of d" {
		t.Error("the signers say whose key it is")
	}
}

// TestPlaceIsFull: a peer rotates until its record has no room. All keys stay known, and it can still move.
func TestPlaceIsFull(t *testing.T) {
	l := newLab(t, 1, 2, 1, 1)
	a, b := l.sites[0], l.sites[1]
	for n := 0; ; n++ {
		b.next = key(fmt.Sprintf("%052d", n))
		err := b.say(func(o *Own) { o.Keys = append(o.Keys, Key{ID: string(b.next), Ledger: &Ledger{1 << 40, hashOf(nil)}}) })
		if err == nil {
			continue
		}
		b.next = ""
		must(t, b.say(nil))
		l.show(b, a)
		if p := a.book.Newest().Peers[1]; n < 10 || len(p.Former) != n || len(p.Closed) != n || !strings.Contains(err.Error(), fmt.Sprint("with ", n+1, " keys")) {
			t.Errorf("%d rotations, %d former keys: %v", n, len(p.Former), err)
		}
		return
	}
}

// TestEdgesWithoutAbsentPeers: circles of their neighbours replace those without whom the others would not be connected, in whatever order
// records come, and whichever end of a link the first document names first.
func TestEdgesWithoutAbsentPeers(t *testing.T) {
	d, _ := peers(5, 1, 1)
	for _, x := range []struct{ links, want [][2]int }{
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 4}}, [][2]int{{0, 4}, {0, 3}}},         // a path through absent peers
		{[][2]int{{0, 1}, {1, 3}, {1, 4}, {1, 2}}, [][2]int{{3, 4}, {0, 4}, {0, 3}}}, // a star, and an absent leaf
		{[][2]int{{3, 0}, {4, 0}, {0, 1}, {1, 2}}, [][2]int{{3, 0}, {4, 0}}},         // no one is missed
		{[][2]int{{3, 0}, {0, 1}, {1, 3}, {1, 4}, {2, 4}}, [][2]int{{3, 0}, {3, 4}, {0, 4}}},
	} {
		for _, order := range [][]int{{1, 2}, {2, 1}} {
			n := *d.clone()
			n.Links = x.links
			must(t, n.Check())
			records := make(map[int]*said)
			for _, place := range order {
				p := n.Peers[place]
				p.Standing = Gone
				records[place] = &said{peer: p}
			}
			if got := (&chain{d: &n}).view(records).Edges(); !slices.Equal(got, x.want) {
				t.Errorf("%v: %v, want %v", x.links, got, x.want)
			}
		}
	}
}
