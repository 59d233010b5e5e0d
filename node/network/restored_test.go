package network

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// restores plays a history of honest signers, one at a time of whom is restored from a backup while others are away.
func restores(t *testing.T, seed uint64) (versions, restored int) {
	kinds := []struct{ n, admins, needed int }{{4, 3, 2}, {3, 0, 0}, {5, 5, 3}, {4, 3, 2}, {5, 4, 3}, {3, 1, 1}}
	kind := kinds[seed%uint64(len(kinds))]
	l := newLab(t, seed, kind.n, kind.admins, kind.needed)
	for range 8 { // partitions, in each of which a group may make versions
		for _, s := range l.sites {
			if s.group = l.rand.IntN(2); l.rand.IntN(4) == 0 || s.backup == nil {
				s.backup = s.disk
			}
		}
		if s := l.sites[l.rand.IntN(len(l.sites))]; !slices.ContainsFunc(l.sites, func(o *labSite) bool { return o != s && len(o.book.Awaits()) > 0 }) {
			s.restore()
			restored++
		}
		for range 30 {
			s := l.sites[l.rand.IntN(len(l.sites))]
			switch x := l.rand.IntN(16); {
			case x == 0:
				_ = s.do(func() error { return s.book.Wish(Change{Kind: Extend, Arm: fmt.Sprint("arm-", l.rand.IntN(30))}) }) // may be there
			case x == 1 && len(s.book.Awaits()) > 0:
				s.hear()
			case x < 4:
				s.signAll()
			case x < 7:
				_ = s.do(s.book.Tick)
			default:
				if o := l.sites[l.rand.IntN(len(l.sites))]; o != s && o.group == s.group {
					l.trade(s, o)
				}
			}
		}
	}
	return l.settle(), restored
}

// TestRestoredAdminsDoNotFork plays random histories of honest signers who are restored from earlier states while others are away.
// PEERD_LONG plays 10,000 of them.
func TestRestoredAdminsDoNotFork(t *testing.T) {
	n, text := 30, "30"
	if os.Getenv("PEERD_LONG") != "" {
		n, text = 10_000, "10,000"
	}
	versions, restored := 0, 0
	for seed := range n {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			v, r := restores(t, uint64(seed))
			versions, restored = versions+v-1, restored+r
		}) {
			return
		}
	}
	if versions < n || restored < n {
		t.Errorf("nothing happens in these histories: %d versions, %d restored", versions, restored)
	}
	t.Logf("%s histories of the document with admins restored while others are away: no fork with honest signers (%d versions, %d restored)", text, versions, restored)
}

// TestARestoredAdminHearsAllOthers: of three admins, two of whom have to sign, one is restored while the one with whom it made
// a version is away. With the other one it makes no second document of that version.
func TestARestoredAdminHearsAllOthers(t *testing.T) {
	for _, word := range []bool{false, true} {
		l := newLab(t, 1, 4, 3, 2)
		a, b, c := l.sites[0], l.sites[1], l.sites[2]
		go2 := func(x, y *labSite, arm string) {
			if err := x.book.Wish(Change{Kind: Extend, Arm: arm}); err != nil {
				t.Fatal(err)
			}
			for range 100 {
				l.trade(x, y)
				for _, s := range []*labSite{x, y} {
					s.signAll()
					if err := s.book.Tick(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		a.backup = a.disk
		go2(a, c, "blue")
		if c.book.Newest().Version != 2 {
			t.Fatal("two of three make no version")
		}
		c.group = 1
		a.restore()
		if who := a.book.Awaits(); !slices.Equal(who, []string{"c"}) {
			t.Fatalf("it waits for %v", who)
		}
		if !word {
			go2(a, b, "green")
			if v := b.book.Newest().Version; v != 1 {
				t.Fatalf("version %d without c", v)
			}
			c.group = 0
			a.hear()
			if l.settle() != 3 {
				t.Error("what a wants does not come")
			}
			continue
		}
		if err := a.book.DoWithout([]string{"a"}); err == nil || !strings.Contains(err.Error(), "no other peer") {
			t.Error(err)
		}
		if err := a.book.DoWithout([]string{"c"}); err != nil {
			t.Fatal(err)
		}
		if err := a.book.Wish(Change{Kind: Extend, Arm: "green"}); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			show := func(from, to *labSite) {
				x := from.book.Record().State
				_ = to.book.Merge(&x)
			}
			show(a, b)
			show(b, a)
			for _, s := range []*labSite{a, b} {
				for _, p := range s.book.Proposed() {
					_ = s.book.Approve(p.Hash)
				}
				_ = s.book.Tick()
			}
		}
		if v := a.book.Newest().Version; v != 2 || len(a.book.Record().Without) > 0 {
			t.Errorf("version %d with the word of an operator, which holds for %v more", v, a.book.Record().Without)
		}
	}
}

// TestAPromiseIsValidAfterAWait: a signer that could not act when it learned of a lock has not voted for it, and goes on to a round after it.
func TestAPromiseIsValidAfterAWait(t *testing.T) {
	x := newVoted(t, Change{Kind: Extend, Arm: "blue"})
	d, keys := peers(4)
	b, err := Open(Config{Keys: keys[3], ID: string(keys[3]), Keep: func(Record) error { return nil }, Roll: new(Roll)}, Record{State: State{First: d}})
	if err == nil {
		err = b.Merge(&State{First: d, Agreement: Agreement{Lock: x.lockIn(5)}})
	}
	if err == nil {
		b.roll = nil // it has heard enough
		err = b.update(b.goOn)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p := find(b.r.Agreement.Promises, 3, placeOfPromise); p.Locked != 5 || x.promise(p) != nil {
		t.Errorf("%+v: %v", p, x.promise(p))
	}
}

// TestAQuorumsRestIsNotEnoughToHear: of five admins, three of whom have to sign, a is restored after a vote that only c has seen, which is
// away. The other three are one of every quorum that has decided. They and a would decide on another document, since nothing is
// decided yet; c then shows a's vote to b.
func TestAQuorumsRestIsNotEnoughToHear(t *testing.T) {
	l := newLab(t, 1, 5, 5, 3)
	a, b, c, d, e := l.sites[0], l.sites[1], l.sites[2], l.sites[3], l.sites[4]
	show := func(pairs ...*labSite) {
		for i := 0; i < len(pairs); i += 2 {
			l.show(pairs[i], pairs[i+1])
		}
	}
	tick := func(s *labSite, n int) {
		for range n {
			_ = s.do(s.book.Tick)
		}
	}
	wish := func(s *labSite, arm string, by ...*labSite) {
		if err := s.book.Wish(Change{Kind: Extend, Arm: arm}); err != nil {
			t.Fatal(err)
		}
		for _, o := range by {
			show(s, o)
			o.signAll()
			show(o, s)
		}
	}
	wish(c, "blue", a, b) // c owns round 1, and proposes it
	wish(a, "green", d, e)
	show(a, d, a, e)
	a.backup = a.disk
	show(c, a, c, b, a, c, b, c)  // a and b accept, c locks it and votes
	show(c, a, a, c)              // a votes
	tick(d, waitFirst+waitMore+2) // d and e have heard of no proposal, and go on to round 2
	tick(e, waitFirst+waitMore+2)
	if m := find(c.book.Record().Agreement.Votes, 0, placeOfMark); m == nil || roundOf(&d.book.r.Agreement, 3) != 2 {
		t.Fatal("a has not voted, or d is not in round 2")
	}
	c.group = 1
	a.restore()
	tick(a, 1) // it goes on with them
	for range 4 {
		show(a, d, e, d, d, a, d, e, a, e, e, a)
	}
	show(c, b)
	if l.settle() != 3 {
		t.Error("the two changes have not come")
	}
}
