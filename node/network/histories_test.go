package network_test

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"peerd.dev/node/network"
)

var histories = flag.Int("histories", 25, "random histories of a network")

// key is a key derived from a name, whose id is its name.
type key string

func (k key) private() ed25519.PrivateKey {
	if p, ok := privates[k]; ok {
		return p
	}
	seed := make([]byte, ed25519.SeedSize)
	copy(seed, k)
	privates[k] = ed25519.NewKeyFromSeed(seed)
	return privates[k]
}

var privates = make(map[key]ed25519.PrivateKey)

// lab is a network of books, whose keys sign for the record.
type lab struct {
	t      *testing.T
	rand   *rand.Rand
	sites  []*labSite
	agreed map[uint64]string // hashes by version
	voted  map[string]string // by signer and ballot
	ids    int
}

// labSite is a peer with its disk.
type labSite struct {
	lab   *lab
	name  string
	key   key
	next  key // after a rotation
	book  *network.Book
	disk  []byte
	crash int // number of keeps until a crash; 0 for none
	group int // the part of a partition that it is in
}

type labKeys struct{ own key }

func (k labKeys) Sign(b []byte) ([]byte, error) { return ed25519.Sign(k.own.private(), b), nil }

func (k labKeys) Verify(id string, b, sig []byte) bool {
	return ed25519.Verify(key(id).private().Public().(ed25519.PublicKey), b, sig)
}

var errCrash = errors.New("crash")

// open starts a site from its disk.
func (s *labSite) open() {
	var r network.Record
	if err := json.Unmarshal(s.disk, &r); err != nil {
		s.lab.t.Fatal(err)
	}
	b, err := network.Open(network.Config{
		Keys: labKeys{s.key}, ID: string(s.key), Rand: rand.New(rand.NewPCG(s.lab.rand.Uint64(), 1)),
		Keep: func(r network.Record) error {
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
		},
	}, r)
	if err != nil {
		s.lab.t.Fatalf("%s: %v", s.name, err)
	}
	s.book, s.crash = b, 0
}

// do runs a step of a site, which restarts if it crashes.
func (s *labSite) do(step func() error) error {
	err := step()
	if errors.Is(err, errCrash) {
		s.open()
		err = nil
	}
	s.look()
	return err
}

// look records what the site believes, and changes to its new key.
func (s *labSite) look() {
	d := s.book.Newest()
	for v := d.Version; v > 0; v-- {
		was, ok := s.lab.agreed[v]
		if hash := s.book.At(v).Hash(); ok && was != hash {
			s.lab.t.Fatalf("%s believes another version %d", s.name, v)
		} else if ok {
			break
		} else {
			s.lab.agreed[v] = hash
		}
	}
	if i, ok := d.Place(s.name); ok && s.next != "" && d.Peers[i].ID == string(s.next) {
		s.key, s.next = s.next, ""
		s.open()
	}
}

// trade lets two sites show each other what they hold.
func (l *lab) trade(a, b *labSite) {
	show := func(from, to *labSite) {
		text, err := json.Marshal(from.book.Record().State)
		if err != nil {
			l.t.Fatal(err)
		}
		x, err := network.ParseState(text)
		if err != nil {
			l.t.Fatal(err)
		}
		l.honest(x)
		if err = to.do(func() error {
			_, wrong := to.book.Merge(x)
			return wrong
		}); err != nil {
			l.t.Fatalf("%s from %s: %v", to.name, from.name, err)
		}
	}
	show(a, b)
	if l.rand.IntN(8) > 0 { // otherwise the answer is lost
		show(b, a)
	}
}

// honest checks that no signer has shown two votes in one ballot, whatever crashes lost.
func (l *lab) honest(x *network.State) {
	for _, v := range x.Votes {
		ballot := fmt.Sprint(len(x.Steps), v.Place, v.Ballot)
		change, _ := json.Marshal(v.Motion.Change)
		if was, ok := l.voted[ballot]; ok && was != string(change) {
			l.t.Fatalf("%s: two votes", ballot)
		}
		l.voted[ballot] = string(change)
	}
}

func (l *lab) id() key {
	l.ids++
	return key(fmt.Sprintf("key-%d", l.ids))
}

// change draws a change that a site could want.
func (l *lab) change(s *labSite) network.Change {
	d := s.book.Newest()
	c := network.Change{Peer: s.name}
	switch l.rand.IntN(8) {
	case 0:
		c.Kind, c.Peer, c.ID = network.Add, fmt.Sprintf("site-%d", l.ids), string(l.id())
		c.Addrs = []string{"at " + c.Peer}
	case 1:
		c.Kind, c.Peer = network.Remove, d.Peers[l.rand.IntN(len(d.Peers))].Name
	case 2, 3:
		if s.next == "" {
			s.next = l.id()
		}
		c.Kind, c.ID = network.Rotate, string(s.next)
	case 4:
		c.Kind, c.Peer, c.Arm = network.Extend, "", fmt.Sprint("arm-", l.rand.IntN(10))
	case 5:
		c.Kind, c.Peer, c.Arm = network.Retire, "", fmt.Sprint("arm-", l.rand.IntN(10))
	default:
		c.Kind, c.Addrs = network.Move, []string{fmt.Sprint("at ", l.rand.IntN(1000))}
	}
	if c.Kind == network.Rotate {
		if err := c.Prove(s.book.At(1).Hash(), labKeys{key(c.ID)}.Sign); err != nil {
			l.t.Fatal(err)
		}
	}
	return c
}

func newLab(t *testing.T, seed uint64) *lab {
	l := &lab{t: t, rand: rand.New(rand.NewPCG(seed, 7)), agreed: make(map[uint64]string), voted: make(map[string]string)}
	first := network.Document{Version: 1, Name: "lab", Start: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), Every: "1s"}
	n := 2 + l.rand.IntN(4)
	for i := range n {
		k := l.id()
		name := fmt.Sprint("founder-", i)
		first.Peers = append(first.Peers, network.Peer{Name: name, ID: string(k), Addrs: []string{"at home"}, Standing: network.Present})
		for j := range i {
			first.Links = append(first.Links, [2]int{j, i})
		}
		l.sites = append(l.sites, &labSite{lab: l, name: name, key: k})
	}
	if l.rand.IntN(3) == 0 {
		first.Admins = []string{"founder-0", "founder-1"}[:1+l.rand.IntN(2)]
	}
	disk, err := json.Marshal(network.Record{State: network.State{First: first}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.sites {
		s.disk = disk
		s.open()
	}
	return l
}

// newcomers gives added peers a machine.
func (l *lab) newcomers() {
	for _, s := range slices.Clone(l.sites) {
		for _, p := range s.book.Newest().Peers {
			if p.Standing == network.Present && !slices.ContainsFunc(l.sites, func(s *labSite) bool { return s.name == p.Name }) {
				other := &labSite{lab: l, name: p.Name, key: key(p.ID), disk: slices.Clone(s.disk), group: s.group}
				var r network.Record
				if err := json.Unmarshal(other.disk, &r); err != nil {
					l.t.Fatal(err)
				}
				r.Wishes, r.Approved = nil, nil
				other.disk, _ = json.Marshal(r)
				other.open()
				l.sites = append(l.sites, other)
			}
		}
	}
}

// TestHistories plays random histories: sites want changes, approve other sites' changes, crash before
// and after they keep what they know, and are partitioned. No two of them ever believe different
// documents of one version, and in the end all have the same.
func TestHistories(t *testing.T) {
	versions := 0
	for seed := range uint64(*histories) {
		l := newLab(t, seed)
		for step := range 300 {
			s := l.sites[l.rand.IntN(len(l.sites))]
			switch x := l.rand.IntN(20); {
			case x == 0:
				c := l.change(s)
				_ = s.do(func() error { return s.book.Wish(c) }) // may be refused
			case x == 1:
				s.crash = 1 + l.rand.IntN(3)
			case x == 2 && step%10 == 0:
				for _, s := range l.sites {
					s.group = l.rand.IntN(2)
				}
			case x < 6:
				if p := s.book.Record().Proposal; p != nil {
					_ = s.do(func() error { return s.book.Approve(p.Motion.Change) })
				}
			case x < 9:
				_ = s.do(s.book.Tick)
			default:
				if o := l.sites[l.rand.IntN(len(l.sites))]; o != s && o.group == s.group {
					l.trade(s, o)
				}
			}
			l.newcomers()
		}
		versions += l.settle(seed)
	}
	t.Logf("%d histories, %d versions", *histories, versions)
	if versions < 2**histories {
		t.Error("nothing happens in these histories")
	}
}

// settle lets all peers reach each other and approve everything, until there are no wishes left.
func (l *lab) settle(seed uint64) int {
	for range 400 {
		l.newcomers()
		quiet := true
		for _, s := range l.sites {
			s.group = 0
			_ = s.do(s.book.Tick)
			r := s.book.Record()
			quiet = quiet && len(r.Wishes) == 0
			if r.Proposal != nil {
				_ = s.do(func() error { return s.book.Approve(r.Proposal.Motion.Change) })
			}
			for _, o := range l.sites {
				if o != s {
					l.trade(s, o)
				}
			}
		}
		same := true
		for _, s := range l.sites {
			same = same && s.book.Newest().Hash() == l.sites[0].book.Newest().Hash()
		}
		if quiet && same {
			return len(l.agreed) - 1
		}
	}
	for _, s := range l.sites {
		r := s.book.Record()
		l.t.Logf("%s: version %d, asked %v, wishes %v, approved %v", s.name, s.book.Newest().Version, r.Asked, r.Wishes, r.Approved)
	}
	l.t.Fatalf("seed %d: the sites do not agree", seed)
	return 0
}
