package site

import (
	"fmt"
	"iter"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// A Logged is a decision with its outcome, as the site's own people may see it. It is raw data: it has a
// reward.
type Logged struct {
	ID         string
	At         time.Time       // when it was made; of one that an earlier release made, when its window ended
	Action     bandit.Arm      // of the network, or the place among the actions of the ask
	Name       string          // of the action
	Features   bandit.Features // of the action; nil unless the learner is contextual
	Propensity float64         // 0 if not computed
	Reward     bandit.Reward   // the default one if none was reported
	Rewarded   bool            // one was
	Source     decision.Source
	Model      string
	Counted    bool
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (Logged) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// A Desk says how to read the decisions of a store: those of a site with arms, features and streams, as
// in [Config].
type Desk struct {
	Arms              []string
	Features, Streams int
	Default           float64 // reward of a decision that got none
}

// Decisions yields the decisions of a store that are remembered and whose windows are over at a time, in
// the order of their ids. It calls open with each that is left out: to take those early whose rewards came
// early would weigh outcomes by how fast they are reported.
func (d Desk) Decisions(st *store.Store, at time.Time, open func()) iter.Seq2[Logged, error] {
	return func(yield func(Logged, error) bool) {
		for e, err := range st.Scan(store.Decision, nil, nil) {
			if err != nil {
				yield(Logged{}, err)
				return
			}
			c, err := parseChoice(e.Value, shape{len(d.Arms), d.Features, d.Streams})
			if err != nil {
				yield(Logged{}, err)
				return
			}
			if !at.After(c.expires) {
				open()
				continue
			}
			if !c.rewarded {
				c.value = bandit.Reward(d.Default)
			}
			if !yield(Logged{
				ID: string(e.Key), At: c.expires.Add(-c.window), Action: c.arm, Name: c.name(d.Arms), Features: c.features, Propensity: c.chance,
				Reward: c.value, Rewarded: c.rewarded, Source: c.source, Model: c.model.String(), Counted: c.learned(),
			}, nil) {
				return
			}
		}
	}
}
