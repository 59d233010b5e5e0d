package sim

import (
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

type still struct{ bandit.World }

func (still) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

func (still) Regret(bandit.Arm) float64 { return 0 }

func (still) Play(bandit.Arm) (bandit.Reward, error) { return .5, nil }

// TestBrokenLemmasAreFound: a number that is off by one, in one round, is counted.
func TestBrokenLemmasAreFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(w *watch)
		found func(l Lemmas) uint64
	}{
		{"mass", func(w *watch) { w.own[1][0].mean++ }, func(l Lemmas) uint64 { return l.Mass }},
		{"under way", func(w *watch) { w.way[1]-- }, func(l Lemmas) uint64 { return l.Mass }},
		{"lemma 1", func(w *watch) { w.claimed[0][1]++ }, func(l Lemmas) uint64 { return l.Lemma1 }},
	} {
		play := Config{
			Spec: node.Spec{
				Arms: 2, Graph: [][]protocol.Peer{{1}, {0}}, Learner: learner.UCBParams{},
				Protocol: averaging.AverageParams{Consistency: averaging.Max, Rate: .5, Patience: 8, F: 1},
				Privacy:  node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: 10},
			},
			Seeds: []node.Seed{{1}, {2}}, Worlds: []bandit.World{still{}, still{}},
			Rounds: 10,
		}
		w := require.Value(newWatch(&play))(t)
		play.lemmas = w
		r := require.Value(start(play))(t)
		for round := range r.Rounds {
			for i := range r.agents {
				require.NoError(t, r.step(protocol.Round(round), i))
			}
			r.network.Turn()
			if before := c.found(w.Lemmas); before > 0 {
				t.Fatalf("%s: %d found before anything was spoilt", c.name, before)
			}
			if round == 9 {
				c.spoil(w)
			}
			w.round(r.agents, r.res.Pulls)
		}
		if got := c.found(w.Lemmas); got != 1 || w.Broken() != 1 {
			t.Errorf("%s: %d found, want 1: %+v", c.name, got, w.Lemmas)
		}
	}
}
