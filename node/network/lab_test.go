package network

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// key is a key whose id is its name, and whose signatures are a hash with it.
type key string

func (k key) Sign(b []byte) ([]byte, error) {
	sum := sha256.Sum256(append([]byte(k+"\x00"), b...))
	return sum[:], nil
}

func (key) Verify(id string, b, sig []byte) bool {
	want, _ := key(id).Sign(b)
	return slices.Equal(want, sig)
}

// lab is a network of books.
type lab struct {
	t      *testing.T
	rand   *rand.Rand
	sites  []*labSite
	marked map[string]string // documents by signer, version and round
	ids    int
	lies   int
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
	crash  int  // number of keeps until a crash; 0 for none
	group  int  // the part of a partition that it is in
	liar   bool // what it shows is up to the history
	dead   bool

	restored bool // at least once, so that it may have forgotten a wish
}

var errCrash = errors.New("crash")

// open starts a site from its disk.
func (s *labSite) open() {
	var r Record
	if err := json.Unmarshal(s.disk, &r); err != nil {
		s.lab.t.Fatal(err)
	}
	b, err := Open(Config{Keys: s.key, ID: string(s.key), Keep: s.keep, Fits: s.lab.fits, Roll: s.roll}, r)
	if err != nil {
		s.lab.t.Fatalf("%s: %v", s.name, err)
	}
	s.book, s.crash = b, 0
}

func (s *labSite) keep(r Record) error {
	s.crash--
	if s.crash == 0 && s.lab.rand.IntN(2) == 0 {
		return errCrash // before it is on disk
	}
	var err error
	if s.disk, err = json.Marshal(r); err != nil {
		s.lab.t.Fatal(err)
	}
	if s.crash == 0 {
		return errCrash // after it
	}
	return nil
}

// start starts a site as a process does: it hears those who can be reached before it signs.
func (s *labSite) start() {
	s.roll = new(Roll)
	s.roll.Confirm(true)
	s.open()
	s.hear()
}

// restore starts a site from a backup. No neighbour confirms that its folder is current.
func (s *labSite) restore() {
	s.disk, s.roll, s.restored = s.backup, new(Roll), true
	s.open()
	s.hear()
}

// hear has a site exchange the document with all who can be reached, as a process does until it has heard enough.
func (s *labSite) hear() {
	var heard []int
	for _, o := range s.lab.sites {
		if o == s || o.dead || o.liar || o.group != s.group {
			continue
		}
		s.lab.show(o, s)
		if place, ok := s.book.Newest().Place(o.name); ok {
			heard = append(heard, place)
		}
	}
	s.roll.Add(heard)
}

// gone is why the history refuses a version. It changes when a site ends, as no reason of a peer does.
const gone = "too many lie or are gone"

// fits refuses versions with which the history would have more liars than the document allows for,
// or too few signers that run.
func (l *lab) fits(_, is *Document) error {
	liars, run := 0, 0
	for _, place := range is.Signers() {
		i := slices.IndexFunc(l.sites, func(s *labSite) bool { return s.name == is.Peers[place].Name })
		switch {
		case i >= 0 && l.sites[i].liar:
			liars++
		case i < 0 || !l.sites[i].dead:
			run++
		}
	}
	if liars > max(0, is.Liars()) || run < is.Quorum() {
		return refuse(gone)
	}
	return nil
}

// end ends a site permanently, unless the others could not go on without it: with the version that one of them has, or with one that is
// accepted already and that they have to complete.
func (l *lab) end(s *labSite) {
	was := s.dead
	s.dead = true
	for _, o := range l.sites {
		a := o.book.Record().Agreement
		for _, m := range []*Motion{nil, motionOf(a.Proposal), motionOfLock(a.Lock)} {
			d := o.book.Newest()
			if m != nil {
				d, _ = d.Next(&m.Change)
			}
			if d != nil && l.fits(nil, d) != nil {
				s.dead = was
				return
			}
		}
	}
}

func motionOf(x *Proposal) *Motion {
	if x == nil {
		return nil
	}
	return &x.Sealed.Motion
}

func motionOfLock(x *Lock) *Motion {
	if x == nil {
		return nil
	}
	return &x.Motion
}

// do runs a step of a site, which restarts if it crashes.
func (s *labSite) do(step func() error) error {
	err := step()
	if errors.Is(err, errCrash) {
		s.start()
		err = nil
	}
	s.look()
	return err
}

// look checks what an honest site believes and has signed, and changes to its new key.
func (s *labSite) look() {
	if s.liar {
		return
	}
	d := s.book.Newest()
	for _, o := range s.lab.sites {
		if both := min(d.Version, o.book.Newest().Version); !o.liar && s.book.At(both).Hash() != o.book.At(both).Hash() {
			s.lab.t.Fatalf("%s and %s believe different versions %d", s.name, o.name, both)
		}
	}
	if i, ok := d.Place(s.name); ok && s.next != "" && d.Peers[i].ID == string(s.next) {
		s.key, s.next = s.next, ""
		s.open()
	}
}

// show lets a site show another one what it holds.
func (l *lab) show(from, to *labSite) {
	b, err := json.Marshal(from.book.Record().State)
	if err != nil {
		l.t.Fatal(err)
	}
	x, err := ParseState(b)
	if err != nil {
		l.t.Fatal(err)
	}
	l.honest(x)
	err = to.do(func() error { return to.book.Merge(x) })
	if lie := new(Lie); errors.As(err, &lie) {
		i := slices.IndexFunc(l.sites, func(s *labSite) bool { return s.name == to.book.Newest().Peers[lie.Place].Name })
		if i >= 0 && !l.sites[i].liar && !l.sites[i].restored && !strings.Contains(err.Error(), gone) {
			l.t.Fatalf("%s from %s accuses one that does not lie: %v", to.name, from.name, err)
		}
	} else if err != nil && !from.liar && !to.liar {
		l.t.Fatalf("%s from %s: %v", to.name, from.name, err)
	}
}

// trade lets two sites show each other what they hold.
func (l *lab) trade(a, b *labSite) {
	if a.dead || b.dead {
		return
	}
	l.show(a, b)
	if l.rand.IntN(8) > 0 { // otherwise the answer is lost
		l.show(b, a)
	}
}

// honest checks that no honest signer has shown two acceptances or votes in one round, whatever
// crashes lost.
func (l *lab) honest(x *State) {
	for kind, all := range map[string][]Mark{"accept": x.Agreement.Accepts, "vote": x.Agreement.Votes} {
		for _, m := range all {
			if m.Place < len(l.sites) && l.sites[m.Place].liar {
				continue
			}
			of := fmt.Sprint(kind, len(x.Steps), m.Place, m.Round)
			if was, ok := l.marked[of]; ok && was != m.Next {
				l.t.Fatalf("%s: two of one round", of)
			}
			l.marked[of] = m.Next
		}
	}
}

func (l *lab) id() key {
	l.ids++
	return key(fmt.Sprintf("key-%d", l.ids))
}

// peers returns a document of n peers that all have links, and their keys.
func peers(n int) (Document, []key) {
	d := Document{Version: 1, Name: "lab", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s", Settings: []Setting{{"protocol.rows.pull", "1"}}}
	keys := make([]key, n)
	for i := range n {
		name := string(rune('a' + i))
		keys[i] = key("of " + name)
		d.Peers = append(d.Peers, Peer{Name: name, ID: string(keys[i]), Addrs: []string{"at home"}, Standing: Present})
		for j := range i {
			d.Links = append(d.Links, [2]int{j, i})
		}
	}
	return d, keys
}

// newLab starts a network of n peers, the first of which are admins, unless there are 0 admins.
func newLab(t *testing.T, seed uint64, n, admins, needed int) *lab {
	t.Helper()
	l := &lab{t: t, rand: rand.New(rand.NewPCG(seed, 7)), marked: make(map[string]string)}
	first, keys := peers(n)
	for i := range admins {
		first.Admins = append(first.Admins, first.Peers[i].Name)
	}
	first.Needed = needed
	disk, err := json.Marshal(Record{State: State{First: first}})
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range keys {
		s := &labSite{lab: l, name: first.Peers[i].Name, key: k, disk: disk}
		l.sites = append(l.sites, s)
	}
	for _, s := range l.sites {
		s.open()
	}
	return l
}

// newcomers gives added peers a machine.
func (l *lab) newcomers() {
	for _, s := range slices.Clone(l.sites) {
		if s.liar || len(s.book.Newest().Peers) <= len(l.sites) {
			continue
		}
		for _, p := range s.book.Newest().Peers[len(l.sites):] {
			other := &labSite{lab: l, name: p.Name, key: key(p.ID), group: s.group}
			r := Record{State: s.book.Record().State}
			var err error
			if other.disk, err = json.Marshal(r); err != nil {
				l.t.Fatal(err)
			}
			other.open()
			l.sites = append(l.sites, other)
		}
	}
}

// signAll lets a site sign all that is proposed.
func (s *labSite) signAll() {
	for _, p := range s.book.Proposed() {
		_ = s.do(func() error { return s.book.Approve(p.Hash) }) // it may not be a signer
	}
}

// settle lets all peers that run reach each other and sign everything, until nothing is wanted any more,
// and returns how many versions there are.
func (l *lab) settle() int {
	l.t.Helper()
	for range 600 {
		l.newcomers()
		var on []*labSite
		for _, s := range l.sites {
			if s.group = 0; !s.dead && !s.liar {
				on = append(on, s)
			}
		}
		quiet := true
		for _, s := range on {
			if len(s.book.Awaits()) > 0 { // a version that came meanwhile can want more than it has heard
				s.hear()
			}
			_ = s.do(s.book.Tick)
			s.signAll()
			wanted := s.book.Record().Wanted
			if len(wanted) > 0 && s.book.check(&wanted[0]) != nil { // it does not fit, since others have ended
				_ = s.do(s.book.Withdraw)
				wanted = nil
			}
			quiet = quiet && len(wanted) == 0 && s.book.Newest().Hash() == on[0].book.Newest().Hash()
			for _, o := range on {
				if o != s {
					l.trade(s, o)
				}
			}
		}
		if quiet || l.fits(nil, on[0].book.Newest()) != nil { // or a liar can stop all changes, as every signer has to sign
			return int(on[0].book.Newest().Version)
		}
	}
	for _, s := range l.sites {
		r := s.book.Record()
		l.t.Logf("%s: dead %v, liar %v, version %d, %s", s.name, s.dead, s.liar, s.book.Newest().Version, text(&r.Agreement))
		l.t.Logf("wanted %v", r.Wanted)
	}
	l.t.Fatal("the sites do not agree")
	return 0
}
