package site

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/linear"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// shop is a site whose asks name the hour and the device, or send the same as numbers.
func shop(t *testing.T, named bool, absent ...bandit.Arm) *rig {
	t.Helper()
	names := require.Value(decision.ParseNames([]string{"hour=0..24", "device=mobile|desktop"}, nil))(t)
	x := usual(byFeatures()[0], AtWindow).repeatable(7)
	x.inputs, x.absent = names.Inputs(len(x.arms)), absent
	x.features = x.inputs.Dim()
	x.learner = linear.LinUCBParams{Features: x.inputs.Action, Context: x.inputs.Context, Map: x.inputs.Map, Index: linear.SampledIndex, Radius: 1, Records: linear.WithoutSquares}
	if named {
		x.names = names
	}
	r := started(t, x)
	r.describes = false // of the site; the neighbours play with features
	return r
}

// TestNamedFeaturesTakeTheSamePath as numbers: the same actions, the same features in the store and in what is learned, and
// the same ledger.
func TestNamedFeaturesTakeTheSamePath(t *testing.T) {
	play := func(named bool) (made []string) {
		r := shop(t, named)
		base, token := r.serve(t)
		for i := range 40 {
			id, hour, device := fmt.Sprint("visit-", i), float64(i%25), i%2
			body := fmt.Sprintf(`{"id":%q,"context":{"device":%q,"hour":%v}}`, id, []string{"mobile", "desktop"}[device], hour)
			if !named {
				half := 1 / math.Sqrt(2)
				x := [3]float64{half * (hour/12 - 1)}
				x[1+device] = half
				body = fmt.Sprintf(`{"id":%q,"context":[%v,%v,%v],"features":[[1,0,0],[0,1,0],[0,0,1]]}`, id, x[0], x[1], x[2])
			}
			req := require.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/decisions", strings.NewReader(body)))(t)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+token)
			answer, err := http.DefaultClient.Do(req)
			if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: %v %v", body, answer, err)
			}
			v := require.Value(r.s.store.Get(store.Decision, []byte(id)))(t)
			c := require.Value(parseChoice(v, r.c.shape()))(t)
			made = append(made, fmt.Sprintf("%d %q %.12f", c.arm, c.action, []float64(c.features)))
			r.pay(id, float64(i%2))
			if i%5 == 4 {
				r.clock.add(window)
				r.rounds(2)
			}
		}
		for line, err := range r.s.Ledger(t.Context(), 0, math.MaxUint64) {
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, string(line))
		}
		return made
	}
	numbers, named := play(false), play(true)
	if !reflect.DeepEqual(numbers, named) {
		t.Errorf("by numbers\n%s\nby name\n%s", strings.Join(numbers, "\n"), strings.Join(named, "\n"))
	}
	if len(numbers) < 42 {
		t.Error("nothing is released")
	}
}

// TestARepeatedAskByNameIsRecognized, and one in another context is refused with the field that differs.
func TestARepeatedAskByNameIsRecognized(t *testing.T) {
	r := shop(t, true)
	ask := decision.Ask{ID: "a", Context: []float64{.5, .5, 0}}
	d := r.ask(ask)
	if again := r.ask(ask); !again.Repeated || again.Action != d.Action {
		t.Errorf("%+v, was %+v", again, d)
	}
	out := r.decide(decision.Ask{ID: "a", Context: []float64{.5, 0, .5}})
	if refused(t, out[0].Err) != decision.Conflict || out[0].Err.(*decision.Refusal).Field != "context" { //nolint:errorlint // it is promised bare
		t.Errorf("%v", out[0].Err)
	}
}

// TestARetiredActionHasNoFeatureOnOffer: the others keep theirs.
func TestARetiredActionHasNoFeatureOnOffer(t *testing.T) {
	r := shop(t, true, 1)
	if own := r.s.Features().Own; !reflect.DeepEqual(own, [][]float64{{1, 0, 0}, {0, 0, 1}}) {
		t.Error(own)
	}
	for i := range 20 {
		if d := r.ask(decision.Ask{ID: fmt.Sprint(i), Context: []float64{.5, .5, 0}}); d.Action == "green" {
			t.Fatal("a retired action is chosen")
		}
	}
}

// TestFeaturesOfTheirOwnAreNotStored: what the peer makes of names is made again when a log is read, without retired and excluded
// actions, and takes no room with a decision.
func TestFeaturesOfTheirOwnAreNotStored(t *testing.T) {
	r := shop(t, true, 1)
	x := []float64{.1, 0, .5}
	r.ask(decision.Ask{ID: "all", Context: x})
	r.ask(decision.Ask{ID: "one", Context: x, Exclude: []string{r.arms[0]}})
	r.ask(decision.Ask{ID: "named", Context: x, Named: []string{r.arms[0]}})
	r.clock.add(2 * window)
	r.rounds(2)
	reader := DecisionReader{Arms: r.arms, Features: r.c.Inputs.Dim(), Streams: r.c.Streams, Own: r.c.Inputs.Action}
	got := make(map[string]Offered)
	for row, err := range reader.Decisions(r.s.store, r.clock.Now(), func() {}) {
		if err != nil {
			t.Fatal(err)
		}
		got[row.ID] = row.Offered
	}
	first, third := []float64{1, 0, 0}, []float64{0, 0, 1}
	want := map[string]Offered{
		"all":   {Context: x, Names: []string{r.arms[0], r.arms[2]}, Features: [][]float64{first, third}},
		"one":   {Context: x, Names: []string{r.arms[2]}, Features: [][]float64{third}},
		"named": {Context: x, Names: []string{r.arms[0]}, Features: [][]float64{first}},
	}
	for id, w := range want {
		if !reflect.DeepEqual(got[id], w) {
			t.Errorf("%s: another offer is read than was made", id)
		}
	}
	if v, err := r.s.store.Get(store.Offer, []byte("all")); err != nil || len(v) > 29 { // the context, three lengths, and the retired place
		t.Errorf("%d bytes of an offer are stored (%v)", len(v), err)
	}
}
