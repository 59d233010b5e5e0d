package api

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/node/decision"
)

// TestFeaturesHaveTheShapeOfTheLearner: what fits comes to the backend, and what does not
// fit is refused with the field and what is wanted, before the backend hears of it.
func TestFeaturesHaveTheShapeOfTheLearner(t *testing.T) {
	f := newFake()
	f.shape = decision.Shape{Actions: 3, Length: 2}
	r := run(t, f)
	const good = `[[1,-0.5],[0,2e3],[1e-999,-0]]`
	want := [][]float64{{1, -.5}, {0, 2000}, {0, 0}}
	if status, _, body := r.ask(t, "/v1/decisions", `{"id":"a","features":`+good+`}`); status != 200 || !reflect.DeepEqual(f.asked[0].Features, want) {
		t.Errorf("%d %s: %v", status, body, f.asked)
	}
	const shape = "want 3 lists of 2 numbers, one list for each action, in the network's order"
	for _, c := range []struct{ features, field, reason string }{
		{``, "body.features", shape},
		{`,"features":[]`, "body.features", shape},
		{`,"features":[[1,2],[3,4]]`, "body.features", shape},
		{`,"features":[[1,2],[3,4],[5,6],[7,8]]`, "body.features", shape},
		{`,"features":[[1,2],[3],[5,6]]`, "body.features[1]", "want 2 numbers"},
		{`,"features":[[1,2],[3,4],[5,6,7]]`, "body.features[2]", "want 2 numbers"},
		{`,"features":[[1,2],[3,Infinity],[5,6]]`, "body.features[1][1]", "want a finite number"},
	} {
		f.asked = nil
		status, _, body := r.ask(t, "/v1/decisions", `{"id":"b"`+c.features+`}`)
		if status != 422 || !strings.Contains(body, `"errors":[{"location":"`+c.field+`","message":"`+c.reason+`"}]`) || f.asked != nil {
			t.Errorf("%s: %d %s, want %s: %s", c.features, status, body, c.field, c.reason)
		}
	}
	_, _, body := r.ask(t, "/v1/decisions/batch", `{"decisions":[{"id":"c"},{"id":"d","features":`+good+`}]}`)
	if len(f.asked) != 1 || f.asked[0].ID != "d" || !reflect.DeepEqual(f.asked[0].Features, want) ||
		!strings.Contains(body, `"location":"body.decisions[0].features","message":"`+shape) {
		t.Errorf("%s: %v", body, f.asked)
	}
	if f.state() != "2 decisions, 0 rewards" {
		t.Error(f.state())
	}
}

// TestMistakesWithFeaturesNameFieldAndFix: each is refused with the field and what is wanted, the
// backend does not hear of it, and the same decision is taken when it is made right.
func TestMistakesWithFeaturesNameFieldAndFix(t *testing.T) {
	f := newFake()
	f.shape = decision.Shape{Actions: 3, Length: 2, Bounded: true}
	r := run(t, f)
	const shape = "want 3 lists of 2 numbers, one list for each action, in the network's order"
	for name, c := range map[string]struct {
		features, field, fix string
		status               int
	}{
		"wrong-dimension":    {`[[0.1,0.2],[0.3],[0.5,0.6]]`, "body.features[1]", "want 2 numbers", 422},
		"norm-above-1":       {`[[0.1,0.2],[0.3,0.4],[0.8,0.61]]`, "body.features[2]", "want a sum of squares of at most 1; divide all features by the greatest length that there can be", 422},
		"NaN":                {`[[0.1,0.2],[0.3,NaN],[0.5,0.6]]`, "body.features[1][1]", "want a finite number", 422},
		"beyond-all-numbers": {`[[0.1,0.2],[0.3,1e999],[0.5,0.6]]`, "body.features[1][1]", "want a finite number", 422},
		"text":               {`[[0.1,0.2],[0.3,"0.4"],[0.5,0.6]]`, "body.features[1][1]", "want a finite number", 422},
		"no-actions":         {`[]`, "body.features", shape, 422},
		"fewer-actions":      {`[[0.1,0.2],[0.3,0.4]]`, "body.features", shape, 422},
		"more-actions":       {`[[0.1,0.2],[0.3,0.4],[0.5,0.6],[0.1,0.1]]`, "body.features", shape, 422},
		"names":              {`{"red":[0.1,0.2]}`, "body.features", "want a list", 422},
		"too-long-a-body":    {`[[0.` + strings.Repeat("1", DefaultMaxBody) + `]]`, "", strconv.Itoa(DefaultMaxBody), 413},
	} {
		t.Run(name, func(t *testing.T) {
			before, calls := f.state(), f.calls
			status, _, body := r.ask(t, "/v1/decisions", `{"id":"`+name+`","features":`+c.features+`}`)
			if status != c.status || !strings.Contains(body, c.fix) || c.field != "" && !strings.Contains(body, `"location":"`+c.field+`"`) {
				t.Errorf("%d %s, want %s: %s", status, body, c.field, c.fix)
			}
			if f.state() != before || f.calls != calls {
				t.Errorf("the backend has heard of it: %s, before %s", f.state(), before)
			}
			if status, _, body = r.ask(t, "/v1/decisions", `{"id":"`+name+`","features":[[0.1,0.2],[0.3,0.4],[0.8,0.6]]}`); status != 200 {
				t.Errorf("made right: %d %s", status, body)
			}
		})
	}
}

// TestFeaturesOfTheLargestShape fit into a body.
func TestFeaturesOfTheLargestShape(t *testing.T) {
	f := newFake()
	f.shape = decision.Shape{Actions: maxItems, Length: maxItems}
	r := run(t, f)
	list := "[" + strings.Repeat("0.5,", maxItems-1) + "0.5]"
	all := `{"features":[` + strings.Repeat(list+",", maxItems-1) + list + `]}`
	if status, _, body := r.ask(t, "/v1/decisions", all); status != 200 || len(f.asked[0].Features) != maxItems || len(f.asked[0].Features[999]) != maxItems {
		t.Error(status, body)
	}
	long := strings.Replace(all, "0.5", "0."+strings.Repeat("5", DefaultMaxBody), 1)
	if status, _, body := r.ask(t, "/v1/decisions", long); status != 413 || !strings.Contains(body, strconv.Itoa(DefaultMaxBody)) {
		t.Error(status, body)
	}
}

func BenchmarkDecodeFeatures(b *testing.B) {
	shape := decision.Shape{Actions: 10, Length: 20}
	list := "[" + strings.Repeat("0.8125,", shape.Length-1) + "-1e-3]"
	body := []byte(`{"id":"visit-8812","features":[` + strings.Repeat(list+",", shape.Actions-1) + list + `]}`)
	b.ReportAllocs()
	for b.Loop() {
		if q, err := decodeOne(body, shaped(shape)); err != nil || len(q.flaws) > 0 {
			b.Fatal(q, err)
		}
	}
}
