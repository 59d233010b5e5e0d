package config

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"peerd.dev/internal/wanted"
)

// decode sets a setting to a value as YAML reads it, which is the one way from sources to settings. nil stands for the
// zero value. If the value does not fit, it returns false and which item of a list does not, as the end of a sentence.
func decode(from any, to reflect.Value) (item string, ok bool) {
	if from == nil {
		to.SetZero()
		return "", true
	}
	if item, ok = fit(from, to); item != "" {
		item = "; see item" + strings.TrimPrefix(item, "number")
	}
	return item, ok
}

// fit does it for a value other than nil, also for an item of a list. at names the item, from the outside in.
func fit(from any, to reflect.Value) (at string, ok bool) {
	if x, is := from.(float64); is && (to.CanInt() || to.CanUint()) && x == math.Trunc(x) && math.Abs(x) <= 1<<53 {
		from = int(x) // such as 1e6
	}
	v := reflect.ValueOf(from)
	switch kind := to.Kind(); {
	case from == nil:
		return "", false
	case to.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(v.String())
		to.SetInt(int64(d))
		return "", v.Kind() == reflect.String && err == nil
	case to.Type() == reflect.TypeFor[Epsilon]() && from == "inf":
		to.SetFloat(math.Inf(1))
	case kind == reflect.String && v.Kind() == kind:
		to.SetString(v.String())
	case kind == reflect.Bool && v.Kind() == kind:
		to.SetBool(v.Bool())
	case to.CanInt() && v.CanInt():
		to.SetInt(v.Int())
	case to.CanUint() && v.CanUint():
		to.SetUint(v.Uint())
	case to.CanUint() && v.CanInt() && v.Int() >= 0:
		to.SetUint(uint64(v.Int()))
	case to.CanFloat() && (v.CanFloat() || v.CanInt() || v.CanUint()):
		to.SetFloat(v.Convert(reflect.TypeFor[float64]()).Float())
	case kind == reflect.Slice && v.Kind() == kind:
		return fitList(v, to)
	case kind == reflect.Struct && v.Type() == reflect.TypeFor[map[string]any]():
		return fitStruct(from.(map[string]any), to)
	case kind == reflect.Map && v.Type() == to.Type():
		to.Set(v)
	default:
		return "", false
	}
	return "", true
}

func fitList(from, to reflect.Value) (at string, ok bool) {
	to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
	for i := range from.Len() {
		if at, ok = fit(from.Index(i).Interface(), to.Index(i)); ok {
			continue
		}
		if at != "" {
			at = ", " + at
		}
		return "number " + strconv.Itoa(i) + at, false
	}
	return "", true
}

// fitStruct takes the names of fields in any case.
func fitStruct(from map[string]any, to reflect.Value) (at string, ok bool) {
	var strange []string
	for _, name := range slices.Sorted(maps.Keys(from)) {
		i := slices.IndexFunc(reflect.VisibleFields(to.Type()), func(f reflect.StructField) bool { return strings.EqualFold(wanted.Key(f), name) })
		switch {
		case i < 0:
			strange = append(strange, name)
		case from[name] == nil:
		default:
			if _, ok = fit(from[name], to.Field(i)); !ok {
				return strings.ToLower(name), false
			}
		}
	}
	if strange != nil {
		return fmt.Sprintf("which knows no %s", strings.Join(strange, ", ")), false
	}
	return "", true
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
