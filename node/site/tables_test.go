package site

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/tables"
)

// versions returns the versions of the tables that are kept.
func (r *rig) versions() []string { return r.s.tables.(*tables.Tables).Versions() }

// TestNoTableShowsWhoAskedBefore: with noised counts the tables that are served, and those that are kept, are the same whether anyone
// asked for earlier ones or not, also over a crash. With public counts they are not.
func TestNoTableShowsWhoAskedBefore(t *testing.T) {
	for _, adjacency := range []dp.Adjacency{dp.AddOrRemove, dp.ReplaceOne} {
		for _, l := range []bandit.Params{bandit.ThompsonParams{Inflation: math.Sqrt2}, bandit.MEDParams{}} {
			var seen [2][]string
			for visits := range seen {
				x := usual(stated, AtWindow).repeatable(1)
				x.adjacency, x.learner, x.coins = adjacency, l, func() node.Seed { return node.NewSeed(2) }
				r := newRig(t, x)
				r.start()
				table := func() (v tables.Table) {
					v = require.Value(r.s.Table(t.Context()))(t)
					return v
				}
				for i := range 150 {
					if visits > 0 && i%9 == 4 {
						table()
					}
					if i < 40 || i > 100 { // the rest releases little
						r.ask(decision.Ask{ID: fmt.Sprint(i)})
					}
					if r.round(); i == 64 || i == 111 {
						r.crash()
						r.start()
					}
					if i%31 == 30 {
						seen[visits] = append(seen[visits], fmt.Sprintf("%+v", table()))
					}
				}
				seen[visits] = append(seen[visits], r.versions()...)
				r.stop()
			}
			if same := slices.Equal(seen[0], seen[1]); same != (adjacency == dp.AddOrRemove) {
				t.Errorf("%v, %s: tables are the same: %v\n%s\n%s", adjacency, l.Words().Name, same, seen[0], seen[1])
			}
		}
	}
}

// TestATableIsOfItsRound: with noised counts a table, and with it the moment that it was made, does not follow from the clock at the end
// of a round, which says how much work the round had.
func TestATableIsOfItsRound(t *testing.T) {
	var seen [2][]string
	for slow := range seen {
		x := usual(stated, AtWindow).repeatable(1)
		x.adjacency, x.learner, x.coins = dp.AddOrRemove, bandit.ThompsonParams{Inflation: math.Sqrt2}, func() node.Seed { return node.NewSeed(2) }
		r := newRig(t, x)
		r.start()
		for i := range 60 {
			r.ask(decision.Ask{ID: fmt.Sprint(i)})
			r.clock.add(every - time.Duration(1+slow*i*i%97)*every/100) // and it stays there until the next round
			if r.round(); i%10 == 7 {
				table := require.Value(r.s.Table(t.Context()))(t)
				if table.MadeAt.Sub(epoch())%every != 0 {
					t.Errorf("a table was made %v after a round began", table.MadeAt.Sub(epoch())%every)
				}
				seen[slow] = append(seen[slow], fmt.Sprintf("%+v", table))
			}
		}
		r.stop()
	}
	if !slices.Equal(seen[0], seen[1]) || seen[0][0] == seen[0][5] {
		t.Errorf("tables follow from the time that rounds take, or there is one only:\n%s\n%s", seen[0], seen[1])
	}
}

// TestReadingATableWritesOnce: who may only read cannot wear out the disk, and a table that is durable is served while there is no room.
func TestReadingATableWritesOnce(t *testing.T) {
	for _, adjacency := range []dp.Adjacency{dp.AddOrRemove, dp.ReplaceOne} {
		x := usual(stated, AtWindow)
		x.adjacency, x.learner = adjacency, bandit.ThompsonParams{Inflation: math.Sqrt2}
		r := started(t, x)
		read := func() string {
			table := require.Value(r.s.Table(t.Context()))(t)
			return table.Version
		}
		version := read()
		writes := r.s.store.Mark()
		for range 100 {
			if read() != version {
				t.Fatal("another table")
			}
		}
		if r.s.store.Mark() != writes {
			t.Errorf("%v: reading a table writes", adjacency)
		}
		r.ask(decision.Ask{ID: "a"})
		r.rounds(40)
		if read() == version {
			t.Errorf("%v: the table stays", adjacency)
		}
	}
}
