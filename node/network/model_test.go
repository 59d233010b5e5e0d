package network

import (
	"crypto/sha256"
	"errors"
	"os"
	"slices"
	"testing"
)

// A world is what all peers hold, and what one of them may be restored to.
type world struct {
	states  []State // by place
	names   []string
	trace   string  // names of earlier
	earlier []State // of the one that may be restored, oldest first
	back    bool    // it was restored
	heard   []int   // places, since then
}

// nameOf returns what distinguishes states.
func nameOf(s *State) string { return hashOf(encode([]any{s.Versions, s.Proposals, s.Signed})) }

// model visits the worlds that peers can reach.
//
// What is enumerated: a and b propose x or y, everyone signs any proposal that it holds, anyone shows anyone else all that it holds, and one
// peer is restored, once, to any state that it ever kept; all in every order. Every peer stays at the version that it has when it has
// one, so that there is one parent. Signers are a, b and c, two of whom have to sign; d, if there is one, only passes on.
type model struct {
	t     *testing.T
	first *Book
	keys  []key
	who   int  // may be restored; -1 for none
	rule  bool // it hears all others first
	again bool // a signs two proposals
	seen  map[[32]byte]bool
	todo  []world
	forks int
}

func (m *model) open(w *world, i int) *Book {
	c := Config{Keys: m.keys[i], ID: string(m.keys[i]), Keep: func(State) error { return nil }}
	if i == m.who && w.back && m.rule {
		c.Roll = new(Roll)
		c.Roll.Add(w.heard)
	}
	if s := w.states[i]; len(s.Versions) == 0 { // as Open does, without reading the first document each time
		return &Book{c: c, s: s, chain: m.first.chain, records: m.first.records, newest: m.first.newest}
	}
	b, err := Open(c, w.states[i])
	must(m.t, err)
	return b
}

// reach adds the world in which a peer holds what its book does.
func (m *model) reach(w world, i int, b *Book) {
	s := b.State()
	name := nameOf(&s)
	if i == m.who && !w.back && w.names[i] != name { // it never holds the same again
		w.earlier, w.trace = append(slices.Clip(w.earlier), s), w.trace+name
	}
	w.states, w.names = slices.Clone(w.states), slices.Clone(w.names)
	w.states[i], w.names[i] = s, name
	if name := sha256.Sum256(encode([]any{w.names, w.trace, w.back, w.heard})); !m.seen[name] {
		m.seen[name] = true
		m.todo = append(m.todo, w)
	}
}

// moves reaches what can happen next, and checks what there is.
func (m *model) moves(w world) {
	var books []*Book
	for i := range w.states {
		books = append(books, m.open(&w, i))
	}
	for i, b := range books {
		for _, o := range books[:i] {
			if b.chain.d.Version == 2 && o.chain.d.Version == 2 && b.chain.head() != o.chain.head() {
				m.forked(w, i, o)
				return
			}
		}
	}
	for i, b := range books {
		if b.chain.d.Version > 1 {
			continue
		}
		var acts []func(b *Book) error
		for _, arm := range []string{"x", "y"} {
			if i < 2 && len(b.s.Proposals) < 3 && !slices.ContainsFunc(b.s.Proposals, func(v Version) bool { return v.step().By == i }) {
				acts = append(acts, func(b *Book) error { return b.Propose(Change{Kind: Extend, Arm: arm}, m.again && i == 0) })
			}
		}
		for _, v := range b.s.Proposals {
			acts = append(acts, func(b *Book) error { return b.Sign(v.Hash()[:12], m.again && i == 0) })
		}
		for _, act := range acts {
			if n := m.open(&w, i); act(n) == nil {
				m.reach(w, i, n)
			}
		}
		for j, o := range books {
			if j == i {
				continue
			}
			frames, err := o.Lacks(b.Summary())
			must(m.t, err)
			n, next := m.open(&w, i), w
			_ = n.Merge(frames) // an own proposal with a lower try is a lie of one that was restored
			if i == m.who && w.back && !slices.Contains(w.heard, j) {
				next.heard = append(slices.Clone(w.heard), j)
				slices.Sort(next.heard)
			}
			m.reach(next, i, n)
		}
	}
	if m.who >= 0 && !w.back {
		for _, s := range w.earlier {
			next := w
			next.states, next.back, next.earlier, next.trace = slices.Clone(w.states), true, nil, ""
			next.states[m.who] = s
			m.reach(next, m.who, m.open(&next, m.who))
		}
	}
}

// forked checks that a fork names who signed both.
func (m *model) forked(w world, i int, o *Book) {
	b, fork := m.open(&w, i), new(Fork)
	frames, err := o.Lacks(b.Summary())
	must(m.t, err)
	if err = b.Merge(frames); !errors.As(err, &fork) {
		m.t.Fatalf("two versions 2, and the error is %v", err)
	}
	if who := []string{b.newest.Peers[max(0, m.who)].Name}; !slices.Equal(fork.Both, who) {
		m.t.Fatalf("the fork names %v, want %v", fork.Both, who)
	}
	m.forks++
}

// TestModel visits all worlds of three signers, and with PEERD_LONG those with a fourth peer, which passes on what they sign.
func TestModel(t *testing.T) {
	for _, x := range []struct {
		name        string
		who         int
		rule, again bool
		forks       bool
	}{
		{"a was restored and hears all", 0, true, false, false},
		{"b was restored and hears all", 1, true, false, false},
		{"c was restored and hears all", 2, true, false, false},
		{"a was restored and hears none", 0, false, false, true},
		{"c was restored and hears none", 2, false, false, true},
		{"a signs again", -1, true, true, true},
		{"nothing is forgotten", -1, true, false, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			n := 3
			if os.Getenv("PEERD_LONG") != "" {
				n = 4
			}
			d, keys := peers(n, 3, 2)
			m := &model{t: t, keys: keys, who: x.who, rule: x.rule, again: x.again, seen: make(map[[32]byte]bool)}
			root, err := Open(Config{}, State{Root: encode(&d)})
			must(t, err)
			w := world{states: slices.Repeat([]State{root.s}, n), names: slices.Repeat([]string{nameOf(&root.s)}, n), earlier: []State{root.s}}
			m.first = root
			m.reach(w, 0, m.open(&w, 0))
			for len(m.todo) > 0 {
				w, m.todo = m.todo[len(m.todo)-1], m.todo[:len(m.todo)-1]
				m.moves(w)
			}
			t.Logf("%d worlds visited, %d with a fork", len(m.seen), m.forks)
			if x.forks != (m.forks > 0) {
				t.Errorf("%d forks", m.forks)
			}
		})
	}
}
