package network

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// key is a key whose id is its name, and whose signatures are a hash with it, also if they are too long.
type key string

func (k key) Sign(b []byte) ([]byte, error) {
	sum := sha256.Sum256(append([]byte(k+"\x00"), b...))
	return sum[:], nil
}

func (key) Verify(id string, b, sig []byte) bool {
	want, _ := key(id).Sign(b)
	return slices.Equal(want, sig) || len(sig) > maxSig && bytes.HasPrefix(sig, want)
}

// lab is a network of books.
type lab struct {
	t      testing.TB
	rand   *rand.Rand
	sites  []*labSite
	signed map[string]string // hash of the version that was shown, by signer and parent
	now    uint64            // of records
	ids    int
	lies   int
	twice  int // signers that signed two versions of one parent
}

// labSite is a peer with its disk.
type labSite struct {
	lab    *lab
	name   string
	key    key
	next   key // after a rotation
	book   *Book
	disk   []byte
	backup []byte
	had    key // when the backup was made
	roll   *Roll
	crash  int      // number of keeps until a crash; 0 for none
	group  int      // the part of a partition that it is in
	liar   bool     // what it shows is up to the history
	dead   bool     // permanently
	doubt  []string // peers that it has not heard since it was restored
	again  bool     // its operator has had it sign again
	forgot bool     // it was restored
	forked bool     // it was shown a fork
}

var errCrash = errors.New("crash")

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open starts a site from its disk.
func (s *labSite) open() {
	var st State
	must(s.lab.t, json.Unmarshal(s.disk, &st))
	b, err := Open(Config{Keys: s.key, ID: string(s.key), Keep: s.keep, Roll: s.roll}, st)
	if err != nil {
		s.lab.t.Fatalf("%s does not open from its disk: %v", s.name, err)
	}
	s.book, s.crash = b, 0
}

func (s *labSite) keep(st State) error {
	s.crash--
	if s.crash == 0 && s.lab.rand.IntN(2) == 0 {
		return errCrash // before it is on disk
	}
	s.disk = encode(&st)
	if s.crash == 0 {
		return errCrash // after it
	}
	return nil
}

// twice reports whether a site can have signed two versions of one parent. A proposal that its proposer's operator replaced takes the
// signatures of others with it, so that one of them that is restored does not hear of its own.
func (s *labSite) twice() bool {
	return s.liar || s.again || len(s.doubt) > 0 || s.forgot && slices.ContainsFunc(s.lab.sites, func(o *labSite) bool { return o.again || o.liar })
}

// start starts a site as a process does. Its neighbours confirm that its folder is current, unless it was restored.
func (s *labSite) start() {
	s.roll = new(Roll)
	s.roll.Confirm(len(s.doubt) == 0)
	s.open()
	s.hear()
}

// restore starts a site from a backup. No neighbour confirms that its folder is current.
func (s *labSite) restore() {
	s.disk, s.doubt, s.forgot = s.backup, nil, true
	for _, o := range s.lab.sites {
		if o != s && !o.dead {
			s.doubt = append(s.doubt, o.name)
		}
	}
	s.roll = new(Roll)
	s.open()
	if _, present := s.place(); present && s.lab.rand.IntN(2) == 0 {
		_ = s.say(nil) // it need not know yet that it left
	}
	s.hear()
}

// place returns the place of a site, and whether it is present.
func (s *labSite) place() (place int, present bool) {
	d := s.book.Newest()
	i, ok := d.Place(s.name)
	return i, ok && d.Peers[i].Standing == Present && d.Peers[i].ID == string(s.key)
}

// signs reports whether a site signs versions.
func (s *labSite) signs() bool {
	x := s.book.chain.d.SignerAt(s.book.self())
	return x != nil && x.ID == string(s.key)
}

// say gives a site a record with new addresses.
func (s *labSite) say(change func(o *Own)) error {
	s.lab.now++
	addrs := []string{fmt.Sprint("at ", s.lab.now)}
	return s.do(func() error {
		return s.book.Say(s.lab.now, s.next, func(o *Own) {
			if o.Addrs = addrs; change != nil {
				change(o)
			}
		})
	})
}

// hear has a site exchange the document with all that it can reach.
func (s *labSite) hear() {
	var heard []int
	for _, o := range s.lab.sites {
		if o == s || o.dead || o.group != s.group {
			continue
		}
		s.lab.show(o, s)
		if place, ok := s.book.Newest().Place(o.name); ok {
			heard = append(heard, place)
		}
		s.doubt = slices.DeleteFunc(s.doubt, func(name string) bool { return name == o.name })
	}
	s.roll.Add(heard)
}

// do runs a step of a site, which restarts if it crashes, and changes to its new key.
func (s *labSite) do(step func() error) error {
	err := step()
	if errors.Is(err, errCrash) {
		s.start()
		err = nil
	}
	if d := s.book.Newest(); s.next != "" {
		if i, ok := d.Place(s.name); ok && d.Peers[i].ID == string(s.next) {
			s.key, s.next = s.next, ""
			s.open()
		}
	}
	return err
}

// site returns the site with a name.
func (l *lab) site(name string) *labSite {
	return l.sites[slices.IndexFunc(l.sites, func(s *labSite) bool { return s.name == name })]
}

// show lets a site show another one what that one lacks.
func (l *lab) show(from, to *labSite) {
	frames, err := from.book.Lacks(to.book.Summary())
	must(l.t, err)
	l.look(from.book.Newest(), frames)
	l.judge(from, to, to.do(func() error { return to.book.Merge(frames) }))
}

// judge ends a history in which one honest site refuses what another one shows, except for what a liar has signed.
func (l *lab) judge(from, to *labSite, err error) {
	fork, lie := new(Fork), new(Lie)
	switch {
	case errors.As(err, &fork):
		to.forked = true
		for _, name := range fork.Both {
			if s := l.site(name); !s.twice() {
				l.t.Fatalf("%s names %s, which has not signed both: %v", to.name, name, err)
			}
		}
		if len(fork.Both) == 0 {
			l.t.Fatalf("a fork that names no signer: %v", err)
		}
	case err == nil || from.liar || to.liar:
	case errors.As(err, &lie):
		if s := l.site(to.book.Newest().Peers[lie.Place].Name); !s.twice() {
			l.t.Fatalf("%s from %s accuses one that does not lie: %v", to.name, from.name, err)
		}
	default:
		l.t.Fatalf("%s from %s: %v", to.name, from.name, err)
	}
}

// look checks that no honest signer has shown signatures of two versions of one parent, whatever crashes lost: unless its operator
// wanted it, or it was restored and has not heard all.
func (l *lab) look(d *Document, frames [][]byte) {
	for _, f := range frames {
		var v Version
		var x Step
		if f[0] != frameVersion && f[0] != frameProposal || read(f[1:], &v) != nil || read(v.Text, &x) != nil {
			continue
		}
		for _, sig := range v.Sigs {
			s := l.site(d.Peers[sig.Place].Name)
			of := s.name + x.Parent
			if was, ok := l.signed[of]; ok && was != v.Hash() {
				l.twice++
				if !s.twice() {
					l.t.Fatalf("%s signed two versions %d", s.name, x.Number)
				}
			}
			l.signed[of] = v.Hash()
		}
	}
}

// trade lets two sites show each other what they hold.
func (l *lab) trade(a, b *labSite) {
	if a.dead || b.dead || a.group != b.group {
		return
	}
	l.show(a, b)
	if l.rand.IntN(8) > 0 { // otherwise the answer is lost
		l.show(b, a)
	}
}

// fresh returns a new key.
func (l *lab) fresh() key {
	l.ids++
	return key(fmt.Sprint("key-", l.ids))
}

// peers returns a document of n peers that all have links, of whom the first some sign, and their keys.
func peers(n, signers, needed int) (d Document, keys []key) {
	d = Document{Version: 1, Name: "lab", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s", Needed: needed, Settings: []Setting{{"pull", "1"}}}
	for i := range n {
		name := string(rune('a' + i))
		keys = append(keys, key("of "+name))
		d.Peers = append(d.Peers, Peer{Name: name, ID: "of " + name, Addrs: []string{"at home"}, Standing: Present})
		if i < signers {
			d.Signers = append(d.Signers, Signer{name, "of " + name})
		}
		for j := range i {
			d.Links = append(d.Links, [2]int{j, i})
		}
	}
	return d, keys
}

// newLab starts a network.
func newLab(t testing.TB, seed uint64, n, signers, needed int) *lab {
	t.Helper()
	l := &lab{t: t, rand: rand.New(rand.NewPCG(seed, 7)), signed: make(map[string]string)}
	first, keys := peers(n, signers, needed)
	for i, k := range keys {
		s := &labSite{lab: l, name: first.Peers[i].Name, key: k, disk: encode(&State{Root: encode(&first)}), roll: new(Roll)}
		s.roll.Confirm(true)
		l.sites = append(l.sites, s)
		s.open()
	}
	for _, s := range l.sites {
		s.hear()
	}
	return l
}

// newcomers gives each invited peer a machine, which joins with a key of its own.
func (l *lab) newcomers() {
	for _, s := range slices.Clone(l.sites) {
		for _, p := range s.book.Newest().Peers {
			if s.liar || s.dead || p.Standing != Invited || slices.ContainsFunc(l.sites, func(o *labSite) bool { return o.name == p.Name }) {
				continue
			}
			root := s.book.State().Root
			g := &labSite{lab: l, name: p.Name, key: key(p.ID), next: l.fresh(), disk: encode(&State{Root: root}), group: s.group}
			l.sites = append(l.sites, g)
			g.open()
			l.show(s, g)
			g.start()
			must(l.t, g.say(func(o *Own) { o.Keys = append(o.Keys, Key{ID: string(g.next)}) }))
		}
	}
}

// signAll lets a site sign all that honest signers propose.
func (s *labSite) signAll(again bool) {
	for _, p := range s.book.Proposed() {
		if !s.lab.site(p.By).liar {
			s.again = s.again || again
			_ = s.do(func() error { return s.book.Sign(p.Hash, again) }) // it may not be a signer, or have signed another one
		}
	}
}

// agree has some signers make a version.
func (l *lab) agree(c Change, by ...*labSite) {
	l.t.Helper()
	must(l.t, by[0].book.Propose(c, false))
	for i, s := range by[1:] {
		l.show(by[i], s)
		s.signAll(false)
	}
	for _, s := range by {
		l.show(by[len(by)-1], s)
	}
}

// honest returns the sites that run and do not lie.
func (l *lab) honest() []*labSite {
	return slices.DeleteFunc(slices.Clone(l.sites), func(s *labSite) bool { return s.dead || s.liar })
}

// round lets all honest sites reach each other.
func (l *lab) round() {
	l.newcomers()
	for _, s := range l.sites {
		s.group = 0
	}
	for _, s := range l.honest() {
		if len(s.book.Awaits()) > 0 {
			s.hear()
			s.doubt = slices.DeleteFunc(s.doubt, func(name string) bool { return l.site(name).dead })
			s.roll.Confirm(len(s.doubt) == 0) // those that it awaits have ended
		}
	}
	for _, a := range l.honest() {
		for _, b := range l.honest() {
			if a != b {
				l.show(a, b)
			}
		}
	}
}

// propose has an operator propose a change.
func (s *labSite) propose(c Change, again bool) {
	s.again = s.again || again
	_ = s.do(func() error { return s.book.Propose(c, again) }) // it may be against the rules, or not a signer's, or have to wait
}

// settle ends partitions, and has all operators sign what is proposed. Where each has signed another proposal, they decide for a new
// one. It returns a site in which a change comes, or nil if liars, dead signers or a fork can prevent it.
func (l *lab) settle(c Change) *labSite {
	for try := range 40 {
		for range 3 {
			l.round()
		}
		all := l.honest()
		if slices.ContainsFunc(all, func(s *labSite) bool { return s.forked }) {
			return nil
		}
		d := all[0].book.Newest()
		able := slices.DeleteFunc(slices.Clone(all), func(s *labSite) bool { return !s.signs() })
		switch {
		case slices.Contains(d.Added, c.Arm):
			return all[0]
		case len(able) < d.Quorum():
			return nil
		case try%4 > 0:
			for _, s := range able {
				s.signAll(false)
			}
			continue
		}
		able[0].propose(c, try > 0)
		of := able[0].book.self()
		for _, s := range able[1:] {
			l.show(able[0], s)
			for _, p := range s.book.State().Proposals {
				if try > 0 && p.step().By == of {
					s.again = true
					_ = s.do(func() error { return s.book.Sign(p.Hash()[:12], true) }) // it may have signed this one
				}
			}
		}
	}
	l.t.Fatalf("what a quorum wants does not come: %s", encode(l.honest()[0].book.Proposed()))
	return nil
}
