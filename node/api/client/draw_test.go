package client

import (
	"encoding/json"
	"os"
	"testing"
)

// Draws is for the fake peer.
func (t *Table) Draws(id string, exclude []string, named []Action) (action string, propensity float64) {
	d, _ := t.draw(id, exclude, named)
	return d.action, d.propensity
}

// TestDrawsAreThoseOfAllLanguages: testdata/draws.py made the vectors, which the peer and all clients repeat.
func TestDrawsAreThoseOfAllLanguages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/draws.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Table
		ID             string
		Exclude, Named []string
		Action         string
		Propensity     float64
	}
	if err = json.Unmarshal(text, &cases); err != nil || len(cases) < 400 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		var named []Action
		for _, name := range c.Named {
			named = append(named, Action{ID: name})
		}
		if got, ok := c.draw(c.ID, c.Exclude, named); !ok || got != (draw{c.Action, c.Propensity}) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestWrongTables: weights that no peer sends are refused, and nothing is drawn of nothing.
func TestWrongTables(t *testing.T) {
	t.Parallel()
	for _, w := range []int64{-1, 1<<20 + 1, 1 << 62} {
		table := Table{Version: "v", Actions: []Weight{{"a", w}, {"b", 1}}}
		if table.check() == nil {
			t.Error(w)
		}
	}
	table := Table{Version: "v", Actions: []Weight{{"a", 1 << 20}}}
	if err := table.check(); err != nil {
		t.Error(err)
	}
	if d, ok := table.draw("id", []string{"a"}, nil); ok {
		t.Error(d)
	}
	if d, ok := table.draw("id", nil, []Action{}); ok {
		t.Error(d)
	}
}
