package api

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"peerd.dev/bandit"
	"peerd.dev/node/decision"
	"peerd.dev/node/internal/apitest"
)

// FuzzDecodeReport shows that anything read as a report is JSON and has the values that
// encoding/json reads, and that anything refused as malformed is not JSON.
func FuzzDecodeReport(f *testing.F) {
	seeds(f, `{"id":"a","value":0.5}`, `{"id":"a","value":-0}`, `{"id":"a","value":1E-400}`, `{"id":"a","end":true}`, `{"id":"a","value":1,"end":false,"report":"x"}`)
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := decodeOne(b, unit)
		agree(t, b, err)
		if err != nil || len(q.flaws) > 0 {
			return
		}
		var want struct {
			ID    string  `json:"id"`
			Value float64 `json:"value"`
			End   bool    `json:"end"`
			Part  string  `json:"report"`
		}
		v := float64(q.value.Value)
		if err := json.Unmarshal(b, &want); err != nil || want.ID != q.value.ID || want.Value != v || want.End != q.value.End || want.Part != q.value.Part || decision.WrongID(want.ID) != "" {
			t.Errorf("%q is read as %q, want %+v %v", b, q.value.ID, want, err)
		}
		if !(v >= 0 && v <= 1) || math.Signbit(v) {
			t.Errorf("%q holds a reward that is none", b)
		}
	})
}

// FuzzDecodeAsks shows the same for a batch of asks.
func FuzzDecodeAsks(f *testing.F) {
	seeds(f, `{"decisions":[{"id":"a","exclude":["red","\u0072ed"],"subject":"x y"},{},{"id":7}]}`)
	f.Fuzz(func(t *testing.T, b []byte) {
		items, flaws, err := decodeBatch(b, "decisions", shaped(decision.Shape{}))
		agree(t, b, err)
		if err != nil || len(flaws) > 0 {
			return
		}
		var want struct {
			Decisions []json.RawMessage `json:"decisions"`
		}
		nan := bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Infinity"))
		if err := json.Unmarshal(b, &want); !nan && (err != nil || len(want.Decisions) != len(items)) {
			t.Fatalf("%q: %d items, %v", b, len(items), err)
		}
		for i, q := range items {
			if len(q.flaws) > 0 || nan {
				continue
			}
			var a decision.Ask
			if err := json.Unmarshal(want.Decisions[i], &a); err != nil || a.ID != q.value.ID || a.Subject != q.value.Subject || strings.Join(a.Exclude, "\n") != strings.Join(q.value.Exclude, "\n") {
				t.Errorf("%q: %+v, want %+v %v", b, q.value, a, err)
			}
		}
	})
}

// unit reads a report of a reward from 0 to 1.
func unit(s *scanner) decision.Report { return reader(0, 1)(s) }

// shaped reads asks with features for a shape.
func shaped(shape decision.Shape) func(*scanner) decision.Ask {
	return func(s *scanner) decision.Ask { return decodeAsk(s, shape) }
}

// ownShape is a shape without a context.
func ownShape(actions, numbers int, bounded bool) decision.Shape {
	return decision.Shape{Actions: actions, Inputs: bandit.Inputs{Action: numbers}, Bounded: bounded}
}

// FuzzDecodeFeatures shows that features and actions are read as encoding/json reads them, have
// the required shape and are finite.
func FuzzDecodeFeatures(f *testing.F) {
	seeds(f, `{"features":[[1,-0.5e3],[0,1e-999]]}`, `{"features":[[1,2],[3]]}`, `{"features":[[1,2],[3,4],[5,6]]}`, `{"features":[]}`, `{"features":[[1,2],[3,1e308]],"features":[]}`,
		`{"actions":[{"id":"a","features":[1,2]},{"features":[0,-1],"id":"b"}]}`, `{"actions":[]}`, `{"actions":[{"id":"a","features":[1,2]},{"id":"a","features":[1,2]}]}`, `{"actions":[{"id":"a"}]}`)
	shape := ownShape(2, 2, false)
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := decodeOne(b, shaped(shape))
		agree(t, b, err)
		if err != nil || len(q.flaws) > 0 {
			return
		}
		var want struct {
			Features [][]float64       `json:"features"`
			Actions  []decision.Action `json:"actions"`
		}
		if err := json.Unmarshal(b, &want); err != nil || !reflect.DeepEqual(want.Features, q.value.Features) || !reflect.DeepEqual(want.Actions, q.value.Actions) {
			t.Errorf("%q is read as %v %v, want %v %v", b, q.value.Features, q.value.Actions, want, err)
		}
		if r := shape.Check(&q.value); r != nil {
			t.Errorf("%q is read with a flaw: %v", b, r)
		}
	})
}

// seeds adds bodies, among them those in the table of wrong requests.
func seeds(f *testing.F, good ...string) {
	for _, g := range good {
		f.Add([]byte(g))
	}
	for _, least := range []string{"0", "null", `""`, "{}", "[]"} { // many in a list
		for _, list := range []string{"decisions", "features", "actions", "exclude"} {
			f.Add([]byte(`{"` + list + `":[` + strings.Repeat(least+",", 30) + least + "]}"))
		}
	}
	for _, c := range apitest.Cases(f) {
		f.Add(c.Base64)
		f.Add([]byte(c.Body + strings.Repeat(c.Repeat, min(c.Times, 20)) + c.End))
	}
}

// agree checks that malformed texts are those that are not JSON, with two exceptions: bytes that are not UTF-8, which
// encoding/json accepts, and NaN and Infinity, which it does not. No text of the body is in the error.
func agree(t *testing.T, b []byte, err error) {
	t.Helper()
	nan := bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Infinity"))
	switch {
	case err == nil && !json.Valid(b) && !nan:
		t.Errorf("%q is read", b)
	case err != nil && json.Valid(b) && utf8.Valid(b):
		t.Errorf("%q is refused: %v", b, err)
	case err != nil && len(err.Error()) > 80:
		t.Errorf("%q: %v", b, err)
	}
}

func TestFlawsAreToldTogether(t *testing.T) {
	q, err := decodeOne([]byte(`{"id":"","value":7,"weight":1,"id":null}`), unit)
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, f := range q.flaws {
		at = append(at, f.Location)
	}
	if got := strings.Join(at, " "); got != "body.id body.value body.weight body.id" {
		t.Error(got)
	}
	if d := flawed(q.flaws).Detail; !strings.HasSuffix(d, "(and 3 more)") {
		t.Error(d)
	}
	q, err = decodeOne([]byte(`{"`+strings.Repeat("long", 1000)+`":1`+strings.Repeat(`,"b":1`, 1000)+`}`), unit)
	if err != nil || len(q.flaws) != maxFlaws || len(q.flaws[0].Location) > 100 {
		t.Error(err, len(q.flaws))
	}
}

func TestBatchOfTheMostItems(t *testing.T) {
	items, flaws, err := decodeBatch([]byte(`{"decisions":[{}`+strings.Repeat(`,{}`, maxItems-1)+`]}`), "decisions", shaped(decision.Shape{}))
	if len(items) != maxItems || len(flaws) > 0 || err != nil {
		t.Error(len(items), flaws, err)
	}
}
