package site

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"peerd.dev/node"
	"peerd.dev/protocol"
)

// graphs are the versions of a network: a fourth peer comes, the first one leaves, and so that there is
// a version without a new graph, the fourth one gets another address.
func graphs() [][][]protocol.Peer {
	grown := [][]protocol.Peer{{self}, {left, right, 3}, {self}, {self}}
	left := [][]protocol.Peer{nil, {right, 3}, {self}, {self}}
	return [][][]protocol.Peer{{{self}, {0, right}, {self}}, grown, left, left}
}

// membership returns a version of the membership of the site under test.
func (r *rig) membership(version uint64) (Membership, error) {
	graph := graphs()[version-1]
	m := Membership{
		Version: version, Peers: len(graph), Neighbours: graph[self],
		ID: func(p protocol.Peer) string { return fmt.Sprint("peer ", p) }, Name: func(id string) string { return id },
		Agent: func(life Life) (*node.Agent, error) {
			x := r.setting
			x.graph = graph
			return x.agent(self, life)
		},
	}
	if version > 2 {
		m.Gone = []string{m.ID(left)}
	}
	return m, nil
}

// changing runs a script in which the membership changes after some acts: stops says how the site
// comes to the next version, while it runs (0), by a stop (1) or by a crash (2), and where it crashes besides.
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
				m, _ := r.membership(r.version)
				if err := r.s.SetMembership(m); err != nil {
					t.Fatal(err)
				}
				r.c = r.config()
			case 1:
				r.stop()
				r.start()
			case 2:
				r.crash()
				r.start()
			}
			if got := r.s.Membership(); got != r.version {
				t.Fatalf("version %d, want %d", got, r.version)
			}
		}
		if crashes[i] {
			r.crash()
			r.start()
		}
	}
	tr.frames, tr.ledger, tr.status = r.net.frames, r.lines(), seen(r.status())
	agent, err := r.s.agent.Save()
	if err != nil {
		t.Fatal(err)
	}
	tr.agent = agent.Bytes()
	r.stop()
	return tr
}

// TestNewMembershipIsARestart: a change of the membership does to a running site what a stop and a
// start do, with any protocol, and a crash before or after it changes nothing: every choice,
// frame and ledger record is the same, so nothing is drawn or released twice.
func TestNewMembershipIsARestart(t *testing.T) {
	for _, name := range withoutRoles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seeds := uint64(3)
			if testing.Short() {
				seeds = 1
			}
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(seed, 5))
				x := usual(name, AtWindow).repeatable(seed)
				acts := newScript(seed, 160)
				at := []int{20 + rng.IntN(30), 60 + rng.IntN(30), 110 + rng.IntN(30)}
				want := acts.changing(t, x, at, 0, nil)
				if len(want.frames) == 0 {
					t.Fatal("nothing was sent")
				}
				want.compare(t, acts.changing(t, x, at, 1, nil))
				want.compare(t, acts.changing(t, x, at, 2, nil))
				for by := range 3 {
					crashes := map[int]bool{at[0]: true, at[1] - 1: true}
					for range 10 {
						crashes[rng.IntN(len(acts))] = true
					}
					x.saveEvery = 1 + rng.Uint64N(60)
					want.compare(t, acts.changing(t, x, at, by, crashes))
				}
			}
		})
	}
}
