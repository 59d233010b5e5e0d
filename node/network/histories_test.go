package network

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

// change draws a change that an operator could want.
func (l *lab) change(s *labSite) (c Change) {
	d := s.book.Newest()
	some := func() string { return d.Peers[l.rand.IntN(len(d.Peers))].Name }
	switch c.Peer = some(); l.rand.IntN(10) {
	case 0, 1:
		c.Kind, c.ID, c.Links = Invite, string(l.fresh()), []string{c.Peer}
		c.Peer = "site-" + c.ID
	case 2:
		c.Kind = Remove
	case 3:
		c.Kind, c.Peer, c.Arm = Retire, "", fmt.Sprint("arm-", l.rand.IntN(9))
	case 4:
		c.Kind, c.Peer = Govern, ""
		for _, p := range d.Peers {
			if p.Standing == Present && l.rand.IntN(4) > 0 && len(c.Signers) < 5 {
				c.Signers = append(c.Signers, Signer{p.Name, p.ID})
			}
		}
	case 5:
		c.Kind, c.Links = Link, []string{some()}
	case 6:
		c.Kind, c.Links = Unlink, []string{some()}
	case 7:
		c.Kind, c.Peer, c.Setting = Set, "", &Setting{"pull", fmt.Sprint(l.rand.IntN(5))}
	default:
		c.Kind, c.Peer, c.Arm = Extend, "", fmt.Sprint("arm-", l.rand.IntN(9))
	}
	return c
}

// frame returns a frame of some kind.
func frame(kind byte, x any) []byte { return append([]byte{kind}, encode(x)...) }

// proposal returns a proposal of the next version that a site signs.
func (s *labSite) proposal(try uint64, c Change) Version {
	b := s.book
	place, _ := b.newest.Place(s.name)
	v := Version{Text: encode(&Step{Number: b.chain.d.Version + 1, Parent: b.chain.head(), By: place, Try: try, Change: c})}
	return s.add(v)
}

// add returns a version with a site's signature.
func (s *labSite) add(v Version) Version {
	place, _ := s.book.newest.Place(s.name)
	sig, _ := s.key.Sign(v.signed())
	return v.with(Signature{place, sig})
}

// record returns a record that a site signs, also against the rules, each key by the one before.
func (s *labSite) record(o Own) Record {
	place, _ := s.book.newest.Place(s.name)
	last := key(s.book.chain.d.Peers[place].ID)
	o.Network, o.Peer = cmp.Or(o.Network, s.book.chain.network), cmp.Or(o.Peer, s.name)
	for i := range o.Keys {
		k := &o.Keys[i]
		k.Sig, _ = last.Sign(signedKey(&o, k))
		last = key(k.ID)
	}
	r := Record{Text: encode(&o)}
	r.Sig, _ = last.Sign(r.signed())
	return r
}

// lie returns what a site that lies shows to another one: what that one lacks, with parts of it altered, dropped or exchanged, signatures
// under everything, and proposals and records of which no honest site signs both.
func (l *lab) lie(s, to *labSite) [][]byte {
	l.lies++
	frames, err := s.book.Lacks(to.book.Summary())
	must(l.t, err)
	arm := func() Change { return Change{Kind: Extend, Arm: fmt.Sprint("lie-", l.rand.IntN(5))} }
	switch l.rand.IntN(7) {
	case 0:
		frames = append(frames, frame(frameProposal, s.proposal(uint64(l.rand.IntN(3)), arm())))
	case 1, 2: // with a signature under everything
		for _, o := range l.sites {
			for _, v := range o.book.State().Proposals {
				frames = append(frames, frame(frameProposal, s.add(v)))
			}
		}
	case 3:
		if len(frames) > 0 {
			f := bytes.Clone(frames[l.rand.IntN(len(frames))])
			f[l.rand.IntN(len(f))] ^= 1 << l.rand.IntN(8)
			frames = append(frames, f)
		}
	case 4:
		frames = append(frames, frame(frameRecord, s.record(Own{Number: uint64(l.rand.IntN(3)), Addrs: []string{fmt.Sprint("lie ", l.rand.IntN(3))}})))
	case 5:
		frames = append(frames, frame(frameRecord, s.record(Own{Number: 3, Left: true, Keys: []Key{{ID: fmt.Sprint("lie-", l.rand.IntN(3))}}})))
	default:
		l.rand.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
	}
	return frames
}

// step plays one step of a site.
func (l *lab) step(s *labSite, liar bool) {
	o := l.sites[l.rand.IntN(len(l.sites))]
	switch x := l.rand.IntN(30); {
	case s.liar:
		if o != s && !o.dead && o.group == s.group {
			l.show(o, s)
			frames := l.lie(s, o)
			l.look(s.book.Newest(), frames[:0])
			l.judge(s, o, o.do(func() error { return o.book.Merge(frames) }))
		}
	case x < 2 || x > 26 && s.signs():
		s.propose(l.change(s), l.rand.IntN(20) == 0)
	case x == 2:
		s.crash = 1 + l.rand.IntN(3)
	case x == 3 && l.rand.IntN(3) == 0:
		for _, s := range l.sites {
			s.group = l.rand.IntN(2)
		}
	case x == 4:
		s.backup, s.had = s.disk, s.key
	case x == 5 && s.backup != nil && s.had == s.key && s.next == "" && !slices.ContainsFunc(l.sites, func(s *labSite) bool { return len(s.doubt) > 0 }):
		s.restore()
	case x == 6 && l.rand.IntN(2) == 0:
		s.signAll(true)
	case x == 8:
		if _, present := s.place(); present {
			must(l.t, s.say(nil))
		}
	case x == 9:
		if _, present := s.place(); present && (s.next != "" || l.rand.IntN(2) == 0 && (!s.signs() || l.rand.IntN(9) == 0)) {
			s.next = cmp.Or(s.next, l.fresh())
			ledger := &Ledger{Records: l.now + 1, Head: hashOf(nil)}
			must(l.t, s.say(func(o *Own) { o.Keys = append(o.Keys, Key{ID: string(s.next), Ledger: ledger}) }))
		}
	case x == 10 && l.rand.IntN(12) == 0 && !s.signs():
		if _, present := s.place(); present {
			must(l.t, s.say(func(o *Own) { o.Addrs, o.Left = nil, true }))
		}
	case x == 11 && l.rand.IntN(40) == 0 && !liar && len(l.sites) > 3 && l.sites[0] != s:
		s.dead = true
	case x < 15:
		s.signAll(false)
	case x < 17:
		s.hear()
	case o != s:
		l.trade(s, o)
	}
}

// history plays one history.
func history(t *testing.T, seed uint64, sum map[string]int) {
	kinds := []struct {
		n, signers, needed int
		liars              []int
	}{{3, 3, 2, nil}, {3, 3, 2, []int{2}}, {4, 3, 2, []int{3}}, {4, 4, 3, []int{3}}, {3, 1, 1, nil}, {5, 5, 3, nil}, {3, 1, 1, []int{1, 2}}, {5, 4, 3, []int{3, 4}}}
	kind := kinds[seed%uint64(len(kinds))]
	l := newLab(t, seed, kind.n, kind.signers, kind.needed)
	for _, i := range kind.liars {
		l.sites[i].liar = true
	}
	for range 180 {
		if s := l.sites[l.rand.IntN(len(l.sites))]; !s.dead {
			l.step(s, len(kind.liars) > 0)
			l.newcomers()
		}
	}
	if l.settle(Change{Kind: Extend, Arm: "last"}) != nil {
		sum["settled"]++
	} else {
		l.round()
	}
	for range 2 {
		l.round()
	}
	all := l.honest()
	for _, s := range all {
		before := s.book.Summary()
		if s.open(); !bytes.Equal(before, s.book.Summary()) {
			t.Fatalf("%s has not kept what it shows", s.name)
		}
		if s.forked {
			sum["forks"]++
			sum["versions"] += int(s.book.Newest().Version)
			if l.twice == 0 {
				t.Fatalf("a fork, although no signer has signed two versions of one parent")
			}
			return
		}
	}
	for _, s := range all {
		if a, b := l.common(all[0]), l.common(s); a != b {
			t.Fatalf("%s and %s differ:\n%s\n%s", all[0].name, s.name, a, b)
		}
	}
	sum["versions"] += int(all[0].book.Newest().Version)
	sum["lies"] += l.lies
}

// common returns what all honest sites have to hold alike: all, except for the proposals and records of liars.
func (l *lab) common(s *labSite) string {
	if l.lies == 0 {
		return fmt.Sprintf("%x", s.book.Summary())
	}
	text := s.book.chain.head()
	for _, place := range slices.Sorted(maps.Keys(s.book.records)) {
		if !l.site(s.book.newest.Peers[place].Name).liar {
			text += string(s.book.records[place].Text) + "\n"
		}
	}
	return text
}

// TestHistories plays random histories: operators want changes, sign and withdraw them; members move, rotate, leave and join; sites crash before
// and after they keep what they know, are restored from backups, partitioned and end; signers and members lie. No disk is unreadable, no
// honest site refuses another one, only those that signed twice are named, and in the end all hold the same.
func TestHistories(t *testing.T) {
	n := 150
	if os.Getenv("PEERD_LONG") != "" {
		n = 10_000
	}
	sum := make(map[string]int)
	for seed := range n {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { history(t, uint64(seed), sum) }) {
			return
		}
	}
	t.Logf("%d histories: %v", n, sum)
	if sum["versions"] < 4*n || sum["settled"] < n/2 || sum["forks"] == 0 {
		t.Error("nothing happens in these histories")
	}
}
