// Package wanted reads the tags of parameters that say which values a field may have.
package wanted

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Rule says which values one key may have, whatever the other keys are.
type Rule struct {
	Want string // in words, after "want"
	// Check returns "" for a good value, else what is wrong with it.
	Check func(v reflect.Value) string
}

// Holds makes a rule of a condition.
func Holds(want string, ok func(v reflect.Value) bool) Rule {
	return Rule{want, func(v reflect.Value) string {
		if ok(v) {
			return ""
		}
		return "want " + want
	}}
}

// OneOf allows some words.
func OneOf(words ...string) Rule {
	last := len(words) - 1
	want := strings.Join(words[:last], ", ") + " or " + words[last]
	if last == 0 {
		want = words[0]
	}
	return Holds(want, func(v reflect.Value) bool { return slices.Contains(words, v.String()) })
}

// Whole allows whole numbers from lo to hi.
func Whole(lo, hi uint64) Rule {
	want := fmt.Sprintf("a whole number from %d", lo)
	if hi < math.MaxInt32 {
		want += fmt.Sprintf(" to %d", hi)
	}
	return Holds(want, func(v reflect.Value) bool {
		if v.CanInt() {
			return v.Int() >= 0 && uint64(v.Int()) >= lo && uint64(v.Int()) <= hi
		}
		return v.Uint() >= lo && v.Uint() <= hi
	})
}

// Number allows what a condition on numbers does; NaN is never allowed.
func Number(want string, ok func(x float64) bool) Rule {
	return Holds(want, func(v reflect.Value) bool { return ok(v.Float()) })
}

// YesNo allows both values.
func YesNo() Rule {
	return Holds("true or false", func(reflect.Value) bool { return true })
}

// Path allows text; needed says that it must not be empty.
func Path(needed bool) Rule {
	return Holds("a path", func(v reflect.Value) bool {
		return !strings.ContainsRune(v.String(), 0) && (v.String() != "" || !needed)
	})
}

// finiteRows allows lists of rows of finite numbers.
func finiteRows(want string) Rule {
	return Holds(want, func(v reflect.Value) bool {
		for _, row := range v.Interface().([][]float64) {
			if len(row) == 0 || slices.ContainsFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
				return false
			}
		}
		return true
	})
}

// Of makes a rule from a tag. It reports whether there is one.
func Of(tag string) (r Rule, ok bool) {
	switch tag {
	case "true|false":
		return YesNo(), true
	case "path":
		return Path(false), true
	case "command":
		return Holds("a list of words, such as [python3, my.py]", func(v reflect.Value) bool {
			return !slices.ContainsFunc(v.Interface().([]string), func(word string) bool { return word == "" || strings.ContainsRune(word, 0) })
		}), true
	case "rows of numbers":
		return finiteRows("a list of rows of numbers: one row for all sites, or several that sites take in turn, each as long as arms"), true
	case "odd sites":
		return finiteRows("a list of rows of a site, an arm and its mean there, or []"), true
	case "rows of three numbers":
		return finiteRows("a list of rows of three numbers, or []"), true
	case "vectors":
		return finiteRows("a list of rows of numbers, one row for each action in the order of arms, or []"), true
	case "probability":
		return Number("a probability from 0 to below 1", func(x float64) bool { return x >= 0 && x < 1 }), true
	case "over 0":
		return Number("a number over 0", func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }), true
	}
	var lo, hi float64
	if n, _ := fmt.Sscanf(tag, "over %g up to %g", &lo, &hi); n == 2 {
		return Number("a number "+tag, func(x float64) bool { return x > lo && x <= hi }), true
	}
	for _, form := range []string{"%g up to %g", "%g to %g"} {
		if n, _ := fmt.Sscanf(tag, form, &lo, &hi); n == 2 {
			return Number("a number from "+tag, func(x float64) bool { return x >= lo && x <= hi }), true
		}
	}
	if from, to, ok := strings.Cut(tag, ".."); ok {
		least, err := strconv.ParseUint(from, 10, 64)
		most := uint64(math.MaxUint64)
		if err == nil && to != "" {
			most, err = strconv.ParseUint(to, 10, 64)
		}
		if err == nil {
			return Whole(least, most), true
		}
	}
	if words := strings.Split(tag, "|"); len(words) > 1 {
		return OneOf(words...), true
	}
	return Rule{}, false
}

// Key returns the last word of the key of a field.
func Key(f reflect.StructField) string {
	if key := f.Tag.Get("key"); key != "" {
		return key
	}
	return strings.ToLower(f.Name)
}

// Check returns the key of the first field of parameters that holds what its tag does not allow, and what is wrong with it; empty if all
// is well. Fields that only parameters of another name have are passed over, as are tags for which [Of] has no rule.
func Check(params any, name string) (key, wrong string) {
	v := reflect.ValueOf(params)
	if v.Kind() != reflect.Struct {
		return "", ""
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		r, ok := Of(f.Tag.Get("want"))
		if only := f.Tag.Get("only"); !ok || only != "" && only != name {
			continue
		}
		if wrong = r.Check(v.Field(i)); wrong != "" {
			return Key(f), wrong
		}
	}
	return "", ""
}

// Error returns the error of parameters for which [Check] has one.
func Error(params any, name string) error {
	if key, wrong := Check(params, name); key != "" {
		return fmt.Errorf("%s: %s: %s", name, key, wrong)
	}
	return nil
}
