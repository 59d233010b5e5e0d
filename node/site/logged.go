package site

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// A Logged is a decision with its outcome, for the site's own people. It is raw data: it contains
// a reward.
type Logged struct {
	ID         string
	At         time.Time       // when it was made; if an earlier release made it, when its window ended
	Action     bandit.Arm      // arm of the network, or the place of an ask's own action in Offered.Names
	Name       string          // of the action
	Features   bandit.Features // of the action; nil unless the learner is contextual
	Propensity float64         // 0 if not computed
	Reward     bandit.Reward   // in the application's units; the default reward if none was reported
	Rewarded   bool            // a reward was reported
	Source     decision.Source
	Model      string
	Counted    bool
	Kept       bool // it was not given to the network
	Offered    Offered
	Proposed   string        // what the peer would have chosen, where the application took an action; else ""
	Target     float64       // probability with which the peer would have taken the action; 0 unless the application took it
	Late       time.Duration // by how much the first report that was refused as late came after the window; 0 for none
}

// Format implements [fmt.Formatter] as [logRecord] does.
func (Logged) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// A DecisionReader reads the decisions of a store, with a site's arms, features and streams as in
// [Config].
type DecisionReader struct {
	Arms              []string
	Features, Streams int
	Own               int     // numbers of an action's features, where each has only one of its own; else 0
	Default           float64 // reward of a decision for which none was reported
	Range             Range
}

// Decisions yields the decisions of a store that are remembered and whose windows have ended at a
// time, in the order of their ids. It calls open for each decision that it omits because its
// window is still open, even if its reward was reported: including these would weigh outcomes by
// how fast they are reported.
func (d DecisionReader) Decisions(st *store.Store, at time.Time, open func()) iter.Seq2[Logged, error] {
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
			on, err := d.offered(st, e.Key)
			if err != nil {
				yield(Logged{}, err)
				return
			}
			if i := slices.Index(on.Names, c.action); i >= 0 && c.action != "" {
				c.arm = bandit.Arm(i)
			}
			if !c.rewarded {
				c.value = bandit.Reward(d.Default)
			}
			late, err := lateBy(st, e.Key)
			if err != nil {
				yield(Logged{}, err)
				return
			}
			if !yield(Logged{
				ID: string(e.Key), At: c.expires.Add(-c.window), Action: c.arm, Name: c.name(d.Arms), Features: c.features, Propensity: c.chance,
				Reward: d.Range.Clip(c.value), Rewarded: c.rewarded, Source: c.source, Model: c.model.String(), Counted: c.kept || c.learned(), Kept: c.kept,
				Offered: on, Proposed: c.proposed, Target: c.target, Late: late,
			}, nil) {
				return
			}
		}
	}
}

// offered returns what a decision could choose from.
func (d DecisionReader) offered(st *store.Store, id []byte) (Offered, error) {
	v, err := st.Get(store.Offer, id)
	if err != nil || v == nil {
		return Offered{}, err
	}
	o, err := parseOffered(v, len(d.Arms))
	if d.Own > 0 && len(o.actions) == 0 {
		o.own(d.Arms, d.Own)
	}
	return o.on(d.Arms), err
}
