package site

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/form"
	"peerd.dev/node/store"
)

// readTables reads the tables that are kept.
func (s *Site) readTables() error {
	for e, err := range s.store.Scan(store.Weights, nil, nil) {
		if err != nil {
			return err
		}
		t := &table{number: store.ReadNumber(e.Key), stored: true}
		if err = form.Decode("table", e.Value, tableVersion, tableVersion, t.fields); err != nil {
			return err
		}
		s.tables.kept, s.tables.next = append(s.tables.kept, t), t.number+1
	}
	s.renewTables()
	return nil
}

// noTable returns why the site makes no tables, or nil.
func (s *Site) noTable() error {
	switch {
	case s.c.Inputs.Dim() > 0:
		return &decision.Refusal{Code: decision.Invalid, Field: "table", Reason: "this peer's learner chooses by features, which no table has"}
	case s.inside.half != nil:
		return &decision.Refusal{Code: decision.Invalid, Field: "table", Reason: "this peer's choices follow from exact rewards of its own users (privacy.answers: inside), which a table would carry out"}
	case s.c.Rules.Shadow.shadows():
		return &decision.Refusal{Code: decision.Invalid, Field: "table", Reason: "the application chooses by a policy of its own (api.shadow), so there is no table"}
	}
	return nil
}

// Table returns how likely each action is now, for an application that draws by itself while the peer is down. It is durable when it is
// returned. Only a table that is new is written: callers that may only read ask for it as often as they like.
func (s *Site) Table(context.Context) (decision.Table, error) {
	if t := s.durableTable(); t != nil {
		return t.Table, nil
	}
	x := tx{site: s}
	if err := x.open(1); err != nil {
		return decision.Table{}, err
	}
	t, err := x.table()
	if err == nil {
		err = x.close()
	} else {
		x.batch.Drop()
		s.mu.Unlock()
	}
	if r, ok := errors.AsType[*decision.Refusal](err); ok && r.Field != "" {
		err = &decision.Refusal{Code: r.Code, Reason: r.Reason} // of no field: the request has none
	}
	if err != nil {
		return decision.Table{}, err
	}
	s.mu.Lock()
	s.tables.durable = t.Version
	s.mu.Unlock()
	return t.Table, nil
}

// durableTable returns the table of this moment, if it is known to be durable, or nil.
func (s *Site) durableTable() *table {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := &s.tables
	if s.closing || s.broken || s.stale(s.c.Now()) || len(now.kept) == 0 {
		return nil
	}
	if t := now.kept[len(now.kept)-1]; t.Version == now.durable && slices.Equal(t.Actions, now.odds) {
		return t
	}
	return nil
}

// stale reports whether there are no odds, or a request renews them: where numbers of decisions are secret, none does.
func (s *Site) stale(now time.Time) bool {
	age := now.Sub(s.tables.at)
	return s.tables.odds == nil || !s.agent.NoisedCounts() && (age < 0 || age >= tableEvery)
}

// table returns the newest table, or makes a new one.
func (x *tx) table() (*table, error) {
	s := x.site
	if err := s.noTable(); err != nil {
		return nil, err
	}
	if s.stale(x.now) {
		s.renewOdds(x.now)
	}
	x.wait = true // the newest one may not be durable yet
	t := s.keepTable()
	s.storeTables(x.batch)
	return t, nil
}

// keepTable returns the table that says what the odds are, a new one unless the newest does.
func (s *Site) keepTable() *table {
	now := &s.tables
	if n := len(now.kept); n > 0 && slices.Equal(now.kept[n-1].Actions, now.odds) {
		return now.kept[n-1]
	}
	salt := s.coins.Of("salt/" + now.model.String())
	t := &table{number: now.next, model: now.model, Table: decision.Table{
		Model: now.model.String(), Salt: hex.EncodeToString(salt[:12]), Actions: now.odds, MadeAt: now.at.UTC(),
	}}
	t.Seal()
	now.kept, now.next = append(now.kept, t), now.next+1
	if len(now.kept) > mostTables {
		now.kept = slices.Delete(now.kept, 0, 1)
	}
	return t
}

// storeTables stores the newest tables that are not stored, and forgets as many.
func (s *Site) storeTables(b *store.Batch) {
	for _, t := range slices.Backward(s.tables.kept) {
		if t.stored {
			return
		}
		t.stored = true
		b.Set(store.Weights, store.Number(t.number), state.Save(tableVersion, t.fields))
		if t.number >= mostTables {
			b.Delete(store.Weights, store.Number(t.number-mostTables))
		}
	}
}

// renewOdds computes what a table of this moment says.
func (g *given) renewOdds(at time.Time) {
	o := offer{places: g.arms}
	if o.name(nil, g) != nil {
		return // cannot happen: nothing is named
	}
	turn := g.turn(&o)
	p := g.plan(&o, &turn)
	var chances []float64
	if p.source == decision.Learned {
		samples := max(leastTable, tableSamples/max(1, len(g.c.Arms)/100))
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
	now := &g.tables
	now.odds, now.at = nil, at.Truncate(time.Millisecond)
	now.model = model{g.life.Incarnation, g.state.Round, g.state.Released}
	for _, a := range g.present {
		if o.on(a) {
			now.odds = append(now.odds, decision.Weight{Name: g.c.Arms[a], Weight: uint64(math.Floor(chances[a] * decision.MostWeight))})
		}
	}
}

// renewTables makes tables where numbers of decisions are secret: at public moments and whether anyone asks for one or
// not, so that neither a table nor which ones are forgotten shows who asked for one before.
func (s *Site) renewTables() {
	if !s.agent.NoisedCounts() || s.agent.Idle() || s.c.World != nil || s.noTable() != nil {
		return
	}
	group := s.state.Round / max(1, uint64(tableEvery/s.c.Clock.Every))
	if s.tables.odds == nil || group != s.tables.group {
		s.tables.group = group
		s.renewOdds(s.begins(s.state.Round))
		s.keepTable()
	}
}

// draw repeats the draw of an ask.
func (x *tx) draw(ask *decision.Ask) (*lot, error) {
	kept := x.site.tables.kept
	i := slices.IndexFunc(kept, func(t *table) bool { return t.Version == ask.Table })
	if i < 0 {
		return nil, &decision.Refusal{
			Code: decision.Expired, Field: "table",
			Reason: fmt.Sprintf("this table is not known, or no longer: the newest %d are kept. What was drawn from it cannot be learned from", mostTables),
		}
	}
	may := func(name string) bool {
		return !slices.Contains(ask.Exclude, name) && (ask.Named == nil || slices.Contains(ask.Named, name))
	}
	name, chance := kept[i].Draw(ask.ID, may)
	if name == "" {
		return nil, &decision.Refusal{Code: decision.Invalid, Field: "exclude", Reason: "no action of the table is left; leave one"}
	}
	arm := slices.Index(x.site.c.Arms, name)
	if arm < 0 {
		return nil, fmt.Errorf("%w: a table has the action %q", ErrDamaged, name)
	}
	l := &lot{arm: bandit.Arm(arm), chance: chance, model: kept[i].model}
	for _, a := range x.site.present {
		name := x.site.c.Arms[a]
		if !may(name) || !slices.ContainsFunc(kept[i].Actions, func(w decision.Weight) bool { return w.Name == name }) {
			l.closed = append(l.closed, a)
		}
	}
	return l, nil
}

// offerAll returns the offer of a decision that is made already: every action that the network has or had.
func (x *tx) offerAll(ask *decision.Ask) (o offer, err error) {
	o = offer{places: x.site.arms, all: true}
	for _, list := range []struct {
		field string
		names []string
	}{{"exclude", ask.Exclude}, {"actions", ask.Named}} {
		for i, name := range list.names {
			if name == "" || !slices.Contains(x.site.c.Arms, name) {
				return o, &decision.Refusal{Code: decision.Invalid, Field: fmt.Sprintf("%s[%d]", list.field, i), Reason: fmt.Sprintf("%q is no action of this network; GET /v1/arms lists them", name)}
			}
		}
	}
	return o, nil
}
