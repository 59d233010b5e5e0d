package graphs

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySpec(t)
		got, err := ParseSpec(s.String())
		if err != nil {
			t.Fatal(err)
		}
		got.N, got.Edges = s.N, s.Edges
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("%q became %+v, was %+v", s, got, s)
		}
	})
}

func TestWhatParsesIsReadBack(t *testing.T) {
	args := rapid.StringMatching(`[0-9aeINnf.,() -]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(table()).Draw(t, "row").name + rapid.SampledFrom([]string{"", "("}).Draw(t, "open") + args.Draw(t, "args")
		s, err := ParseSpec(text)
		if err != nil {
			return
		}
		if again, err := ParseSpec(s.String()); err != nil || again.String() != s.String() {
			t.Fatalf("%q became %q, then %q, %v", text, s, again, err)
		}
		s.N = 5
		_ = s.Validate() // it may refuse, but must not panic
	})
}

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"ring":                  {Name: "ring"},
		" grid ":                {Name: "grid"},
		"grid(4)":               {Name: "grid", Cols: 4},
		"regular(6)":            {Name: "regular", Degree: 6},
		"gnp(0.2)":              {Name: "gnp", P: 0.2},
		"hub(3,ring)":           {Name: "hub", Components: []int{3}, Component: &Spec{Name: "ring"}},
		"hub(20 + 5, gnp(0.2))": {Name: "hub", Components: []int{20, 5}, Component: &Spec{Name: "gnp", P: 0.2}},
		"file(a, (b).txt)":      {Name: "file", File: "a, (b).txt"},
	} {
		if got, err := ParseSpec(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseSpecErrorsTeach(t *testing.T) {
	for text, want := range map[string]string{
		"":               `there is no topology ""; there are ring, path,`,
		"rnig(3)":        `there is no topology "rnig"; there are ring, path,`,
		"ring(3)":        `"ring(3)": ring takes no parameters`,
		"regular":        `"regular": write regular(degree), as in regular(4)`,
		"regular(6":      `"regular(6": the closing parenthesis is missing`,
		"regular(six)":   `"regular(six)": degree must be a whole number, got "six"`,
		"regular(6,2)":   `"regular(6,2)": degree must be a whole number, got "6,2"`,
		"hub(3)":         `"hub(3)": write hub(components,component), as in hub(3,ring)`,
		"hub(3+x,ring)":  `"hub(3+x,ring)": components must be a whole number, or sizes with + between them, got "3+x"`,
		"hub(3,rnig)":    `"hub(3,rnig)": there is no topology "rnig"; there are ring, path,`,
		"gnp(0.1) twice": `"gnp(0.1) twice": the closing parenthesis is missing`,
	} {
		if _, err := ParseSpec(text); err == nil || !strings.HasPrefix(err.Error(), "topology: "+want) {
			t.Errorf("%q: got %v, want topology: %s", text, err, want)
		}
	}
}

// Help shows the forms, and errors the examples: both must be right.
func TestExamplesParse(t *testing.T) {
	for _, f := range table() {
		if f.params == nil {
			continue
		}
		if s, err := ParseSpec(f.example()); err != nil || s.String() != f.example() {
			t.Errorf("%s became %q, %v", f.example(), s, err)
		}
	}
}
