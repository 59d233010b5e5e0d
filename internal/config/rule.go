package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"peerd.dev/gossip/address"
	"peerd.dev/internal/wanted"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
)

// budget allows what package dp can count.
func budget() wanted.Rule {
	const least, most = 1e-6, 1e9
	want := "a number over 0, or inf with mode: lockstep"
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
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
func between(lo, hi time.Duration) wanted.Rule {
	return wanted.Holds(fmt.Sprintf("a duration from %s to %s, such as 1s", DurationText(lo), DurationText(hi)), func(v reflect.Value) bool {
		return time.Duration(v.Int()) >= lo && time.Duration(v.Int()) <= hi
	})
}

// names allows lists of different names.
func names(least, most int) wanted.Rule {
	want := fmt.Sprintf("a list of %d to %d different names", least, most)
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
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
func addresses() wanted.Rule {
	want := "a list of different addresses with a tcp port, such as /ip4/0.0.0.0/tcp/8471"
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
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
func loopbackAddress() wanted.Rule {
	return wanted.Rule{Want: `"" or an address of this machine alone, such as 127.0.0.1:8470`, Check: func(v reflect.Value) string {
		if v.String() == "" {
			return ""
		}
		if err := api.CheckListen(v.String()); err != nil {
			return "want an address of this machine alone; " + err.Error()
		}
		return ""
	}}
}

// ruleOf makes a rule from a tag. A tag is part of the program, so a wrong one panics; a test
// reads them all.
func ruleOf(tag string) wanted.Rule {
	if r, ok := wanted.Of(tag); ok {
		return r
	}
	from, to, _ := strings.Cut(tag, "..")
	short, err := time.ParseDuration(from)
	long, bad := time.ParseDuration(to)
	if err != nil || bad != nil {
		panic(fmt.Sprintf("peerd: no rule for the tag %q in wanted.Of or settingKeys", tag))
	}
	return between(short, long)
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
func twoEnds() wanted.Rule {
	return wanted.Holds("two numbers, the smaller first, such as [-1, 1], each from -1000000000 to 1000000000", func(v reflect.Value) bool {
		x := v.Interface().([]float64)
		return len(x) == 2 && -mostReward <= x[0] && x[0] < x[1] && x[1] <= mostReward
	})
}

func encodingRule() wanted.Rule {
	want := "a list of names, each with = and a range, as in hour=0..24, or with = and categories between vertical bars"
	return wanted.Rule{Want: want, Check: func(v reflect.Value) string {
		if _, err := decision.ParseEncoding(v.Interface().([]string)); err != nil {
			return "want " + want + "; " + err.Error()
		}
		return ""
	}}
}
