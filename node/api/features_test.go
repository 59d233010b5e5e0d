package api

import (
	"strconv"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
)

// mistake is what an ask has besides its id, and how it is refused.
type mistake struct {
	fields, field, fix string
	status             int
}

// refusesMistakes asks with each mistake, which is refused with the field and what is wanted, without a call of the backend; the
// same decision is accepted with the fields that are right. What does not fit the shape is a matter of decision.Shape.
func refusesMistakes(t *testing.T, shape decision.Shape, right string, all map[string]mistake) {
	t.Helper()
	f := newFake()
	f.shape = shape
	r := run(t, f)
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			before, calls := f.state(), f.calls
			status, _, body := r.ask(t, "/v1/decisions", `{"id":"`+name+`"`+m.fields+`}`)
			if status != m.status || !strings.Contains(body, m.fix) || m.field != "" && !strings.Contains(body, `"location":"`+m.field+`"`) {
				t.Errorf("%d %s, want %s: %s", status, body, m.field, m.fix)
			}
			if f.state() != before || f.calls != calls {
				t.Errorf("the backend has heard of it: %s, before %s", f.state(), before)
			}
			if status, _, body = r.ask(t, "/v1/decisions", `{"id":"`+name+`"`+right+`}`); status != 200 {
				t.Errorf("made right: %d %s", status, body)
			}
		})
	}
}

func TestMistakesWithFeaturesNameFieldAndFix(t *testing.T) {
	features := func(lists string) string { return `,"features":` + lists }
	refusesMistakes(t, ownShape(3, 2, true), features(`[[0.1,0.2],[0.3,0.4],[0.8,0.6]]`), map[string]mistake{
		"wrong-dimension":    {features(`[[0.1,0.2],[0.3],[0.5,0.6]]`), "body.features[1]", "want 2 numbers, got 1", 422},
		"NaN":                {features(`[[0.1,0.2],[0.3,NaN],[0.5,0.6]]`), "body.features[1][1]", "want a finite number", 422},
		"beyond-all-numbers": {features(`[[0.1,0.2],[0.3,1e999],[0.5,0.6]]`), "body.features[1][1]", "want a finite number", 422},
		"text":               {features(`[[0.1,0.2],[0.3,"0.4"],[0.5,0.6]]`), "body.features[1][1]", "want a finite number", 422},
		"names":              {features(`{"red":[0.1,0.2]}`), "body.features", "want a list", 422},
		"too-long-a-body":    {features(`[[0.` + strings.Repeat("1", int(MaxBody)) + `]]`), "", strconv.FormatInt(MaxBody, 10), 413},
	})
}

// withContext is a shape of an outer product of 2 numbers of context with 2 of an action.
func withContext() decision.Shape {
	return decision.Shape{Actions: 3, Inputs: bandit.Inputs{Map: bandit.Outer, Context: 2, Action: 2}, Bounded: true}
}

func TestMistakesWithActionsNameFieldAndFix(t *testing.T) {
	const (
		c = `,"context":[1,0]`
		a = `{"id":"a","features":[1,0]}`
	)
	offer := func(actions string) string { return c + `,"actions":[` + actions + `]` }
	refusesMistakes(t, withContext(), offer(a), map[string]mistake{
		"no-actions":       {offer(``), "body.actions", "want 1 to 3 actions, as many as the network has at most, got 0", 422},
		"no-id":            {offer(`{"features":[1,0]}`), "body.actions[0].id", "is missing", 422},
		"blank-id":         {offer(`{"id":" ","features":[1,0]}`), "body.actions[0].id", "want the name of an action", 422},
		"no-features":      {offer(a + `,{"id":"b"}`), "body.actions[1].features", "is missing", 422},
		"wrong-dimension":  {offer(a + `,{"id":"b","features":[1,0,0]}`), "body.actions[1].features", "want 2 numbers, got 3", 422},
		"NaN":              {offer(`{"id":"b","features":[NaN,0]}`), "body.actions[0].features[0]", "want a finite number", 422},
		"no-context":       {`,"actions":[` + a + `]`, "body.context", "want 2 numbers, got 0", 422},
		"NaN-in-context":   {`,"context":[1,NaN],"actions":[` + a + `]`, "body.context[1]", "want a finite number", 422},
		"unknown-field":    {offer(`{"id":"a","features":[1,0],"price":3}`), "body.actions[0].price", "is not a field here", 422},
		"too-long-a-body":  {offer(`{"id":"a","features":[0.` + strings.Repeat("1", int(MaxBody)) + `,0]}`), "", strconv.FormatInt(MaxBody, 10), 413},
		"names-to-numbers": {c + `,"actions":{"a":[1,0]}`, "body.actions", "want a list", 422},
	})
}

// TestFeaturesOfTheLargestShape: they fit into a body.
func TestFeaturesOfTheLargestShape(t *testing.T) {
	f := newFake()
	f.shape = ownShape(maxItems, maxItems, false)
	r := run(t, f)
	list := "[" + strings.Repeat("0.5,", maxItems-1) + "0.5]"
	all := `{"features":[` + strings.Repeat(list+",", maxItems-1) + list + `]}`
	if status, _, body := r.ask(t, "/v1/decisions", all); status != 200 || len(f.asked[0].Features) != maxItems || len(f.asked[0].Features[999]) != maxItems {
		t.Error(status, body)
	}
	long := strings.Replace(all, "0.5", "0."+strings.Repeat("5", int(MaxBody)), 1)
	if status, _, body := r.ask(t, "/v1/decisions", long); status != 413 || !strings.Contains(body, strconv.FormatInt(MaxBody, 10)) {
		t.Error(status, body)
	}
}

// described returns a body with the features of all actions of a shape.
func described(shape decision.Shape) []byte {
	list := "[" + strings.Repeat("0.8125,", shape.Inputs.Action-1) + "-1e-3]"
	return []byte(`{"id":"visit-8812","features":[` + strings.Repeat(list+",", shape.Actions-1) + list + `]}`)
}

// TestFeaturesMakeLittleGarbage: garbage collection delays answers, so lists are not allocated
// one by one.
func TestFeaturesMakeLittleGarbage(t *testing.T) {
	shape := ownShape(100, 10, true)
	body := described(shape)
	read := shaped(shape)
	if n := testing.AllocsPerRun(100, func() { _, _ = decodeOne(body, read) }); n > 40 {
		t.Errorf("%v allocations, want at most 40", n)
	}
}
