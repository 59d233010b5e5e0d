package network

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var worlds = flag.Int("worlds", 10_000, "states of the model of a vote to visit; 0 for all")

// A world is what the signers of a network know while they agree on one version.
type world struct {
	known    [4]Agreement
	decided  [4]string // by those that believe a version
	restored bool
}

// model plays all that can happen to signers who agree on one version, where two changes are
// sealed: each shows another one what it knows, goes on to the next round, or is restored from a backup
// and hears the others; and the last one may lie.
type model struct {
	t      *testing.T
	books  []*Book
	next   [2]string // the two documents
	sealed [2]Sealed
	blank  Agreement
	rounds uint64 // at most
	lies   bool
	seen   map[string]bool
	todo   []world
	wins   [2]int
}

func newModel(t *testing.T, n, needed int, rounds uint64, lies bool) *model {
	m := &model{t: t, rounds: rounds, lies: lies, seen: make(map[string]bool)}
	d, keys := peers(n)
	for _, p := range d.Peers {
		d.Admins = append(d.Admins, p.Name)
	}
	d.Needed = needed
	for _, k := range keys {
		b, err := Open(Config{Keys: k, ID: string(k), Keep: func(Record) error { return nil }}, Record{State: State{First: d}})
		if err != nil {
			t.Fatal(err)
		}
		m.books = append(m.books, b)
	}
	for i := range 2 {
		b := m.books[i]
		if err := b.Wish(Change{Kind: Extend, Arm: fmt.Sprint("arm-", i)}); err != nil {
			t.Fatal(err)
		}
		for _, o := range m.books {
			if o != b {
				if err := o.Merge(&b.r.State); err != nil {
					t.Fatal(err)
				}
				w := wishOf(&o.r.Agreement, i)
				if err := o.terms.merge(&m.blank, &Agreement{Wishes: []Wish{*w}}); err != nil {
					t.Fatal(err)
				}
				r := o.r
				if err := o.sign(&r, w); err != nil {
					t.Fatal(err)
				}
				if err := b.terms.merge(&m.blank, &r.Agreement); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for i := range 2 {
		b := m.books[i]
		if err := b.terms.merge(&m.blank, &b.r.Agreement); err != nil {
			t.Fatal(err)
		}
		r := Record{State: State{Agreement: m.blank}, Wanted: b.r.Wanted}
		if did, err := b.seal(&r); !did || err != nil {
			t.Fatal(did, err)
		}
		m.blank = r.Agreement
	}
	for i, s := range m.blank.sealed(m.books[0].terms) {
		next, err := m.books[0].terms.sealed(&s)
		if err != nil {
			t.Fatal(err)
		}
		m.sealed[i], m.next[i] = s, next
	}
	for i, b := range m.books {
		b.r.Wanted = nil
		if i < 2 {
			b.r.Wanted = []Change{*wishOf(&m.blank, i).Change}
		}
	}
	return m
}

// settle makes all steps of a signer that follow from what it knows.
func (m *model) settle(w *world, i int) {
	b := m.books[i]
	for w.decided[i] == "" {
		r := Record{State: State{Agreement: w.known[i]}, Wanted: b.r.Wanted}
		if s := b.terms.decided(&r.Agreement); s != nil {
			n, err := b.terms.step(s)
			if err != nil {
				m.t.Fatal(err)
			}
			w.decided[i] = n.Hash()
			return
		}
		did, err := b.react(&r)
		if err != nil {
			m.t.Fatal(err)
		}
		w.known[i] = r.Agreement
		if !did {
			return
		}
	}
}

// name returns what distinguishes a world.
func (m *model) name(w *world) string {
	which := map[string]byte{m.next[0]: 'x', m.next[1]: 'y'}
	b := make([]byte, 0, 128)
	for i := range m.books {
		a := &w.known[i]
		b = append(b, '/', which[w.decided[i]])
		for _, p := range a.Promises {
			b = append(b, 'p', byte(p.Place), byte(p.Round), byte(p.Locked))
		}
		for _, x := range a.Accepts {
			b = append(b, 'a', byte(x.Place), byte(x.Round), which[x.Next])
		}
		for _, x := range a.Votes {
			b = append(b, 'v', byte(x.Place), byte(x.Round), which[x.Next])
		}
		if x := a.Proposal; x != nil {
			b = append(b, 'r', byte(x.Round), x.Sealed.Change.Arm[4])
		}
		if x := a.Lock; x != nil {
			b = append(b, 'l', byte(x.Round), x.Motion.Change.Arm[4])
		}
	}
	if w.restored {
		b = append(b, '!')
	}
	return string(b)
}

// reach adds a world, unless it is known.
func (m *model) reach(w world) {
	if name := m.name(&w); !m.seen[name] {
		m.seen[name] = true
		m.todo = append(m.todo, w)
	}
}

// honest returns how many signers do not lie.
func (m *model) honest() int {
	if m.lies {
		return len(m.books) - 1
	}
	return len(m.books)
}

// play visits all worlds.
func (m *model) play() {
	var w world
	for i := range m.honest() {
		w.known[i] = m.blank
		m.settle(&w, i)
	}
	m.reach(w)
	random := rand.New(rand.NewPCG(1, 1))
	for len(m.todo) > 0 && (*worlds == 0 || len(m.seen) < *worlds) {
		last := len(m.todo) - 1 // any order visits all; if not all are visited, this one finds more endings
		at := last
		if random.IntN(16) == 0 {
			at = random.IntN(len(m.todo))
		}
		w, m.todo[at] = m.todo[at], m.todo[last]
		m.todo = m.todo[:last]
		m.check(&w)
		for i := range m.honest() {
			m.moves(&w, i)
		}
	}
}

// check checks that all believe the same.
func (m *model) check(w *world) {
	said := ""
	for i := range m.honest() {
		switch d := w.decided[i]; {
		case d == "":
		case said == "" || said == d:
			said = d
			if d == m.next[0] {
				m.wins[0]++
			} else {
				m.wins[1]++
			}
		default:
			m.t.Fatalf("two documents of one version: %q", m.name(w))
		}
	}
}

// moves reaches what can happen next to a signer.
func (m *model) moves(w *world, i int) {
	b := m.books[i]
	for j := range m.honest() {
		if j != i && w.decided[i] == "" {
			n := *w
			if err := b.terms.merge(&n.known[i], &w.known[j]); err != nil {
				m.t.Fatal(err)
			}
			m.settle(&n, i)
			m.reach(n)
		}
	}
	if w.decided[i] == "" && max(1, b.round(&w.known[i])) < m.rounds {
		n := *w
		r := Record{State: State{Agreement: n.known[i]}, Wanted: b.r.Wanted}
		if err := b.goOn(&r); err != nil {
			m.t.Fatal(err)
		}
		n.known[i] = r.Agreement
		m.settle(&n, i)
		m.reach(n)
	}
	if !w.restored && !m.lies { // it forgets all, and hears all
		n := *w
		n.restored, n.known[i], n.decided[i] = true, m.blank, ""
		for j := range m.honest() {
			if j == i {
				continue
			}
			if err := b.terms.merge(&n.known[i], &w.known[j]); err != nil {
				m.t.Fatal(err)
			}
			if w.decided[j] != "" {
				n.decided[i] = w.decided[j]
			}
		}
		m.settle(&n, i)
		m.reach(n)
	}
	if m.lies && w.decided[i] == "" {
		m.lie(w, i)
	}
}

// lie lets the last signer show another one everything that it could sign.
func (m *model) lie(w *world, i int) {
	place := len(m.books) - 1
	liar, t := m.books[place], m.books[0].terms
	sign := func(b []byte) []byte {
		sig, _ := liar.keys.Sign(b)
		return sig
	}
	show := func(a Agreement) {
		n := *w
		_ = m.books[i].terms.merge(&n.known[i], &a) // what is refused changes nothing
		m.settle(&n, i)
		m.reach(n)
	}
	for round := uint64(1); round <= m.rounds; round++ {
		if round > 1 { // with no word of a lock
			show(Agreement{Promises: []Promise{{place, round, 0, sign(t.signedPromise(round, 0))}}})
		}
		for k, next := range m.next {
			show(Agreement{
				Accepts: []Mark{{place, round, next, sign(t.signedAccept(round, next))}},
				Votes:   []Mark{{place, round, next, sign(t.signedVote(Ballot{round, t.owner(round)}, next))}},
			})
			if t.owner(round) != place {
				continue
			}
			for j := range m.honest() { // on what any honest one knows, and its own word
				for _, lock := range []*Lock{nil, w.known[j].Lock} {
					basis := put(w.known[j].Promises, Promise{place, round, 0, sign(t.signedPromise(round, 0))}, placeOfPromise)
					show(Agreement{Proposal: &Proposal{round, m.sealed[k], basis, lock, sign(t.signedProposal(round, next))}})
				}
			}
		}
	}
}

// TestModel plays everything that can happen to three signers in their first two rounds, and, with
// -worlds 0, to four of whom one lies.
func TestModel(t *testing.T) {
	for _, x := range []struct {
		name      string
		n, needed int
		rounds    uint64
		lies      bool
	}{
		{"two of three", 3, 2, 2, false},
		{"three of four, one lies", 4, 3, 2, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			m := newModel(t, x.n, x.needed, x.rounds, x.lies)
			m.play()
			t.Logf("%d worlds, %d left, believed %v", len(m.seen), len(m.todo), m.wins)
			if m.wins[0] == 0 || m.wins[1] == 0 {
				t.Error("only one of the changes can come")
			}
		})
	}
}
