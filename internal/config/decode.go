package config

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
)

// convert does what files need and mapstructure does not: durations, inf, and
// whole numbers that are written like 1e6. It refuses fractions, which
// mapstructure would cut off.
func convert(from, to reflect.Value) (any, error) {
	switch {
	case to.Type() == reflect.TypeFor[time.Duration]():
		if from.Kind() != reflect.String {
			return nil, errors.New("no duration")
		}
		return time.ParseDuration(from.String())
	case to.Type() == reflect.TypeFor[Epsilon]() && from.Kind() == reflect.String && from.String() == "inf":
		return math.Inf(1), nil
	case (to.CanInt() || to.CanUint()) && from.CanFloat():
		if x := from.Float(); x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil, errors.New("no whole number")
		}
	}
	return from.Interface(), nil
}

// unjoin takes apart what mapstructure joined.
func unjoin(err error) []error {
	if err == nil {
		return nil
	}
	if _, ok := err.(*mapstructure.DecodeError); ok { //nolint:errorlint // the tree is walked here
		return []error{err}
	}
	var list []error
	switch e := err.(type) { //nolint:errorlint // the tree is walked here
	case interface{ Unwrap() []error }:
		for _, e := range e.Unwrap() {
			list = append(list, unjoin(e)...)
		}
		return list
	case interface{ Unwrap() error }:
		return unjoin(e.Unwrap())
	}
	return []error{err}
}

// misfit returns which key an error of mapstructure is about, and which item of
// its list, in words; false if it is about no key.
func (s *Schema) misfit(err error) (k Key, item string, ok bool) {
	var d *mapstructure.DecodeError
	if !errors.As(err, &d) {
		return Key{}, "", false
	}
	name, _, inside := strings.Cut(d.Name(), "[")
	if inside {
		item = itemText(d.Name())
		if _, keys, strange := strings.Cut(d.Unwrap().Error(), "has invalid keys: "); strange {
			item += ", which knows no " + keys
		}
	}
	k, ok = s.Find(strings.ToLower(name))
	return k, item, ok
}

// itemText says which item of a list a name of mapstructure is about; "" for none.
func itemText(name string) string {
	_, at, inside := strings.Cut(name, "[")
	if !inside {
		return ""
	}
	return "; see item " + strings.ToLower(strings.NewReplacer("][", ", number ", "].", ", ", "]", "").Replace(at))
}

// yamlTrouble says in one line what is wrong with the text of a file, and where.
func yamlTrouble(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "yaml: "), "unmarshal errors: ")
	if where, _, ok := strings.Cut(text, ": cannot unmarshal"); ok {
		return where + ": want keys with values, such as mode: live"
	}
	return text
}
