package network

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
)

// A world is what all peers hold, and what one of them may be restored to.
type world struct {
	states  []string // by place
	earlier []string // of the one that may be restored, oldest first
	back    bool     // it was restored
	heard   []int    // places, since then
}

// model visits the worlds that peers can reach.
//
// What is enumerated: a and b propose x or y, everyone signs any proposal that it holds, anyone shows anyone else all that it holds, and one
// peer is restored, once, to any state that it ever kept; all in every order. Every peer stays at the version that it has when it has
// one, so that there is one parent. Signers are a, b and c, two of whom have to sign; d, if there is one, only passes on.
type model struct {
	t     *testing.T
	keys  []key
	who   int  // may be restored; -1 for none
	rule  bool // it hears all others first
	again bool // a signs two proposals
	seen  map[[32]byte]bool
	todo  []world
	forks int
}

func (m *model) open(w *world, i int) *Book {
	var s State
	must(m.t, json.Unmarshal([]byte(w.states[i]), &s))
	c := Config{Keys: m.keys[i], ID: string(m.keys[i]), Keep: func(State) error { return nil }}
	if i == m.who && w.back && m.rule {
		c.Roll = new(Roll)
		c.Roll.Add(w.heard)
	}
	b, err := Open(c, s)
	must(m.t, err)
	return b
}

// reach adds the world in which a peer holds what its book does.
func (m *model) reach(w world, i int, b *Book) {
	w.states = slices.Clone(w.states)
	w.states[i] = string(encode(b.State()))
	if i == m.who && !w.back && !slices.Contains(w.earlier, w.states[i]) {
		w.earlier = append(slices.Clip(w.earlier), w.states[i])
	}
	if name := sha256.Sum256(encode([]any{w.states, w.earlier, w.back, w.heard})); !m.seen[name] {
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
			next.states, next.back, next.earlier = slices.Clone(w.states), true, nil
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
			n, most := 3, 1_500
			if os.Getenv("PEERD_LONG") != "" {
				most = 1 << 62
			}
			d, keys := peers(n, 3, 2)
			m := &model{t: t, keys: keys, who: x.who, rule: x.rule, again: x.again, seen: make(map[[32]byte]bool)}
			w := world{states: slices.Repeat([]string{string(encode(&State{Root: encode(&d)}))}, n)}
			m.reach(w, 0, m.open(&w, 0))
			for len(m.todo) > 0 && len(m.seen) < most {
				w, m.todo = m.todo[len(m.todo)-1], m.todo[:len(m.todo)-1]
				m.moves(w)
			}
			t.Logf("%d worlds visited, %d left, %d with a fork", len(m.seen)-len(m.todo), len(m.todo), m.forks)
			if x.forks != (m.forks > 0) {
				t.Errorf("%d forks", m.forks)
			}
		})
	}
}
