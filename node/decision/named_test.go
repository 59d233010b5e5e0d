package decision

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

func encoding(t *testing.T, texts ...string) *Encoding {
	t.Helper()
	e := require.Value(ParseEncoding(texts))(t)
	return &e
}

// TestNamesBecomeNumbers: a constant where there is no category, ranges from -1 to 1, categories one by one, and all over
// the greatest norm.
func TestNamesBecomeNumbers(t *testing.T) {
	e := encoding(t, "hour=0..24", "age=-10..30")
	x := e.Begin()
	e.SetNumber(x, e.Find("hour"), 6)
	e.SetNumber(x, e.Find("age"), 30)
	if third := 1 / math.Sqrt(3); !reflect.DeepEqual(x, []float64{third, -.5 * third, third}) || e.Len() != 3 {
		t.Error(x)
	}
	e = encoding(t, "device=mobile|desktop|tv", "hour=0..24")
	x = e.Begin()
	e.SetCategory(x, e.Find("device"), 2)
	e.SetNumber(x, e.Find("hour"), 12)
	if half := 1 / math.Sqrt(2); !reflect.DeepEqual(x, []float64{0, 0, half, 0}) || e.Find("tv") >= 0 {
		t.Error(x)
	}
	if e = encoding(t); e.Len() != 0 || len(e.Steps()) != 0 {
		t.Error("features of no text")
	}
}

// TestNamedNumbersAreBounded: whatever the values, the squares sum to at most 1, and to 1 for some.
func TestNamedNumbersAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, numbers, categories := []string(nil), rapid.IntRange(0, 5).Draw(t, "numbers"), rapid.IntRange(0, 5).Draw(t, "categories")
		for i := range numbers {
			texts = append(texts, string(rune('a'+i))+"=-3..1e3")
		}
		for i := range categories {
			texts = append(texts, string(rune('A'+i))+"=x|y|z")
		}
		e := require.Value(ParseEncoding(texts))(t)
		most := rapid.Bool().Draw(t, "most")
		x := e.Begin()
		for i, f := range e.Features {
			switch {
			case f.Categories != nil:
				e.SetCategory(x, i, rapid.IntRange(0, 2).Draw(t, "category"))
			case most:
				e.SetNumber(x, i, f.High)
			default:
				e.SetNumber(x, i, rapid.Float64Range(f.Low, f.High).Draw(t, "number"))
			}
		}
		sum := 0.
		for _, v := range x {
			sum += v * v
		}
		if sum > 1+1e-12 || most && len(texts) > 0 && sum < 1-1e-12 {
			t.Fatalf("%v: %v", texts, sum)
		}
	})
}

// TestStepsMoveOneFeature: from the middle, over which steps of a category have the mean 0.
func TestStepsMoveOneFeature(t *testing.T) {
	e := encoding(t, "hour=0..24", "device=mobile|desktop")
	middle, steps := e.Middle(), e.Steps()
	if half := 1 / math.Sqrt(2); !reflect.DeepEqual(middle, []float64{0, half / 2, half / 2}) || len(steps) != 3 ||
		!reflect.DeepEqual(steps[0], Step{"hour", "", []float64{half, half / 2, half / 2}}) ||
		!reflect.DeepEqual(steps[2], Step{"device", "desktop", []float64{0, 0, half}}) {
		t.Error(middle, steps)
	}
}

func TestWhatIsNoFeatureIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"hour": "NAME=LOW..HIGH", "=0..1": "NAME=LOW..HIGH", "a b=0..1": "NAME=LOW..HIGH", "hour=1..1": "no range", "hour=2..1": "no range", "hour=0..nan": "no range",
		"hour=-inf..0": "no range", "hour=0..": "no range", "hour=-1.7e308..1.7e308": "no range", "d=a": "two different categories", "d=a|a": "two different categories", "d=a|": "two different categories", "d=": "two different categories",
	} {
		if _, err := ParseEncoding([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseEncoding([]string{"a=0..1", "a=x|y"}); err == nil || !strings.Contains(err.Error(), "item 1 has the name of one before, a") {
		t.Error(err)
	}
}

// TestAPeerMakesFeaturesOfItsActions: they are the same numbers that an ask could have had, and an ask that has some is
// refused.
func TestAPeerMakesFeaturesOfItsActions(t *testing.T) {
	names, err := ParseNames([]string{"hour=0..24"}, nil)
	if err != nil || !names.Own() {
		t.Fatal(err)
	}
	plain := Shape{Actions: 2, Inputs: names.Inputs(3), Bounded: true}
	named := plain
	named.Own = OwnFeatures(3, []bandit.Arm{0, 2})
	context := []float64{.5, .5}
	if r := named.Check(&Ask{Context: context}); r != nil {
		t.Error(r)
	}
	if a, b := named.Offered(&Ask{Context: context}), plain.Offered(&Ask{Context: context, Features: [][]float64{{1, 0, 0}, {0, 0, 1}}}); !reflect.DeepEqual(a, b) || len(a) != 2 {
		t.Error("other features")
	}
	for field, ask := range map[string]Ask{
		"features": {Context: context, Features: [][]float64{{1, 0, 0}, {0, 0, 1}}}, "actions": {Context: context, Actions: []Action{{"a", []float64{1, 0, 0}}}}, "context": {},
	} {
		if r := named.Check(&ask); r == nil || r.Field != field {
			t.Errorf("%s: %v", field, r)
		}
	}
	if names, err = ParseNames(nil, []string{"price=0..1"}); err != nil || names.Own() || names.Inputs(3) != (bandit.Inputs{Map: bandit.Outer, Action: 2}) {
		t.Error(names, err)
	}
	if names, err = ParseNames(nil, nil); names != nil || err != nil || names.Own() || names.OfContext() != nil || names.OfAction() != nil {
		t.Error(names, err)
	}
}
