package api

import (
	"reflect"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// withNames is a shape with features of the context by name, and of actions, if there are any.
func withNames(t testing.TB, context, action []string) decision.Shape {
	t.Helper()
	names, err := decision.ParseNames(context, action)
	if err != nil {
		t.Fatal(err)
	}
	s := decision.Shape{Actions: 2, Inputs: names.Inputs(2), Bounded: true, Names: names}
	if names.Own() {
		s.Own = decision.OwnFeatures(2, []bandit.Arm{0, 1})
	}
	return s
}

// TestNamesYieldTheNumbersOfLists: an ask by names reaches the backend as one by lists does, alone and in a batch, and both
// forms can be mixed.
func TestNamesYieldTheNumbersOfLists(t *testing.T) {
	f := newFake()
	f.shape = withNames(t, []string{"hour=0..24", "device=mobile|desktop"}, []string{"price=0..10"})
	r := run(t, f)
	const (
		root    = 0.7071067811865475
		half    = `0.7071067811865475`
		byNames = `{"id":"a","context":{"device":"desktop","hour":18},"actions":[{"id":"x","features":{"price":0}},{"id":"y","features":{"price":7.5}}]}`
		byLists = `{"id":"a","context":[0.35355339059327373,0,` + half + `],"actions":[{"id":"x","features":[` + half + `,-` + half + `]},{"id":"y","features":[` + half + `,0.35355339059327373]}]}`
		mixed   = `{"id":"a","context":[0.35355339059327373,0,` + half + `],"actions":[{"id":"x","features":{"price":0}},{"id":"y","features":[` + half + `,0.35355339059327373]}]}`
	)
	want := decision.Ask{ID: "a", Context: []float64{root / 2, 0, root}, Actions: []decision.Action{{ID: "x", Features: []float64{root, -root}}, {ID: "y", Features: []float64{root, root / 2}}}}
	for _, body := range []string{byNames, byLists, mixed} {
		if status, _, answer := r.ask(t, "/v1/decisions", body); status != 200 || !reflect.DeepEqual(f.asked, []decision.Ask{want}) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	if status, _, body := r.ask(t, "/v1/decisions/batch", `{"decisions":[`+byNames+`,`+byLists+`]}`); status != 200 || !reflect.DeepEqual(f.asked, []decision.Ask{want, want}) {
		t.Errorf("%d %s", status, body)
	}
}

// TestMistakesWithNamesNameFieldAndFix: a wrong value is refused with its field and what is wanted, and is not repeated.
func TestMistakesWithNamesNameFieldAndFix(t *testing.T) {
	f := newFake()
	f.shape = withNames(t, []string{"hour=0..24", "device=mobile|desktop"}, nil)
	r := run(t, f)
	const hour, device = "want a number from 0 to 24", "want one of mobile, desktop"
	for context, want := range map[string][2]string{
		`{"device":"mobile"}`:                             {"body.context.hour", "is missing; " + hour},
		`{"hour":1}`:                                      {"body.context.device", "is missing; " + device},
		`{"hour":24.5,"device":"mobile"}`:                 {"body.context.hour", hour},
		`{"hour":-1777,"device":"mobile"}`:                {"body.context.hour", hour},
		`{"hour":NaN,"device":"mobile"}`:                  {"body.context.hour", hour},
		`{"hour":"1777","device":"mobile"}`:               {"body.context.hour", hour},
		`{"hour":null,"device":"mobile"}`:                 {"body.context.hour", hour + "; null is not one, and one is needed"},
		`{"hour":1,"device":null}`:                        {"body.context.device", device + "; null is not one, and one is needed"},
		`{"hour":[1777],"device":"mobile"}`:               {"body.context.hour", hour},
		`{"hour":1,"device":"tv1777"}`:                    {"body.context.device", device},
		`{"hour":1,"device":"Mobile"}`:                    {"body.context.device", device},
		`{"hour":1,"device":1777}`:                        {"body.context.device", device},
		`{"hour":1,"device":{"tv1777":true}}`:             {"body.context.device", device},
		`{"hour":1,"device":"mobile","age":1777}`:         {"body.context.age", "is not a field here; they are hour, device"},
		`{"hour":1,"hour":1777,"device":"mobile"}`:        {"body.context.hour", "is given twice"},
		`{"hour":1,"device":"mobile","device":"desktop"}`: {"body.context.device", "is given twice"},
		`"tv1777"`:                         {"body.context", "want an object with hour, device, or a list of numbers"},
		`[1777]`:                           {"body.context", "want 3 numbers, got 1"},
		`[1,0,0],"features":[[1,0],[0,1]]`: {"body.features", "this peer's actions have one feature each, which it makes"},
		`[1,0,0],"actions":[{"id":"a","features":[1,0]}]`:    {"body.actions", "this peer's actions have one feature each, which it makes"},
		`[1,0,0],"actions":[{"id":"a","features":{"a":17}}]`: {"body.actions", "this peer's actions have one feature each, which it makes"},
	} {
		f.asked = nil
		status, _, body := r.ask(t, "/v1/decisions", `{"context":`+context+`}`)
		if status != 422 || !strings.Contains(body, `"location":"`+want[0]+`","message":"`+want[1]) || strings.Contains(body, "777") || f.asked != nil {
			t.Errorf("%s: %d %s", context, status, body)
		}
	}
	if status, _, body := r.ask(t, "/v1/decisions", `{"context":{"hour":1,"device":"mobile"}`); status != 400 || f.asked != nil {
		t.Errorf("an object that does not end: %d %s", status, body)
	}
	if status, _, body := r.ask(t, "/v1/decisions", `{}`); status != 422 || !strings.Contains(body, `"location":"body.context"`) {
		t.Errorf("no context: %d %s", status, body)
	}
	f.shape = withContext()
	if status, _, body := r.ask(t, "/v1/decisions", `{"context":{"hour":1}}`); status != 422 || !strings.Contains(body, `"location":"body.context","message":"want a list of numbers; values by name`) {
		t.Errorf("no names: %d %s", status, body)
	}
}

// FuzzNamesAreReadStrictly: whatever the text, what is accepted has as many numbers as there are, within the bound, and each
// name once.
func FuzzNamesAreReadStrictly(f *testing.F) {
	shape := withNames(f, []string{"hour=0..24", "device=mobile|desktop"}, nil)
	for _, text := range []string{`{"hour":1,"device":"mobile"}`, `{"hour":1,"hour":1,"device":"mobile"}`, `[0,0,0]`, `{"hour":1e9`, `{"device":"\u006dobile","hour":0}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeOne([]byte(`{"context":`+text+`}`), shaped(shape))
		if err != nil || len(got.flaws) > 0 {
			return
		}
		if r := shape.Check(&got.value); r != nil || len(got.value.Context) != 3 {
			t.Errorf("%q is read, and refused: %v", text, r)
		}
		if n := strings.Count(text, `"hour":`); n > 1 {
			t.Errorf("%q has a feature %d times", text, n)
		}
	})
}
