package decision

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"peerd.dev/bandit"
)

// A Feature has a name, and is a number in a range or one of some categories.
type Feature struct {
	Name       string
	Low, High  float64
	Categories []string // nil for a number
	place      int      // of its first number
}

// Want says which values the feature has.
func (f *Feature) Want() string {
	if f.Categories != nil {
		return "want one of " + strings.Join(f.Categories, ", ")
	}
	return fmt.Sprintf("want a number from %v to %v", f.Low, f.High)
}

// An Encoding makes numbers of named features: a number of its range becomes one from -1 to 1, and a category a 1 at its
// place, with 0 at the places of the others. If there is no category, a 1 comes first, so that what is learned has a constant;
// with categories their numbers have that sum. All are divided by the greatest norm that they can have.
type Encoding struct {
	Features []Feature
	numbers  int
	scale    float64 // one over the greatest norm
	constant bool
}

// ParseEncoding reads features, each written as NAME=LOW..HIGH or NAME=A|B|C. The error says what is wanted.
func ParseEncoding(texts []string) (e Encoding, err error) {
	if len(texts) == 0 {
		return e, nil
	}
	e.constant = true
	for i, text := range texts {
		f, err := parseFeature(text)
		switch {
		case err != nil:
			return e, fmt.Errorf("item %d %w", i, err)
		case e.Find(f.Name) >= 0:
			return e, fmt.Errorf("item %d has the name of one before, %s", i, f.Name)
		}
		e.constant = e.constant && f.Categories == nil
		e.Features = append(e.Features, f)
	}
	squares := len(e.Features)
	if e.constant {
		e.numbers, squares = 1, squares+1
	}
	for i := range e.Features {
		e.Features[i].place = e.numbers
		e.numbers += max(1, len(e.Features[i].Categories))
	}
	e.scale = 1 / math.Sqrt(float64(squares))
	return e, nil
}

func parseFeature(text string) (f Feature, err error) {
	name, values, ok := strings.Cut(text, "=")
	low, high, isRange := strings.Cut(values, "..")
	switch {
	case !ok || !isName(name):
		return f, fmt.Errorf("is not NAME=LOW..HIGH or NAME=A|B|C with a name out of letters from a to z, digits, dots, _ and -")
	case isRange:
		f = Feature{Name: name}
		var errs [2]error
		f.Low, errs[0] = strconv.ParseFloat(low, 64)
		f.High, errs[1] = strconv.ParseFloat(high, 64)
		if errs[0] != nil || errs[1] != nil || !(f.Low < f.High) || math.IsInf(f.High-f.Low, 0) {
			return f, fmt.Errorf("has no range of two finite numbers, the lower one first, as in hour=0..24")
		}
		return f, nil
	}
	f = Feature{Name: name, Categories: strings.Split(values, "|")}
	for i, c := range f.Categories {
		if !isName(c) || slices.Contains(f.Categories[:i], c) || len(f.Categories) < 2 {
			return f, fmt.Errorf("has no range and no two different categories, out of letters from a to z, digits, dots, _ and -, as in device=mobile|desktop")
		}
	}
	return f, nil
}

// isName reports whether a feature or a category can have the name.
func isName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(c rune) bool { return c == ':' || notOfID(c) })
}

// Find returns the feature with a name, by its place among all; below 0 if there is none.
func (e *Encoding) Find(name string) int {
	return slices.IndexFunc(e.Features, func(f Feature) bool { return f.Name == name })
}

// Len returns how many numbers there are.
func (e *Encoding) Len() int { return e.numbers }

// Names returns the names of all features, with commas.
func (e *Encoding) Names() string {
	var all []string
	for _, f := range e.Features {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// Begin returns the numbers before any feature has a value.
func (e *Encoding) Begin() []float64 {
	x := make([]float64, e.numbers)
	if e.constant {
		x[0] = e.scale
	}
	return x
}

// SetNumber puts the value of feature i, which is in its range, into x.
func (e *Encoding) SetNumber(x []float64, i int, value float64) {
	f := &e.Features[i]
	x[f.place] = e.scale * max(-1, min(1, 2*(value-f.Low)/(f.High-f.Low)-1))
}

// SetCategory puts the category of feature i, by its place, into x.
func (e *Encoding) SetCategory(x []float64, i, category int) {
	x[e.Features[i].place+category] = e.scale
}

// Middle returns the numbers in the middle of all ranges, and of all categories.
func (e *Encoding) Middle() []float64 {
	x := e.Begin()
	for _, f := range e.Features {
		for k := range f.Categories {
			x[f.place+k] = e.scale / float64(len(f.Categories))
		}
	}
	return x
}

// A Step is what a value of a feature changes, from the middle.
type Step struct {
	Feature  string
	Category string // "" for the upper end of a range
	To       []float64
}

// Steps returns the middle with each feature at the upper end of its range, or at each of its categories.
func (e *Encoding) Steps() (all []Step) {
	for i, f := range e.Features {
		if f.Categories == nil {
			x := e.Middle()
			e.SetNumber(x, i, f.High)
			all = append(all, Step{f.Name, "", x})
		}
		for k, c := range f.Categories {
			x := e.Middle()
			clear(x[f.place : f.place+len(f.Categories)])
			e.SetCategory(x, i, k)
			all = append(all, Step{f.Name, c, x})
		}
	}
	return all
}

// Names are the named features of a peer's asks. Without names of actions' features, each action of the network has a
// feature of its own.
type Names struct{ Context, Action Encoding }

// ParseNames reads the features of the context and of an action; nil if neither has any.
func ParseNames(context, action []string) (n *Names, err error) {
	if len(context)+len(action) == 0 {
		return nil, nil
	}
	n = new(Names)
	if n.Context, err = ParseEncoding(context); err != nil {
		return nil, err
	}
	n.Action, err = ParseEncoding(action)
	return n, err
}

// OfContext returns the features of the context; nil for none.
func (n *Names) OfContext() *Encoding {
	if n == nil || n.Context.Len() == 0 {
		return nil
	}
	return &n.Context
}

// OfAction returns the features of an action; nil for none.
func (n *Names) OfAction() *Encoding {
	if n == nil || n.Action.Len() == 0 {
		return nil
	}
	return &n.Action
}

// Own reports whether each action has a feature of its own.
func (n *Names) Own() bool { return n != nil && n.Action.Len() == 0 }

// Inputs returns how many numbers an ask has, with a number of actions, if features are the products of both.
func (n *Names) Inputs(actions int) bandit.Inputs {
	in := bandit.Inputs{Map: bandit.Outer, Context: n.Context.Len(), Action: n.Action.Len()}
	if n.Own() {
		in.Action = actions
	}
	return in
}

// OwnFeatures returns the features of the actions in some places, where each of a number of actions has one of its own.
func OwnFeatures(actions int, places []bandit.Arm) [][]float64 {
	all := make([][]float64, len(places))
	for i, a := range places {
		all[i] = make([]float64, actions)
		all[i][a] = 1
	}
	return all
}
