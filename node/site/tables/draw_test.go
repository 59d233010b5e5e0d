package tables

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"peerd.dev/node/decision"
)

// draws is the file of vectors that all clients are tested with.
const draws = "../../api/client/testdata/draws.json"

// TestDrawsAreTheClients: the peer repeats the draw that every client makes.
func TestDrawsAreTheClients(t *testing.T) {
	text, err := os.ReadFile(draws)
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Salt, ID, Action string
		Actions          []Weight
		Exclude, Named   []string
		Propensity       float64
	}
	if err = json.Unmarshal(text, &all); err != nil || len(all) < 10 {
		t.Fatalf("%d draws (%v)", len(all), err)
	}
	for _, v := range all {
		table := Table{Salt: v.Salt, Actions: v.Actions}
		action, propensity := table.Draw(v.ID, func(name string) bool {
			return !slices.Contains(v.Exclude, name) && (v.Named == nil || slices.Contains(v.Named, name))
		})
		if action != v.Action || math.Abs(propensity-v.Propensity) > 1e-15 {
			t.Errorf("%+v: %s with %v", v, action, propensity)
		}
	}
}

// TestDrawsHaveTheirWeights: over many ids, actions come as often as their weights say, and a table's version follows from its contents.
func TestDrawsHaveTheirWeights(t *testing.T) {
	table := Table{Salt: "s", Actions: []Weight{{"a", 1}, {"b", 3}, {"c", 0}, {"d", 6}}}
	table.Seal()
	other := table
	other.Actions = slices.Clone(table.Actions)
	other.Actions[0].Weight = 2
	if other.Seal(); other.Version == table.Version || decision.WrongID(table.Version) != "" {
		t.Errorf("versions %s and %s", table.Version, other.Version)
	}
	const n = 100_000
	count := make(map[string]float64)
	for i := range n {
		action, p := table.Draw(string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)), func(string) bool { return true })
		if want := map[string]float64{"a": .1, "b": .3, "d": .6}[action]; p != want {
			t.Fatalf("%s with %v", action, p)
		}
		count[action]++
	}
	chi := 0.
	for action, p := range map[string]float64{"a": .1, "b": .3, "d": .6} {
		d := count[action] - p*n
		chi += d * d / (p * n)
	}
	if chi > 20 { // two degrees of freedom: once in 20,000
		t.Errorf("χ² is %.1f: %v", chi, count)
	}
	if action, p := table.Draw("x", func(name string) bool { return name == "c" }); action != "c" || p != 1 {
		t.Errorf("%s with %v where all weights are 0", action, p)
	}
	if action, _ := table.Draw("x", func(string) bool { return false }); action != "" {
		t.Error(action)
	}
}
