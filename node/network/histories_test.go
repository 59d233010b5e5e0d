package network

import (
	"flag"
	"fmt"
	"slices"
	"testing"
)

var histories = flag.Int("histories", 22, "random histories of a network")

var first = flag.Uint64("first", 0, "seed of the first history")

// change draws a change that a site could want.
func (l *lab) change(s *labSite) Change {
	d := s.book.Newest()
	c := Change{Peer: s.name}
	some := func() string { return d.Peers[l.rand.IntN(len(d.Peers))].Name }
	switch l.rand.IntN(13) {
	case 0:
		c.Kind, c.ID = Add, string(l.id())
		c.Peer = "site-" + c.ID
		c.Addrs = []string{"at " + c.Peer}
	case 1:
		c.Kind, c.Peer = Remove, some()
	case 2, 3:
		if s.next == "" {
			s.next = l.id()
		}
		c.Kind, c.ID = Rotate, string(s.next)
	case 4:
		c.Kind, c.Peer, c.Arm = Extend, "", fmt.Sprint("arm-", l.rand.IntN(10))
	case 5:
		c.Kind, c.Peer, c.Arm = Retire, "", fmt.Sprint("arm-", l.rand.IntN(10))
	case 6:
		c.Kind, c.Peer = Govern, ""
		for _, p := range d.Peers {
			if p.Standing == Present && l.rand.IntN(2) == 0 {
				c.Admins = append(c.Admins, p.Name)
			}
		}
		if n := len(c.Admins); l.rand.IntN(2) == 0 {
			c.Needed = n/2 + 1 + l.rand.IntN(n-n/2+1)
		}
	case 7:
		c.Kind, c.Peer, c.Links = Link, some(), []string{some()}
	case 8:
		c.Kind, c.Peer, c.Links = Unlink, some(), []string{some()}
	case 9:
		c.Kind, c.Peer, c.Setting = Set, "", &Setting{"protocol.rows.pull", fmt.Sprint(l.rand.IntN(5))}
	default:
		c.Kind, c.Addrs = Move, []string{fmt.Sprint("at ", l.rand.IntN(1000))}
	}
	if c.Kind == Rotate {
		if err := c.Prove(s.book.At(1).Hash(), key(c.ID).Sign); err != nil {
			l.t.Fatal(err)
		}
	}
	return c
}

// lie returns what a site that lies shows: what it holds, with signatures of its own for and
// against everything, replaced and dropped parts, numbers without end, and signatures of others
// that it cannot make.
func (l *lab) lie(s *labSite) *State {
	l.lies++
	r := s.book.Record()
	x, t := r.State, s.book.terms
	a := &x.Agreement
	self := s.book.self
	if self < 0 {
		self = 0
	}
	sign := func(b []byte) []byte {
		sig, _ := s.key.Sign(b)
		return sig
	}
	round := uint64(1 + l.rand.IntN(4))
	if l.rand.IntN(10) == 0 {
		round = 1 << (10 * l.rand.IntN(7))
	}
	var motions []Sealed
	for i := range a.Wishes {
		if w := &a.Wishes[i]; w.Change != nil && len(w.Seal) > 0 {
			motions = append(motions, Sealed{Motion: *w.motion(), Number: w.Number, Approvals: a.approvals(w)})
		}
	}
	if a.Lock != nil {
		motions = append(motions, Sealed{Motion: a.Lock.Motion})
	}
	switch l.rand.IntN(7) {
	case 0:
		c := Change{Kind: Move, Peer: s.name, Addrs: []string{fmt.Sprint("a lie ", l.rand.IntN(3))}}
		w := Wish{Author: self, Number: uint64(l.rand.IntN(4)), Change: &c}
		w.Sig = sign(signedWish("wish", t.network, w.Author, w.Number, w.Change))
		if n, err := t.document.Next(&c); err == nil && l.rand.IntN(2) == 0 {
			w.Seal = sign(t.signedMotion(n.Hash()))
		}
		a.putWish(w)
		ap := Approval{Place: self, Author: self, Number: w.Number, Sig: sign(signedWish("approve", t.network, w.Author, w.Number, w.Change))}
		a.Approvals = append(a.Approvals[:len(a.Approvals):len(a.Approvals)], ap)
	case 1:
		a.Promises = put(a.Promises, Promise{Place: self, Round: round, Locked: round / 2, Sig: sign(t.signedPromise(round, round/2))}, placeOfPromise)
	case 2:
		a.Promises, a.Lock = put(a.Promises, Promise{Place: self, Round: round, Sig: sign(t.signedPromise(round, 0))}, placeOfPromise), nil
	case 3:
		*a = Agreement{Wishes: a.Wishes[:l.rand.IntN(len(a.Wishes)+1)]}
	case 4:
		if len(x.Steps) > 0 {
			last := x.Steps[len(x.Steps)-1]
			last.Motion.Change = Change{Kind: Move, Peer: s.name, Addrs: []string{"forged"}}
			x.Steps = append(x.Steps[:len(x.Steps)-1:len(x.Steps)-1], last)
		}
	default:
		if len(motions) == 0 {
			break
		}
		m := motions[l.rand.IntN(len(motions))]
		n, err := t.next(&m.Motion)
		if err != nil {
			break
		}
		place := self
		if l.rand.IntN(4) == 0 {
			place = l.rand.IntN(len(t.document.Peers)) // which is not its own
		}
		next := n.Hash()
		a.Accepts = put(a.Accepts, Mark{place, round, next, sign(t.signedAccept(round, next))}, placeOfMark)
		a.Votes = put(a.Votes, Mark{place, round, next, sign(t.signedVote(Ballot{round, t.owner(round)}, next))}, placeOfMark)
		p := Proposal{Round: round, Sealed: m, Basis: a.Promises, Sig: sign(t.signedProposal(round, next))}
		if l.rand.IntN(2) == 0 {
			p.Lock = a.Lock
		}
		a.Proposal = &p
	}
	return &x
}

// history plays one history, and returns how many versions there are in the end.
func history(t *testing.T, seed uint64) (versions, lies int) {
	kinds := []struct{ n, admins, needed, liars, dead int }{
		{n: 2},
		{n: 3, dead: 1},
		{n: 5, dead: 2},
		{n: 2, admins: 1},
		{n: 4, admins: 3, dead: 1},
		{n: 5, admins: 4, liars: 1},
		{n: 4, liars: 1},
		{n: 4, admins: 3, needed: 3, liars: 1},
		{n: 4, admins: 1, liars: 2},
		{n: 5, admins: 4, dead: 1},
		{n: 6, admins: 5, needed: 4, liars: 1},
	}
	kind := kinds[seed%uint64(len(kinds))]
	l := newLab(t, seed, kind.n, kind.admins, kind.needed)
	for i := range kind.liars { // the last admins, or other peers where one alone signs
		at := kind.admins
		if at < 2 {
			at = kind.n
		}
		l.sites[at-1-i].liar = true
	}
	for step := range 400 {
		s := l.sites[l.rand.IntN(len(l.sites))]
		if s.dead {
			continue
		}
		if s.liar {
			if o := l.sites[l.rand.IntN(len(l.sites))]; o != s && !o.dead && !o.liar {
				l.show(o, s)
				x := l.lie(s)
				_ = o.do(func() error { return o.book.Merge(x) })
			}
			continue
		}
		switch x := l.rand.IntN(24); {
		case x == 0:
			c := l.change(s)
			_ = s.do(func() error { return s.book.Wish(c) }) // may be refused
		case x == 1:
			s.crash = 1 + l.rand.IntN(3)
		case x == 2 && step%10 == 0:
			for _, s := range l.sites {
				s.group = l.rand.IntN(2)
			}
		case x == 3:
			s.backup, s.had = s.disk, s.key
		case x == 4 && s.backup != nil && step%5 == 0 && s.next == "" && s.had == s.key && !slices.ContainsFunc(l.sites, func(s *labSite) bool { return s.dead || s.liar }):
			s.restore()
		case x == 5 && l.rand.IntN(4) == 0:
			_ = s.do(s.book.Withdraw)
		case x == 6 && step == 250-l.rand.IntN(20):
			for i := range kind.dead {
				l.end(l.sites[i])
			}
		case x < 9:
			s.signAll()
		case x < 13:
			_ = s.do(s.book.Tick)
		default:
			if o := l.sites[l.rand.IntN(len(l.sites))]; o != s && o.group == s.group && !o.liar {
				l.trade(s, o)
			}
		}
		l.newcomers()
	}
	for i := range kind.dead {
		l.end(l.sites[i])
	}
	return l.settle(), l.lies
}

// TestHistories plays random histories: sites want changes, sign and withdraw them, crash before
// and after they keep what they know, are restored from backups, are partitioned and end, and as
// many signers as the document allows for lie, and other peers. No two honest sites ever believe
// different documents of one version, and in the end all have the same.
func TestHistories(t *testing.T) {
	versions, lies := 0, 0
	for seed := *first; seed < *first+uint64(*histories); seed++ {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			v, n := history(t, seed)
			versions, lies = versions+v-1, lies+n
		}) {
			return
		}
	}
	t.Logf("%d histories, %d versions, %d lies", *histories, versions, lies)
	if versions < 2**histories {
		t.Error("nothing happens in these histories")
	}
}
