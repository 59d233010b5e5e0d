package site

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/kept"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// graphs are the versions of a network: a fourth peer comes, the first one leaves, and in the last version
// the graph stays.
func graphs() [][][]protocol.Peer {
	grown := [][]protocol.Peer{{self}, {left, right, 3}, {self}, {self}}
	left := [][]protocol.Peer{nil, {right, 3}, {self}, {self}}
	return [][][]protocol.Peer{{{self}, {0, right}, {self}}, grown, left, left}
}

// actions returns the actions of a version: the second one adds an action, the last one retires
// it.
func (r *rig) actions(version uint64) (names []string, absent []bandit.Arm) {
	switch names = slices.Clone(r.arms); {
	case r.features > 0: // all are there in every version
	case version == 1:
		names[2], absent = "", []bandit.Arm{2}
	case version == 4:
		absent = []bandit.Arm{0}
	}
	return names, absent
}

// membershipOf returns the membership of a document, which is its number.
func (r *rig) membershipOf(document []byte) (Membership, error) {
	return r.membership(store.ReadNumber(document)), nil
}

// membership returns a version of the membership of the site under test.
func (r *rig) membership(version uint64) Membership {
	graph := graphs()[version-1]
	m := Membership{
		Document: store.Number(version), Peers: len(graph), Neighbours: graph[self],
		ID: func(p protocol.Peer) string { return fmt.Sprint("peer ", p) }, Name: func(id string) string { return id },
	}
	m.Arms, m.Absent = r.actions(version)
	m.Agent = func(life Life) (*node.Agent, error) {
		x := r.setting
		x.graph, x.absent = graph, m.Absent
		return x.agent(self, life)
	}
	m.Half = func(life Life) (*kept.Half, error) {
		x := r.setting
		x.graph, x.absent = graph, m.Absent
		return x.half(life)
	}
	if version > 2 {
		m.Gone = []string{m.ID(left)}
	}
	return m
}

// changing runs a script in which the membership changes after some acts. by says how the site
// gets to the next version: while it runs (0), by a stop (1) or by a crash (2). crashes says
// where it crashes in addition.
func (s script) changing(t *testing.T, x setting, at []int, by int, crashes map[int]bool) *trace {
	t.Helper()
	r := newRig(t, x)
	r.version = 1
	r.start()
	tr := new(trace)
	var ids []string
	for i := range s {
		a := &s[i]
		r.clock.add(a.wait)
		ids = tr.ask(r, a.asks, ids)
		tr.report(r, a.reports, ids)
		if a.round {
			r.round()
		}
		if int(r.version) <= len(at) && i == at[r.version-1] {
			r.version++
			switch by {
			case 0:
				m := r.membership(r.version)
				require.NoError(t, r.s.SetMembership(m))
				r.c = r.config()
			case 1:
				r.stop()
				r.start()
			case 2:
				r.crash()
				r.start()
			}
			if got := store.ReadNumber(r.s.c.Document); got != r.version {
				t.Fatalf("version %d, want %d", got, r.version)
			}
		}
		if crashes[i] {
			r.crash()
			r.start()
		}
	}
	tr.frames, tr.ledger, tr.status = r.net.frames, r.lines(), seen(r.status())
	agent := require.Value(r.s.agent.Save())(t)
	tr.agent, tr.inside = agent.Bytes(), r.insideBytes()
	r.stop()
	return tr
}

// TestNewMembershipIsARestart: a change of the membership has the same effect on a running site
// as a stop and a start, with any protocol, and a crash before or after it changes nothing: every
// choice, frame and ledger record is the same, so nothing is drawn or released twice.
func TestNewMembershipIsARestart(t *testing.T) {
	t.Parallel()
	for _, name := range withoutRoles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			likeRestarts(t, usual(name, AtWindow))
		})
	}
}

// likeRestarts compares changes of the membership with restarts.
func likeRestarts(t *testing.T, x setting) {
	seeds := uint64(1)
	if os.Getenv("PEERD_LONG") != "" {
		seeds = 3
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		once := x.repeatable(seed)
		acts := newScript(seed, 160)
		at := []int{20 + rng.IntN(30), 60 + rng.IntN(30), 110 + rng.IntN(30)}
		want := acts.changing(t, once, at, 0, nil)
		if len(want.frames) == 0 {
			t.Fatal("nothing was sent")
		}
		want.compare(t, acts.changing(t, once, at, 1, nil))
		want.compare(t, acts.changing(t, once, at, 2, nil))
		for by := range 3 {
			crashes := map[int]bool{at[0]: true, at[1] - 1: true}
			for range 10 {
				crashes[rng.IntN(len(acts))] = true
			}
			once.saveEvery = 1 + rng.Uint64N(60)
			want.compare(t, acts.changing(t, once, at, by, crashes))
		}
	}
}

// TestActionsComeAndGo: an action is chosen once the network has added it, and no longer once it
// has retired it, even for asks that exclude the others; rewards of earlier decisions count.
func TestActionsComeAndGo(t *testing.T) {
	for _, name := range withoutRoles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := usual(name, AtWindow).repeatable(1)
			spec := x.spec()
			if c, err := spec.Cadence(); err != nil || x.features > 0 || c.Epochs > 0 {
				t.Skip("actions stay: they are chosen by features, or all of them explored in epochs")
			}
			x.rules.MinExposures = 2
			r := newRig(t, x)
			r.version = 1
			r.start()
			defer r.stop()
			play := func(rounds int, exclude ...string) (chosen map[string]int) {
				chosen = make(map[string]int)
				for range rounds {
					for range 5 {
						d := r.ask(decision.Ask{Exclude: exclude})
						r.pay(d.ID, 1)
						chosen[d.Action]++
					}
					r.clock.add(every)
					r.round()
				}
				return chosen
			}
			change := func(version uint64) {
				r.version = version
				m := r.membership(version)
				require.NoError(t, r.s.SetMembership(m))
				r.c = r.config()
			}
			if chosen := play(20); chosen["red"] == 0 || chosen["green"] == 0 || len(chosen) > 2 {
				t.Errorf("before: %v", chosen)
			}
			if out := r.s.Decide(t.Context(), []decision.Ask{{Exclude: []string{"blue"}}}); out[0].Err == nil {
				t.Error("an action that is not there was known")
			}
			change(2)
			if chosen := play(20); chosen["blue"] == 0 {
				t.Errorf("with the new one: %v", chosen)
			}
			open := r.ask(decision.Ask{Exclude: []string{"green", "blue"}})
			change(4)
			if receipt := r.pay(open.ID, 1); open.Action != "red" || !receipt.Counted {
				t.Errorf("a decision for %s, whose reward counts: %v", open.Action, receipt.Counted)
			}
			if chosen := play(20); chosen["red"] > 0 || chosen["blue"] == 0 || chosen["green"] == 0 {
				t.Errorf("with one retired: %v", chosen)
			}
			if chosen := play(1, "red", "green"); chosen["blue"] != 5 {
				t.Errorf("with others excluded: %v", chosen)
			}
			if out := r.s.Decide(t.Context(), []decision.Ask{{Exclude: []string{"blue", "green"}}}); out[0].Err == nil {
				t.Error("only a retired action is left, and there was a choice")
			}
		})
	}
}
