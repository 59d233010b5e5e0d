package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// counted is an audit of rows with noised counts.
func counted(m dp.Mechanism, learner bandit.Params, seed uint64) audit.Config {
	c := config(protocols()[0], m, runs(), seed)
	c.Spec.Learner = learner
	c.Spec.Privacy.Adjacency = dp.AddOrRemove
	return c
}

// broken returns the names of the checks that failed.
func broken(r *audit.Report) (names []string) {
	for _, c := range r.Checks {
		if c.Broken > 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// TestPresenceIsHidden: with noised counts nothing shows that a user was there, with every
// mechanism, and learners in turn.
func TestPresenceIsHidden(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
	learners := []bandit.Params{learner.UCBParams{}, learner.KLUCBParams{Level: learner.Log}, bandit.ThompsonParams{Inflation: 2}, bandit.PersonalizedParams{Price: 20}}
	for i, m := range dp.Mechanisms() {
		if m == dp.None || !m.Running() {
			continue
		}
		learner := learners[i%len(learners)]
		t.Run(fmt.Sprintf("%v %T", m, learner), func(t *testing.T) {
			c := counted(m, learner, uint64(i)+1)
			c.Spec.Privacy.RecordsPerUser = uint64(i%3) + 1
			r := require.Value(audit.Run(t.Context(), c))(t)
			if !r.Passed {
				t.Errorf("alarm: %v", r.Broken)
			}
		})
	}
}

// TestPresenceShowsInPublicCounts: with public counts, the frames of the same histories differ.
func TestPresenceShowsInPublicCounts(t *testing.T) {
	for _, params := range protocols() {
		t.Run(fmt.Sprintf("%T", params), func(t *testing.T) {
			c := config(params, dp.Tree, runs(), 1)
			c.Presence = true
			r := require.Value(audit.Run(t.Context(), c))(t)
			if names := broken(r); r.Passed || !slices.Contains(names, "twin") {
				t.Errorf("passed: %v, broken: %v", r.Passed, names)
			}
		})
	}
}

// TestCountsCannotBeNoised with a protocol that does not support it, such as one whose leaves
// close with records.
func TestCountsCannotBeNoised(t *testing.T) {
	for _, e := range papers.All() {
		c := counted(dp.Tree, learner.UCBParams{}, 1)
		c.Spec.Protocol, c.Spec.Graph = e, make([][]protocol.Peer, 3)
		if err := c.Spec.CheckCounts(); (err == nil) != protocol.TraitsOf(e).NoisedCounts {
			t.Errorf("%s: %v", e.Words().Name, err)
		}
	}
}
