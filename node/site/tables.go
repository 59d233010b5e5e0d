package site

import (
	"errors"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// Tables are what an application draws from while the peer is down. An extra has them. All is called with the site locked.
type Tables interface {
	Open(st *store.Store) error
	Round(b *store.Batch) // at the end of each
	Change()              // of what can be chosen
	Draw(ask *decision.Ask) (*decision.Lot, error)
	Same(ask *decision.Ask, old decision.Lot, name string, drawn bool) error
}

// openTables makes the tables, and reads those that are kept.
func (s *Site) openTables() error {
	if s.c.Tables == nil {
		return nil
	}
	s.tables = s.c.Tables(Source{s})
	return s.tables.Open(s.store)
}

// A Source is what tables follow from.
type Source struct{ s *Site }

// NoTable returns why the site makes no tables, or nil.
func (x Source) NoTable() error {
	reason := ""
	switch {
	case x.s.c.Inputs.Dim() > 0:
		reason = "this peer's learner chooses by features, which no table has"
	case x.s.inside.half != nil:
		reason = "this peer's choices follow from exact rewards of its own users (privacy.answers: inside), which a table would carry out"
	case x.s.c.Rules.Shadow.shadows():
		reason = "the application chooses by a policy of its own (api.shadow), so there is no table"
	default:
		return nil
	}
	return &decision.Refusal{Code: decision.Invalid, Field: "table", Reason: reason}
}

// Arms returns the names of arms.
func (x Source) Arms() []string { return x.s.c.Arms }

// Present returns the arms that can be chosen.
func (x Source) Present() []bandit.Arm { return x.s.present }

// Coins returns the secret of this start.
func (x Source) Coins() node.Seed { return x.s.coins }

// Noised reports whether the number of decisions is secret.
func (x Source) Noised() bool { return x.s.agent.NoisedCounts() }

// Decides reports whether the site decides for an application.
func (x Source) Decides() bool { return !x.s.agent.Idle() && x.s.c.World == nil }

// Group returns the group of rounds in which the site is, and when its round began.
func (x Source) Group(every time.Duration) (group uint64, begins time.Time) {
	return x.s.state.Round / max(1, uint64(every/x.s.c.Clock.Every)), x.s.begins(x.s.state.Round)
}

// Odds returns what is on offer now, and how likely each arm is.
func (x Source) Odds(samples int) (on []bandit.Arm, chances []float64, m decision.Model) {
	return x.s.odds(samples)
}

// Look does something with the site locked.
func (x Source) Look(do func(now time.Time)) error {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if x.s.closing || x.s.broken {
		return errors.New("the site is closed")
	}
	do(x.s.c.Now())
	return nil
}

// Durably does something with the site locked, and returns when that and what was before it is durable.
func (x Source) Durably(do func(b *store.Batch, now time.Time) error) error {
	t := tx{site: x.s, wait: true}
	if err := t.open(1); err != nil {
		return err
	}
	if err := do(t.batch, t.now); err != nil {
		t.batch.Drop()
		x.s.mu.Unlock()
		return err
	}
	return t.close()
}

func (g *given) model() decision.Model {
	return decision.Model{Incarnation: g.life.Incarnation, Round: g.state.Round, Released: g.state.Released}
}

// odds returns what is on offer without being named, and how likely each arm is now.
func (g *given) odds(samples int) (on []bandit.Arm, chances []float64, m decision.Model) {
	o := offer{places: g.arms}
	_ = o.name(nil, g) // nothing is named
	turn := g.turn(&o)
	p := g.plan(&o, &turn)
	if p.source == decision.Learned {
		chances = g.agent.Odds(turn, samples, g.coins.Of("table"))
	} else {
		chances = g.only(p.rule)
	}
	if p.source == decision.Exposure { // each alike: many decisions may be drawn before one is reported
		clear(chances)
		lacking := g.lacking(&o)
		for _, a := range lacking {
			chances[a] = 1 / float64(len(lacking))
		}
	}
	p.mix(chances)
	for _, a := range g.present {
		if o.on(a) {
			on = append(on, a)
		}
	}
	return on, chances, g.model()
}
