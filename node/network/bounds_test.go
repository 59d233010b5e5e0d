package network

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// changes returns a change of each kind that comes after the one before, in a network of a, b, c and d.
func changes() []Change {
	return []Change{
		{Kind: Invite, Peer: "g", ID: "token", Links: []string{"a", "b"}},
		{Kind: Extend, Arm: "blue"},
		{Kind: Retire, Arm: "blue"},
		{Kind: Govern, Signers: []Signer{{"a", "of a"}, {"b", "of b"}, {"c", "of c"}}, Needed: 3},
		{Kind: Unlink, Peer: "a", Links: []string{"c"}},
		{Kind: Link, Peer: "c", Links: []string{"a"}},
		{Kind: Set, Setting: &Setting{"pull", "2"}},
		{Kind: Remove, Peer: "d"},
	}
}

// refused fails unless a book refuses a frame, as the fault of a place if that is not -1, and keeps nothing of it.
func refused(t *testing.T, what string, b *Book, place int, frames ...[]byte) {
	t.Helper()
	before, lie := encode(b.State()), new(Lie)
	if err := b.Merge(frames); !errors.Is(err, ErrRefused) || place >= 0 && (!errors.As(err, &lie) || lie.Place != place) {
		t.Errorf("%s: the error is %v, want one that names place %d", what, err, place)
	}
	if !bytes.Equal(before, encode(b.State())) {
		t.Errorf("%s: something of it is kept", what)
	}
}

// TestNoFieldTakesMoreThanItsKindUses: each field of a change and of a record has a value that its kind does not use, or is too long, under
// the right signatures. Then members, guests and a signer store as much as they can.
func TestNoFieldTakesMoreThanItsKindUses(t *testing.T) {
	l := newLab(t, 1, 4, 3, 2)
	a, b, c, d := l.sites[0], l.sites[1], l.sites[2], l.sites[3]
	l.agree(changes()[0], a, b)
	l.newcomers()
	g, long := l.sites[4], strings.Repeat("x", 10_000)
	fields := []func(c *Change){
		func(c *Change) { c.Peer = "b" }, func(c *Change) { c.Peer = long },
		func(c *Change) { c.ID = "y" }, func(c *Change) { c.ID = long },
		func(c *Change) { c.Links = []string{"b"} }, func(c *Change) { c.Links = slices.Repeat([]string{"b"}, 2500) },
		func(c *Change) { c.Arm = "y" }, func(c *Change) { c.Arm = long },
		func(c *Change) { c.Setting = &Setting{"pull", "3"} }, func(c *Change) { c.Setting = &Setting{long, "3"} },
		func(c *Change) { c.Setting = &Setting{"pull", long} }, func(c *Change) { c.Signers = []Signer{{"a", "y"}} },
		func(c *Change) { c.Signers, c.Needed = []Signer{{"a", long}}, 0 }, func(c *Change) { c.Needed = 1 },
	}
	for _, base := range append(changes(), Change{Kind: "rotate", Peer: "a"}) {
		for i, set := range fields {
			x := base
			set(&x)
			if bare, err := x.bare(); err == nil && len(encode(x)) < len(long) && bytes.Equal(encode(&bare), encode(x)) {
				continue // the kind uses it
			}
			v := b.proposal(0, x)
			refused(t, fmt.Sprint(x.Kind, " with field ", i), a.book, 1, frame(frameProposal, v))
			refused(t, fmt.Sprint("version ", x.Kind, " with field ", i), a.book, -1, frame(frameVersion, c.add(v)))
		}
	}
	for _, s := range []*labSite{d, g} {
		place, _ := a.book.newest.Place(s.name)
		for i, o := range []Own{
			{},
			{Number: 9, Left: true, Addrs: []string{"x"}},
			{Addrs: []string{"x"}},
			{Number: maxNumber + 1, Addrs: []string{"x"}},
			{Number: 9, Addrs: slices.Repeat([]string{"x"}, maxAddrs+1)},
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: long[:maxName+1]}}},
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: "token"}}},
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: "y", Ledger: &Ledger{1, long[:64]}}}},
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: "y", Ledger: &Ledger{0, hashOf(nil)}}}},
			{Number: 9, Addrs: []string{long}},
			{Number: 9, Network: long, Left: true},
			{Number: 9, Peer: long, Left: true}, // longer than a record
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: long}}},
			{Number: 9, Addrs: []string{"x"}, Keys: []Key{{ID: "y", Ledger: &Ledger{1, long}}}},
			{Number: 9, Addrs: []string{"x"}, Network: "another"},
			{Number: 9, Peer: "a", Addrs: []string{"x"}},
		} {
			if i > 8 {
				place = -1
			}
			refused(t, fmt.Sprint("record ", i, " of ", s.name), a.book, place, frame(frameRecord, s.record(o)))
		}
	}
	for _, s := range []*labSite{d, g} {
		place, _ := a.book.newest.Place(s.name)
		keys := []Key{}
		if s == g {
			keys = append(keys, Key{ID: string(s.key)})
		}
		must(t, a.book.Merge([][]byte{frame(frameRecord, s.record(Own{Number: maxNumber - 1, Keys: keys, Addrs: []string{long[:3400]}}))}))
		refused(t, "a twin", a.book, place, frame(frameRecord, s.record(Own{Number: maxNumber - 1, Keys: keys, Addrs: []string{"x"}})))
		if s == d {
			must(t, a.book.Merge([][]byte{frame(frameRecord, s.record(Own{Number: 1, Keys: []Key{{ID: "y"}}, Addrs: []string{long[:3400]}}))}))
		}
		refused(t, "a key in place of another one", a.book, place, frame(frameRecord, s.record(Own{Number: 1, Keys: []Key{{ID: "z"}}, Addrs: []string{"x"}})))
	}
	for try := range uint64(50) {
		must(t, a.book.Merge([][]byte{frame(frameProposal, b.proposal(try, Change{Kind: Extend, Arm: fmt.Sprint(long[:250], try)}))}))
	}
	refused(t, "two proposals at once", a.book, 1, frame(frameProposal, b.proposal(49, Change{Kind: Extend, Arm: "y"})))
	if n := len(encode(a.book.State())); n > 20_000 {
		t.Errorf("they make others store %d bytes", n)
	}
}

// TestASignedVersionCannotBeAltered: of each version of a history, a relay flips each bit and inserts a space, a field or an object's key
// again at each place, and signatures. A peer that lacks this version refuses it, then takes the true one, and holds what others hold.
func TestASignedVersionCannotBeAltered(t *testing.T) {
	l := newLab(t, 1, 4, 3, 2)
	a, b, c, d := l.sites[0], l.sites[1], l.sites[2], l.sites[3]
	for i, x := range changes() {
		var kept State
		victim, err := Open(Config{Keys: key(""), Keep: func(s State) error { kept = s; return nil }}, a.book.State())
		must(t, err)
		base := a.book.chain
		signers := []*labSite{a, b, c}[:base.d.Quorum()]
		l.agree(x, signers...)
		l.show(a, c)
		v := a.book.State().Versions[i]
		f, all := frame(frameVersion, v), []Signature{}
		for place, s := range []*labSite{a, b, c, d} {
			all = append(all, Signature{place, s.add(Version{Text: v.Text}).Sigs[0].Sig})
		}
		for at := range f {
			for bit := range 8 {
				x := bytes.Clone(f)
				x[at] ^= 1 << bit
				refused(t, fmt.Sprintf("%s: bit %d of byte %d", f, bit, at), victim, -1, x)
			}
			inserts := []string{" ", "0"}
			if at > 0 && f[at-1] == '{' {
				inserts = []string{`"x":0,`, `"version":0,`, `"sigs":[],`, `"number":2,`, `"try":1,`, `"by":0,`, `"parent":"",`, `"kind":"link",`, `"peer":"a",`, `"id":"y",`, `"links":["a"],`, `"arm":"y",`, `"setting":null,`, `"signers":[],`, `"needed":0,`, `"place":0,`, `"sig":null,`}
			}
			for _, text := range inserts {
				x := slices.Concat(f[:at], []byte(text), f[at:])
				refused(t, fmt.Sprintf("%s: %q at byte %d", f, text, at), victim, -1, x)
			}
		}
		wrong := func(place int, sig []byte) Version { return v.with(Signature{place, sig}) }
		few, longer, twice := v, v, v
		few.Sigs, twice.Sigs = v.Sigs[:len(v.Sigs)-1], append(slices.Clone(v.Sigs), v.Sigs[len(v.Sigs)-1])
		longer.Sigs = slices.Clone(v.Sigs)
		longer.Sigs[0].Sig = append(bytes.Clone(v.Sigs[0].Sig), make([]byte, 64)...)
		for what, x := range map[string]Version{
			"one too few": few, "a longer one": longer, "one twice": twice, "no member's": wrong(9, all[0].Sig),
			"a member's that signs no versions": wrong(3, all[3].Sig), "in another order": {v.Text, []Signature{v.Sigs[1], v.Sigs[0]}},
			"not the proposer's": {v.Text, []Signature{{1, all[1].Sig}, {2, all[2].Sig}}}, "another signer's": {v.Text, append(slices.Clone(v.Sigs[:1]), Signature{2, all[1].Sig})},
		} {
			refused(t, fmt.Sprint(x.step().Change.Kind, " with signatures, ", what), victim, -1, frame(frameVersion, x))
		}
		next := v.step()
		next.Number, next.Parent = next.Number+1, v.Hash()
		if err = victim.Merge([][]byte{frame(frameVersion, c.add(v)), frame(frameVersion, Version{Text: encode(&next)})}); !errors.Is(err, ErrRefused) {
			t.Errorf("a version that no signer has signed: %v", err)
		} // but the one before it is kept, with the signature of a signer more
		if victim, err = Open(Config{}, kept); err != nil {
			t.Fatal(err)
		}
		_, room := a.book.Head()
		if _, same := victim.Head(); same != room || !bytes.Equal(victim.Summary(), a.book.Summary()) {
			t.Errorf("%s: they differ", x.Kind)
		}
	}
}
