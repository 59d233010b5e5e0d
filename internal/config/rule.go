package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"peerd.dev/gossip/address"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
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

// budget allows what package dp can count.
func budget() Rule {
	const least, most = 1e-6, 1e9
	want := "a number over 0, or inf with mode: lockstep"
	return Rule{want, func(v reflect.Value) string {
		switch x := v.Float(); {
		case !(x > 0):
			return "want a number over 0"
		case x < least:
			return fmt.Sprintf("want at least %g, the least that is counted", least)
		case x > most && !math.IsInf(x, 1):
			return fmt.Sprintf("want at most %g, or inf with mode: lockstep", most)
		}
		return ""
	}}
}

// between allows durations.
func between(lo, hi time.Duration) Rule {
	return Holds(fmt.Sprintf("a duration from %s to %s, such as 1s", DurationText(lo), DurationText(hi)), func(v reflect.Value) bool {
		return time.Duration(v.Int()) >= lo && time.Duration(v.Int()) <= hi
	})
}

// YesNo allows both values.
func YesNo() Rule {
	return Holds("true or false", func(reflect.Value) bool { return true })
}

// pathText allows text; needed says that it must not be empty.
func pathText(needed bool) Rule {
	return Holds("a path", func(v reflect.Value) bool {
		return !strings.ContainsRune(v.String(), 0) && (v.String() != "" || !needed)
	})
}

// names allows lists of different names.
func names(least, most int) Rule {
	want := fmt.Sprintf("a list of %d to %d different names", least, most)
	return Rule{want, func(v reflect.Value) string {
		if n := v.Len(); n < least || n > most {
			return "want " + want
		}
		if why := namesTrouble(v.Interface().([]string)); why != "" {
			return "want " + want + "; " + why
		}
		return ""
	}}
}

// addresses allows lists of multiaddrs of TCP alone.
func addresses() Rule {
	want := "a list of different addresses with a tcp port, such as /ip4/0.0.0.0/tcp/8471"
	return Rule{want, func(v reflect.Value) string {
		list := v.Interface().([]string)
		for i, a := range list {
			if slices.Contains(list[:i], a) {
				return fmt.Sprintf("want %s; %s is there twice", want, a)
			}
			if err := address.CheckListen(a); err != nil {
				return fmt.Sprintf("want %s; %v", want, err)
			}
		}
		if len(list) == 0 {
			return "want " + want
		}
		return ""
	}}
}

// loopbackAddress allows an address that only this machine can reach, or none.
func loopbackAddress() Rule {
	return Rule{`"" or an address of this machine alone, such as 127.0.0.1:8470`, func(v reflect.Value) string {
		if v.String() == "" {
			return ""
		}
		if err := api.CheckListen(v.String()); err != nil {
			return "want an address of this machine alone; " + err.Error()
		}
		return ""
	}}
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

// wanted makes a rule from a tag. A tag is part of the program, so a wrong one panics; a test
// reads them all.
func wanted(tag string) Rule {
	switch tag {
	case "true|false":
		return YesNo()
	case "path":
		return pathText(false)
	case "command":
		return Holds("a list of words, such as [python3, my.py]", func(v reflect.Value) bool {
			return !slices.ContainsFunc(v.Interface().([]string), func(word string) bool { return word == "" || strings.ContainsRune(word, 0) })
		})
	case "rows of numbers":
		return finiteRows("a list of rows of numbers: one row for all sites, or several that sites take in turn, each as long as arms")
	case "odd sites":
		return finiteRows("a list of rows of a site, an arm and its mean there, or []")
	case "rows of three numbers":
		return finiteRows("a list of rows of three numbers, or []")
	case "vectors":
		return finiteRows("a list of rows of numbers, one row for each action in the order of arms, or []")
	case "probability":
		return Number("a probability from 0 to below 1", func(x float64) bool { return x >= 0 && x < 1 })
	case "over 0":
		return Number("a number over 0", func(x float64) bool { return x > 0 && !math.IsInf(x, 0) })
	}
	var lo, hi float64
	if n, _ := fmt.Sscanf(tag, "over %g up to %g", &lo, &hi); n == 2 {
		return Number("a number "+tag, func(x float64) bool { return x > lo && x <= hi })
	}
	for _, form := range []string{"%g up to %g", "%g to %g"} {
		if n, _ := fmt.Sscanf(tag, form, &lo, &hi); n == 2 {
			return Number("a number from "+tag, func(x float64) bool { return x >= lo && x <= hi })
		}
	}
	if from, to, ok := strings.Cut(tag, ".."); ok {
		least, err := strconv.ParseUint(from, 10, 64)
		most := uint64(math.MaxUint64)
		if err == nil && to != "" {
			most, err = strconv.ParseUint(to, 10, 64)
		}
		if err == nil {
			return Whole(least, most)
		}
		short, err := time.ParseDuration(from)
		if long, bad := time.ParseDuration(to); err == nil && bad == nil {
			return between(short, long)
		}
	}
	if words := strings.Split(tag, "|"); len(words) > 1 {
		return OneOf(words...)
	}
	panic(fmt.Sprintf("peerd: no rule for the tag %q in wanted or settingKeys", tag))
}

// mostArms bounds the arms of a network.
const mostArms = 1000

// When returns how to fix settings if a constraint is broken.
func When(broken bool, fix string, args ...any) string {
	if !broken {
		return ""
	}
	return fmt.Sprintf(fix, args...)
}

// mostReward bounds the numbers of a range.
const mostReward = 1e9

// twoEnds allows a list of two finite numbers, the smaller first.
func twoEnds() Rule {
	return Holds("two numbers, the smaller first, such as [-1, 1], each from -1000000000 to 1000000000", func(v reflect.Value) bool {
		x := v.Interface().([]float64)
		return len(x) == 2 && -mostReward <= x[0] && x[0] < x[1] && x[1] <= mostReward
	})
}

func encodingRule() Rule {
	want := "a list of names, each with = and a range, as in hour=0..24, or with = and categories between vertical bars"
	return Rule{want, func(v reflect.Value) string {
		if _, err := decision.ParseEncoding(v.Interface().([]string)); err != nil {
			return "want " + want + "; " + err.Error()
		}
		return ""
	}}
}
