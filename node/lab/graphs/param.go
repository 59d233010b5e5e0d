package graphs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A param is a field of Spec that the text form of some topology shows.
type param int

const (
	paramDegree param = iota
	paramP
	paramCols
	paramComponents
	paramComponent
	paramFile
)

// name is what texts and errors call p.
func (p param) name() string {
	return [...]string{"degree", "p", "cols", "components", "component", "file"}[p]
}

// example returns a value that most topologies take.
func (p param) example() string {
	return [...]string{"4", "0.1", "4", "3", "ring", "edges.txt"}[p]
}

// field points to p in s: an *int, a *float64, a *string, a *[]int or a **Spec.
func (p param) field(s *Spec) any {
	return [...]any{&s.Degree, &s.P, &s.Cols, &s.Components, &s.Component, &s.File}[p]
}

// set reads p from text.
func (p param) set(s *Spec, text string) error {
	var err error
	switch v := p.field(s).(type) {
	case *int:
		if *v, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("%s must be a whole number, got %q", p.name(), text)
		}
	case *float64:
		if *v, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			return fmt.Errorf("%s must be a number, got %q", p.name(), text)
		}
	case *string:
		*v = text
	case *[]int:
		if *v, err = numbers(text); err != nil {
			return fmt.Errorf("%s must be a whole number, or sizes with + between them, got %q", p.name(), text)
		}
	case **Spec:
		of, err := ParseSpec(text)
		if err != nil {
			return errors.New(strings.TrimPrefix(err.Error(), "topology: "))
		}
		*v = &of
	}
	return nil
}

// text returns what set reads back.
func (p param) text(s Spec) string {
	switch v := p.field(&s).(type) {
	case *int:
		return strconv.Itoa(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case *string:
		return *v
	case *[]int:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(*v), "[]"), " ", "+")
	case **Spec:
		if *v == nil {
			return ""
		}
		return (*v).String()
	}
	panic("topology: a parameter of a new type")
}

// isZero reports whether p has its zero value in s.
func (p param) isZero(s Spec) bool { return p.text(s) == p.text(Spec{}) }

// numbers reads whole numbers separated by +.
func numbers(text string) (all []int, err error) {
	for n := range strings.SplitSeq(text, "+") {
		x, err := strconv.Atoi(strings.TrimSpace(n))
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}
