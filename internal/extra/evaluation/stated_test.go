package evaluation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"peerd.dev/internal/decisions"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
)

// stated is the log of an application that takes actions with fixed probabilities, and states others.
func stated(seed uint64, n int, own, states []float64) (rows []decisions.Row) {
	rng := rand.New(rand.NewPCG(seed, 4))
	for range n {
		a := draw(rng, own)
		rows = append(rows, decisions.Row{
			Name: names[a], PScore: states[a], Source: decision.Application, Reward: coin(rng, []float64{.3, .5, .6}[a]), Reported: true,
			Proposed: names[0], PeerPScore: []float64{1, 0, 0}[a], Model: "1-2-3",
		})
	}
	return rows
}

// TestAMeanWeightThatChanceDoesNotExplainIsNoEstimate: in either direction; the sentence says by which factor the stated propensities are
// wrong, and not to wait. Where they are right there are estimates, and where an action was never taken it is said as before.
func TestAMeanWeightThatChanceDoesNotExplainIsNoEstimate(t *testing.T) {
	own := []float64{.5, .3, .2}
	const sentence = "the application did not choose with the propensities that it stated"
	for what, c := range map[string]struct {
		states []float64
		none   []string // policies without an estimate
		want   []string
	}{
		"too small": {[]float64{.1, .1, .1}, []string{"uniform", "always red", "always green", "always blue", "what the peer proposed", "table t"}, []string{sentence, "uniform (3.3)", "are about that many times as large"}},
		"too large": {[]float64{.9, .9, .9}, []string{"uniform", "always red", "always green", "always blue", "what the peer proposed", "table t"}, []string{sentence, "uniform (0.37)"}},
		"exchanged": {[]float64{.2, .3, .5}, []string{"uniform", "always red", "always green", "always blue", "what the peer proposed", "table t"}, []string{sentence, "what the peer proposed (2.6), table t (1.8), uniform (1.3) and 3 more"}},
		"as chosen": {own, nil, nil},
	} {
		table := require.Value(ParseTable([]byte(`{"version":"t","actions":[{"name":"red","weight":1},{"name":"green","weight":1}]}`)))(t)
		r := evaluated(t, stated(1, 600, own, c.states), Options{Actions: names, Table: table})
		none := make(map[string]bool)
		for _, policy := range c.none {
			none[policy] = true
			if e := r.of(t, policy); e.IPS != nil || e.SNIPS != nil || e.DR != nil || e.Gain != nil {
				t.Errorf("%s: %s has IPS %v with a mean weight of %v", what, policy, e.IPS, e.Weight)
			}
		}
		text := strings.Join(r.Warnings, "\n")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", what, text, want)
			}
		}
		if c.none == nil && strings.Contains(text, sentence) || strings.Contains(text, "wait for") || strings.Contains(text, "not possible") {
			t.Errorf("%s: %s", what, text)
		}
		if what == "as chosen" {
			for _, e := range r.Estimates {
				if e.DR == nil {
					t.Errorf("no estimate of %s: %s", e.Policy, text)
				}
			}
		}
	}
	rows := stated(1, 300, []float64{.5, .5, 0}, []float64{.5, .5, .5})
	r := evaluated(t, rows, Options{Actions: names})
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "uniform: its weights have a mean of 0.67") || strings.Contains(text, sentence) || r.of(t, "always red").DR == nil {
		t.Errorf("an action that is never taken: %s", text)
	}
	rows = stated(1, 40, []float64{1, 0, 0}, []float64{.94, .04, .02}) // one log in twelve
	if r := evaluated(t, rows, Options{Actions: names}); r.of(t, "always red").DR == nil {
		t.Errorf("an action that happened to be taken every time: %v", r.Warnings)
	}
	for i := range rows {
		rows[i].Offered = []string{"red", "green"}
		if i < 3 { // brown is on offer thrice, and taken
			rows[i].Offered, rows[i].Name, rows[i].PScore = []string{"red", "brown"}, "brown", .1
		}
	}
	if r := evaluated(t, rows, Options{Actions: names}); r.of(t, "always red").DR == nil {
		t.Errorf("a rare action that happened to be taken thrice: %v", r.Warnings)
	}
	rows = stated(1, 300, own, []float64{.1, .1, .1})
	for i := range rows { // propensities of a peer that samples may be too small, and are not the application's
		rows[i].Source, rows[i].Proposed = decision.Learned, ""
	}
	if r := evaluated(t, rows, Options{Actions: names}); r.of(t, "uniform").IPS == nil || len(r.Warnings) > 0 {
		t.Errorf("a peer's own decisions: %v", r.Warnings)
	}
}

// TestWhatIsPrintedIsFinite: one propensity of almost nothing, which an earlier release took, makes the policies that take this action worth
// one decision, and leaves the others as they were.
func TestWhatIsPrintedIsFinite(t *testing.T) {
	own := []float64{.5, .3, .2}
	for _, tiny := range []float64{1e-9, 1e-10, 1e-150, 1e-300, math.SmallestNonzeroFloat64} {
		rows := stated(1, 300, own, own)
		before := evaluated(t, rows, Options{Actions: names})
		at := 0
		for rows[at].Name != "red" || rows[at].Reward == 0 {
			at++
		}
		rows[at].PScore = tiny
		r := evaluated(t, rows, Options{Actions: names})
		for _, policy := range []string{"uniform", "always red", "what the peer proposed"} {
			if e := r.of(t, policy); e.Effective < 1 || e.Effective > 1.01 || e.IPS != nil || e.SNIPS != nil || e.DR != nil {
				t.Errorf("%v: %s is worth %v, IPS %v", tiny, policy, e.Effective, e.IPS)
			}
		}
		for _, policy := range []string{"always green", "always blue"} {
			got, want := r.of(t, policy), before.of(t, policy)
			if got.IPS == nil || *got.IPS != *want.IPS || *got.SNIPS != *want.SNIPS {
				t.Errorf("%v: %s has IPS %v, want %v", tiny, policy, got.IPS, want.IPS)
			}
		}
		var b bytes.Buffer
		r.Print(&b)
		if text, err := json.Marshal(r.Estimates); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") || len(b.String()) > 4000 {
			t.Errorf("%v: %s%s (%v)", tiny, b.String(), text, err)
		}
		if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "No estimate of what the peer proposed, uniform, always red: the decisions that can be weighted are worth fewer than 30") {
			t.Errorf("%v: %s", tiny, text)
		}
	}
}

// TestProposalsOfAPeerThatLearnedNothingHaveNoLine: it proposes the first action, whatever that pays. There is a line once rewards of the
// site are behind a proposal, or the peer's probabilities change, as they do when other sites' releases come.
func TestProposalsOfAPeerThatLearnedNothingHaveNoLine(t *testing.T) {
	const sentence, line = "What the peer proposed has no line: it has learned nothing", "what the peer proposed"
	own := []float64{.5, .3, .2}
	for what, c := range map[string]struct {
		change func(i int, r *decisions.Row)
		line   bool
	}{
		"nothing learned": {func(int, *decisions.Row) {}, false},
		"nothing learned, and it explores": {func(i int, r *decisions.Row) {
			r.Proposed, r.PeerPScore = names[i%3], map[string]float64{"red": .8, "green": .1, "blue": .1}[r.Name]
		}, false},
		"nothing learned, and red is excluded at times": {func(i int, r *decisions.Row) {
			if i%4 == 0 && r.Name == "green" {
				r.Offered, r.Proposed, r.PeerPScore = []string{"green", "blue"}, "green", 1
			}
		}, false},
		"ten releases": {func(i int, r *decisions.Row) { r.Model = "1-2-10" }, true},
		"kept":         {func(i int, r *decisions.Row) { r.Kept = i > 200 }, true},
		"other sites": {func(i int, r *decisions.Row) {
			if i > 200 {
				r.Proposed, r.PeerPScore = "blue", map[string]float64{"blue": 1}[r.Name]
			}
		}, true},
		"no shadow": {func(_ int, r *decisions.Row) { r.Proposed = "" }, false},
	} {
		rows := stated(1, 300, own, own)
		for i := range rows {
			rows[i].Model = "1-2-0"
			c.change(i, &rows[i])
		}
		r := evaluated(t, rows, Options{Actions: names})
		var b strings.Builder
		r.Print(&b)
		if got := strings.Contains(b.String(), line+" "); got != c.line {
			t.Errorf("%s:\n%s", what, b.String())
		}
		if want := !c.line && what != "no shadow"; strings.Contains(b.String(), sentence) != want {
			t.Errorf("%s:\n%s", what, b.String())
		}
	}
}

// TestAPolicyWithATypoIsNoOther: unknown fields and missing weights are refused with their place, and an action that neither the network nor
// any decision has is named.
func TestAPolicyWithATypoIsNoOther(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":"w","actions":[{"name":"red","wieght":1},{"name":"green"}]}`:            `actions[0]: want {"name":"red","weight":1} alone, every name once`,
		`{"version":"w","actions":[{"name":"red","weight":1},{"name":"green"}]}`:            "actions[1]: want {",
		`{"version":"w","actions":[{"name":"red","weight":null}]}`:                          "actions[0]: want {",
		`{"version":"w","actions":[null]}`:                                                  "actions[0]: want {",
		`{"version":"w","actions":[{"name":"red","weight":0.5}]}`:                           "actions[0]: want {",
		`{"version":"w","actions":[{"name":"red","weight":1}],"weights":[1]}`:               "want version and actions alone, or what GET /v1/table answers",
		`{"version":"w","actions":[{"name":"red","weight":1}]}}`:                            "want version and actions alone",
		`{"version":"w","actions":[{"name":"red","weight":1}]} {}`:                          "want version and actions alone",
		`{"version":"w","actions":[{"name":"red","weight":1},{"name":"red","weight":1}]}`:   "actions[1]: want {",
		`{"version":"w","actions":[{"name":"red","weight":1},{"name":"","weight":1}]}`:      "actions[1]: want {",
		`{"version":"w","actions":[{"name":"a","weight":1},{"name":"b","weight":1048577}]}`: "actions[1]: want {",
	} {
		if _, err := ParseTable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	own := []float64{.5, .3, .2}
	rows := stated(1, 300, own, own)
	for i := range rows {
		if i%3 == 0 {
			rows[i].Offered = append([]string{"brown"}, names...)
		}
	}
	rows[1].Name, rows[1].PScore = "violet", 0
	for _, c := range []struct {
		name string
		want bool
	}{{"gren", true}, {"green", false}, {"brown", false}, {"violet", false}} {
		table := require.Value(ParseTable(fmt.Appendf(nil, `{"version":"m","actions":[{"name":%q,"weight":1},{"name":"red","weight":1}]}`, c.name)))(t)
		r := evaluated(t, rows, Options{Actions: names, Table: table})
		if text := strings.Join(r.Warnings, "\n"); strings.Contains(text, fmt.Sprintf("table m: neither the network nor any decision has an action %q", c.name)) != c.want {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}

// TestOneInFourSeemsToGainAtSomeLook: what is printed below the table of intervals that hold at one look. Of 1,500 logs of 10,000 decisions
// without any gain.
func TestOneInFourSeemsToGainAtSomeLook(t *testing.T) {
	const logs, looks, decisions = 1500, 20, 500
	rng := rand.New(rand.NewPCG(1, 5))
	last, some := 0, 0
	for range logs {
		var gain sums1
		seen := false
		for look := range looks {
			for range decisions {
				gain.add(2*float64(rng.IntN(2)) - 1)
			}
			if i := gain.interval(normal); i.Low > 0 || i.High < 0 {
				seen = true
				if look == looks-1 {
					last++
				}
			}
		}
		if seen {
			some++
		}
	}
	t.Logf("at the last look %.1f %%, at some look %.1f %%", 100*float64(last)/logs, 100*float64(some)/logs)
	if last > logs*7/100 || some < logs/5 || some > logs*3/10 {
		t.Errorf("of %d logs, %d seem to gain or lose at the last look, and %d at some look", logs, last, some)
	}
	var b strings.Builder
	(&Report{}).Print(&b)
	if !strings.Contains(b.String(), "Ranges hold 95 % at one look: of policies that gain nothing, one in four seems to gain or to lose at some look of 20.") {
		t.Error(b.String())
	}
}
