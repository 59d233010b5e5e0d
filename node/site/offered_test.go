package site

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// offeredRows returns what the store has of decisions whose windows are over, by id.
func offeredRows(t *testing.T, r *rig) map[string]Logged {
	t.Helper()
	all := make(map[string]Logged)
	reader := DecisionReader{Arms: r.arms, Features: r.c.Inputs.Dim(), Streams: r.c.Streams}
	for row, err := range reader.Decisions(r.s.store, r.clock.Now(), func() {}) {
		if err != nil {
			t.Fatal(err)
		}
		all[row.ID] = row
	}
	return all
}

// TestWhatWasOnOfferIsLogged: ids and features of every action that could be chosen, and the context, as they were
// asked, after a crash, too; and it is forgotten with the decision. The chosen action's place is its place there.
func TestWhatWasOnOfferIsLogged(t *testing.T) {
	x := usual(byFeatures()[0], AtWindow)
	x.inputs = bandit.Inputs{Map: bandit.Interactions, Context: 2, Action: 1}
	r := started(t, x)
	asks := make(map[string]decision.Ask)
	for i := range 12 {
		ask := visit(fmt.Sprint("visit ", i), i, 3)
		if i%2 == 1 {
			ask.Actions, ask.Features = nil, [][]float64{{.1}, {-.2}, {.3}}
			ask.Exclude = []string{"green"}
		} else if i%4 == 2 {
			ask.Exclude = []string{ask.Actions[1].ID}
		}
		r.ask(ask)
		asks[ask.ID] = ask
	}
	r.crash()
	r.start()
	r.clock.add(2 * window)
	r.rounds(2)
	rows := offeredRows(t, r)
	for id, ask := range asks {
		row := rows[id]
		want := Offered{Context: ask.Context}
		for i, f := range ask.Features {
			if r.arms[i] != "green" {
				want.Names, want.Features = append(want.Names, r.arms[i]), append(want.Features, f)
			}
		}
		for _, a := range ask.Actions {
			if !slices.Contains(ask.Exclude, a.ID) {
				want.Names, want.Features = append(want.Names, a.ID), append(want.Features, a.Features)
			}
		}
		if !reflect.DeepEqual(row.Offered, want) {
			t.Errorf("%s: what is logged as on offer is another", id)
		}
		if ask.Actions != nil && row.Offered.Names[row.Action] != row.Name || ask.Actions == nil && r.arms[row.Action] != row.Name {
			t.Errorf("%s: action %d is not %s", id, row.Action, row.Name)
		}
		if text := fmt.Sprintf("%v %+v", row, row.Offered); text != "private private" {
			t.Error(text)
		}
	}
	r.clock.add(r.rules.Keep + 2*every)
	r.rounds(2)
	if _, ok, err := r.s.store.Last(store.Offer); ok || err != nil {
		t.Errorf("an offer outlives its decision (%v)", err)
	}
}

// TestWithoutFeaturesOnlyExclusionsAreKept: a decision without features that excludes nothing stores nothing more.
func TestWithoutFeaturesOnlyExclusionsAreKept(t *testing.T) {
	r := started(t, usual(stated, AtWindow))
	r.ask(decision.Ask{ID: "a"})
	r.ask(decision.Ask{ID: "b", Exclude: []string{"red"}})
	table, err := r.s.Table(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.ask(decision.Ask{ID: "c", Table: table.Version, Exclude: []string{"red"}})
	r.ask(decision.Ask{ID: "d", Table: table.Version, Named: []string{"red", "green"}})
	r.ask(decision.Ask{ID: "e", Table: table.Version})
	r.clock.add(2 * window)
	r.rounds(2)
	rows := offeredRows(t, r)
	if o := rows["a"].Offered; !reflect.DeepEqual(o, Offered{}) {
		t.Errorf("%d names, %d excluded", len(o.Names), len(o.Excluded))
	}
	for id, want := range map[string][]string{"b": {"red"}, "c": {"red"}, "d": {"blue"}, "e": nil} {
		if o := rows[id].Offered; !reflect.DeepEqual(o, Offered{Excluded: want}) {
			t.Errorf("%s: %d names, %v excluded, want %v", id, len(o.Names), o.Excluded, want)
		}
	}
	n := 0
	for _, err := range r.s.store.Scan(store.Offer, nil, nil) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 3 {
		t.Errorf("%d offers are stored, want 3", n)
	}
}

// TestNumbersOfAnOfferTakeTheSameRoom: so how much room there is does not follow from features.
func TestNumbersOfAnOfferTakeTheSameRoom(t *testing.T) {
	size := func(x float64) int {
		o := offered{context: []float64{x}, actions: []offeredAction{{0, "a", []float64{x, x}}}}
		return len(o.bytes())
	}
	for _, x := range []float64{1, -1e-300, 0.123456789, 12345.678} {
		if size(x) != size(0) {
			t.Errorf("%d bytes, and %d without numbers", size(x), size(0))
		}
	}
	if _, err := parseOffered([]byte{offeredVersion, 200, 1}, 3); err == nil {
		t.Error("damage is read")
	}
}
