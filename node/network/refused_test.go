package network

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestWhatNoVersionDoes: changes, versions and numbers against the rules, each otherwise with the right signatures.
func TestWhatNoVersionDoes(t *testing.T) {
	l := newLab(t, 1, 3, 2, 0)
	a, b, c := l.sites[0], l.sites[1], l.sites[2]
	l.agree(Change{Kind: Unlink, Peer: "a", Links: []string{"c"}}, a, b)
	l.show(a, c)
	for _, x := range []Change{
		{Kind: Remove, Peer: "a"},
		{Kind: Unlink, Peer: "b", Links: []string{"c"}},
		{Kind: Invite, Peer: "x", ID: "of b", Links: []string{"a"}},
		{Kind: Govern, Signers: []Signer{{"a", "of a"}, {"b", "of b"}}, Needed: 1},
		{Kind: Govern, Signers: []Signer{{"a", "of a"}, {"a", "y"}}},
	} {
		refused(t, x.String(), c.book, -1, frame(frameVersion, b.add(a.proposal(0, x))))
	}
	for _, kind := range []byte{frameVersion, frameProposal, frameRecord} {
		refused(t, "lists within each other", c.book, -1, append([]byte{kind}, strings.Repeat("[", maxFrame-1)...))
	}
	refused(t, "half of the signers", c.book, -1, frame(frameVersion, a.proposal(0, blue)))
	refused(t, "no next try", c.book, -1, frame(frameProposal, a.proposal(maxNumber+1, blue)))
	for what, s := range map[string]Step{"no signer's": {By: 2, Parent: c.book.chain.head()}, "after another version": {Parent: hashOf(nil)}} {
		s.Number, s.Change = 3, blue
		refused(t, what, c.book, -1, frame(frameVersion, a.add(b.add(Version{Text: encode(&s)}))))
	}
	good := frame(frameVersion, b.add(a.proposal(0, blue)))
	if err := c.book.Merge([][]byte{good, good[:9]}); err == nil || c.book.chain.d.Version != 3 || c.book.chain.room < 2*2*2*maxSig {
		t.Errorf("%v, version %d of %d bytes", err, c.book.chain.d.Version, c.book.chain.room)
	}
	if _, err := a.book.Lacks(make([]byte, short)); !errors.Is(err, ErrRefused) {
		t.Errorf("another network: %v", err)
	}
	if _, err := RootOf(append([]byte{frameRoot}, a.book.s.Root...), hashOf(nil)); err == nil {
		t.Error("a first document with another hash")
	}
	c.book.c.Keep = func(State) error { return errCrash }
	if err := c.book.Merge([][]byte{frame(frameRecord, b.record(Own{Number: 1, Addrs: []string{"x"}}))}); err == nil || c.book.Newest().Peers[1].Addrs[0] == "x" {
		t.Errorf("what is not kept is followed: %v", err)
	}
}

// TestNoRecordTakesAnothersKey, goes back in time or keeps others' records away.
func TestNoRecordTakesAnothersKey(t *testing.T) {
	l := newLab(t, 1, 4, 1, 1)
	a, b, c, d := l.sites[0].book, l.sites[1], l.sites[2], l.sites[3]
	a.c.Fits = func(_, is *Document) (err error) {
		if is.Peers[3].Addrs[0] == "bad" {
			err = errCrash
		}
		return err
	}
	own := func(n uint64, id string) Own {
		return Own{Number: n, Addrs: []string{fmt.Sprint(n)}, Keys: []Key{{ID: id}}}
	}
	thief := b.record(own(9, "k"))
	o := thief.own()
	o.Keys[0].Sig[0]++
	thief.Text = encode(&o)
	thief.Sig, _ = key("k").Sign(thief.signed())
	for i, x := range []struct {
		Record
		ok bool
	}{
		{thief, false},
		{c.record(own(2, "of b")), false}, // which the versions give, before b has said anything
		{b.record(own(2, "k")), true},
		{b.record(own(1, "k")), true},
		{c.record(own(2, "k")), false},
		{c.record(own(2, "of b")), false},
		{d.record(Own{Number: 1, Addrs: []string{"bad"}}), false},
	} {
		at := fmt.Sprint("at ", i)
		r := l.sites[0].record(Own{Number: uint64(i + 1), Addrs: []string{at}})
		if err := a.Merge([][]byte{frame(frameRecord, x.Record), frame(frameRecord, r)}); (err == nil) != x.ok || a.newest.Peers[0].Addrs[0] != at {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if p := a.newest.Peers; p[1].ID != "k" || p[1].Addrs[0] != "2" || p[2].ID != "of c" || p[3].Addrs[0] != "at home" {
		t.Errorf("%+v", p)
	}
}

// TestAPeerThatLeftStaysAway, whatever its later keys sign.
func TestAPeerThatLeftStaysAway(t *testing.T) {
	left := &said{ids: []string{"a"}, number: 1, peer: Peer{Standing: Gone}}
	for _, later := range []*said{
		{ids: []string{"a", "b"}, number: 9, peer: Peer{Standing: Present}},
		{ids: []string{"a"}, number: 9, peer: Peer{Standing: Present}},
	} {
		if left.before(later) {
			t.Errorf("%d of keys %v comes after it left", later.number, later.ids)
		}
	}
}

// TestVersionsHaveARoom, of which none takes more than others could keep.
func TestVersionsHaveARoom(t *testing.T) {
	l := newLab(t, 1, 12, 2, 2)
	a, b, x := l.sites[0], l.sites[1], Change{Kind: Govern}
	for _, s := range l.sites {
		x.Signers = append(x.Signers, Signer{s.name, strings.Repeat("<", maxName)}) // each takes six bytes
	}
	refused(t, "a long version", a.book, -1, frame(frameVersion, b.add(a.proposal(0, x))))
	a.book.chain.room = Room - 3*2*maxSig
	refused(t, "a version without room", a.book, -1, frame(frameVersion, b.add(a.proposal(0, blue))))
	if err := a.book.Propose(blue, false); !errors.Is(err, ErrRefused) || len(a.book.s.Proposals) > 0 {
		t.Errorf("a proposal without room: %v", err)
	}
}
