package site

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol/rows"
)

// TestAnEarlierReleaseIsRefused: a value of version 1 of any kind is refused, with a sentence
// that says what to do, and the store does not change.
func TestAnEarlierReleaseIsRefused(t *testing.T) {
	const sentence = "this folder was begun by an earlier release of peerd, whose format is not read: begin a new folder with `peerd init`"
	for what, c := range map[string]struct {
		table store.Table
		key   func(r *rig) []byte
	}{
		"life":              {store.Meta, func(*rig) []byte { return []byte(lifeKey) }},
		"pinned settings":   {store.Meta, func(*rig) []byte { return []byte(pinnedKey) }},
		"rollback evidence": {store.Meta, func(*rig) []byte { return []byte("evidence") }},
		"snapshot":          {store.Snapshot, func(*rig) []byte { return nil }},
		"log record":        {store.Log, func(r *rig) []byte { return store.Number(r.s.step) }},
	} {
		t.Run(what, func(t *testing.T) {
			r := newRig(t, usual(stated, AtWindow))
			r.pinned = []Pinned{{Key: "arms", Value: "[red, green, blue]"}}
			r.start()
			r.rounds(3)
			r.ask(decision.Ask{})
			key := c.key(r)
			was, err := r.s.store.Get(c.table, key)
			if err != nil || was == nil && what != "rollback evidence" {
				t.Fatal(what, " is not there: ", err)
			}
			put := func(v []byte) {
				b := r.s.store.Batch()
				b.Set(c.table, key, v)
				if err = b.Commit(); err != nil {
					t.Fatal(err)
				}
				r.crash()
			}
			put([]byte{1, 2, 3})
			s, err := Open(r.config())
			if err == nil {
				_ = s.Close()
			}
			if !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), sentence) {
				t.Fatalf("refused as: %v", err)
			}
		})
	}
	for what, c := range map[string]struct {
		oldest, newest byte
		parse          func(b []byte) error
	}{
		"life":     {lifeVersion, lifeVersion, func(b []byte) error { _, err := parseLife(b); return err }},
		"pinned":   {pinnedVersion, pinnedVersion, func(b []byte) error { _, err := parsePinned(b); return err }},
		"snapshot": {2, snapshotVersion, func(b []byte) error { _, err := parseSnapshot(b, 3); return err }},
		"log":      {4, logVersion, func(b []byte) error { _, err := parseLogRecord(b, parsed(0)); return err }},
		"decision": {5, choiceVersion, func(b []byte) error { _, err := parseChoice(b, parsed(0)); return err }},
	} {
		for older := byte(1); older < c.oldest; older++ {
			if err := c.parse([]byte{older, 2, 3}); !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), sentence) {
				t.Errorf("%s of version %d: %v", what, older, err)
			}
		}
		for _, b := range [][]byte{nil, {0}, {c.oldest}, {c.newest}} {
			if err := c.parse(b); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s %x: %v", what, b, err)
			}
		}
		for _, b := range [][]byte{{c.newest + 1}, {0xff, 1}} {
			if err := c.parse(b); !errors.Is(err, store.ErrNewer) || errors.Is(err, ErrDamaged) {
				t.Errorf("%s %x: %v", what, b, err)
			}
		}
	}
}

// TestSingleValuesSurvive: rarely written values are read back unchanged, and a value that is cut
// short or too long is not read at all.
func TestSingleValuesSurvive(t *testing.T) {
	array := func(r *rapid.T, to []byte) { copy(to, rapid.SliceOfN(rapid.Byte(), len(to), len(to)).Draw(r, "bytes")) }
	number := func(r *rapid.T) uint64 { return rapid.Uint64().Draw(r, "number") }
	floats := func(r *rapid.T) []float64 { return rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(r, "floats") }
	rapid.Check(t, func(r *rapid.T) {
		l := life{Life: Life{Incarnation: rapid.Uint32().Draw(r, "incarnation")}}
		l.Recovery = standing.Recovery{Taken: number(r), Gap: number(r), Without: rapid.SliceOfN(rapid.String(), 0, 3).Draw(r, "without"), Opened: rapid.Bool().Draw(r, "opened")}
		array(r, l.Seed[:])
		array(r, l.Salt[:])
		x := snapshot{
			state: progress{
				Round: number(r), Begun: rapid.Bool().Draw(r, "begun"), Decisions: number(r), Pending: number(r),
				Pulls: []uint64{number(r), number(r)}, Released: number(r), Left: rapid.Float64().Draw(r, "left"), Regret: rapid.Float64().Draw(r, "regret"),
			},
			belief: lastBelief{Means: floats(r), Samples: floats(r), Noise: floats(r)}, step: number(r), records: number(r),
			agent: rapid.SliceOf(rapid.Byte()).Draw(r, "agent"), played: rapid.Bool().Draw(r, "played"), world: rapid.SliceOf(rapid.Byte()).Draw(r, "world"),
		}
		var p []Pinned
		for _, s := range rapid.SliceOfN(rapid.String(), 0, 4).Draw(r, "pinned") {
			p = append(p, Pinned{Key: s, Value: s + "!"})
		}
		for what, c := range map[string]struct {
			b     []byte
			parse func(b []byte) (same bool, err error)
		}{
			"life": {l.bytes(), func(b []byte) (bool, error) {
				got, err := parseLife(b)
				return got.Life == l.Life && got.Salt == l.Salt && got.Taken == l.Taken && got.Gap == l.Gap && equal(got.Without, l.Without) && got.Opened == l.Opened, err
			}},
			"pinned": {pinnedBytes(p), func(b []byte) (bool, error) { got, err := parsePinned(b); return equal(got, p), err }},
			"snapshot": {x.bytes(), func(b []byte) (bool, error) {
				got, err := parseSnapshot(b, 2)
				return equal(got.state.Pulls, x.state.Pulls) && equal(got.belief.Means, x.belief.Means) && equal(got.belief.Samples, x.belief.Samples) &&
					equal(got.belief.Noise, x.belief.Noise) && equal(got.agent, x.agent) && equal(got.world, x.world) && got.played == x.played &&
					got.step == x.step && got.records == x.records && got.state.Round == x.state.Round && got.state.Begun == x.state.Begun &&
					got.state.Decisions == x.state.Decisions && got.state.Pending == x.state.Pending && got.state.Released == x.state.Released &&
					got.state.Left == x.state.Left && got.state.Regret == x.state.Regret, err
			}},
		} {
			if same, err := c.parse(c.b); !same || err != nil {
				r.Fatalf("%s changed (%v)", what, err)
			}
			cut := rapid.IntRange(0, len(c.b)-1).Draw(r, "cut")
			for _, wrong := range [][]byte{c.b[:cut], append(c.b, 0)} {
				if _, err := c.parse(wrong); !errors.Is(err, ErrDamaged) {
					r.Fatalf("%s: %d bytes of %d are taken: %v", what, len(wrong), len(c.b), err)
				}
			}
		}
	})
}

// asEarlier rewrites the store as release 0.2.0 wrote it.
func (r *rig) asEarlier() {
	r.t.Helper()
	b, n := r.s.store.Batch(), 0
	rewrite := func(t store.Table, as func(v []byte) ([]byte, error)) {
		for e, err := range r.s.store.Scan(t, nil, nil) {
			if err != nil {
				r.t.Fatal(err)
			}
			v, err := as(e.Value)
			if err != nil {
				r.t.Fatal(err)
			}
			b.Set(t, slices.Clone(e.Key), v)
			n++
		}
	}
	rewrite(store.Decision, func(v []byte) ([]byte, error) {
		c, err := parseChoice(v, r.c.shape())
		return state.Save(6, func(v *state.Visitor) { c.fields(v, shape{}) }), err
	})
	rewrite(store.Log, func(v []byte) ([]byte, error) {
		e, err := parseLogRecord(v, r.c.shape())
		return state.Save(5, func(v *state.Visitor) { e.fields(v, shape{}) }), err
	})
	if err := b.Commit(); err != nil {
		r.t.Fatal(err)
	}
	if n < 5 {
		r.t.Fatalf("%d values are rewritten: this shows little", n)
	}
}

// TestAnEarlierFolderGoesOn: a site that gives all decisions goes on with a folder of release 0.2.0 as if nothing had been rewritten, with
// decisions that wait, sums, and rounds of a simulated world in the log.
func TestAnEarlierFolderGoesOn(t *testing.T) {
	for _, world := range []bool{false, true} {
		var want string
		for _, earlier := range []bool{false, true} {
			x := usual(nameOf(rows.PhasesParams{}), AtWindow).repeatable(1)
			x.learner, x.world, x.rules.Adding = bandit.PersonalizedParams{Price: 20}, world, Sum
			r := newRig(t, x)
			r.start()
			play := func(from int) {
				for n := from; n < from+8; n++ {
					for i := 0; i < 3 && !world; i++ {
						id := fmt.Sprint(n, "-", i)
						r.ask(decision.Ask{ID: id})
						r.s.Reward(t.Context(), []decision.Report{{ID: id, Part: "a", Value: bandit.Reward(i) / 4}})
						if n > from {
							r.s.Reward(t.Context(), []decision.Report{{ID: fmt.Sprint(n-1, "-", i), Part: "b", Value: .25, End: i == 0}})
						}
					}
					r.round()
				}
			}
			play(0)
			if earlier {
				r.asEarlier()
			}
			r.crash()
			r.start()
			play(8)
			if x, err := r.s.Inside(t.Context()); x != nil || err != nil || len(r.lines()) < 6 {
				t.Errorf("%v, %v, %d ledger lines", x, err, len(r.lines()))
			}
			got := fmt.Sprintf("%s %x %x %v", seen(r.status()), r.agentState(), r.lines(), r.net.frames)
			if want == "" {
				want = got
			} else if got != want {
				t.Errorf("world %v: an earlier folder goes on in another way:\n%.600s\nwant\n%.600s", world, got, want)
			}
			r.stop()
		}
	}
}
