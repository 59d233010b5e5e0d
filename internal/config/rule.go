package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/multiformats/go-multiaddr"

	"peerd.dev/gossip/topology"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/world"
)

// A rule says which values one key may have, whatever the other keys are.
type rule struct {
	want string // in words, after "want"
	// check returns "" for a good value, else what is wrong with it.
	check func(v reflect.Value) string
}

// holds makes a rule of a condition.
func holds(want string, ok func(v reflect.Value) bool) rule {
	return rule{want, func(v reflect.Value) string {
		if ok(v) {
			return ""
		}
		return "want " + want
	}}
}

// oneOf allows some words.
func oneOf(words ...string) rule {
	last := len(words) - 1
	want := strings.Join(words[:last], ", ") + " or " + words[last]
	if last == 0 {
		want = words[0]
	}
	return holds(want, func(v reflect.Value) bool { return slices.Contains(words, v.String()) })
}

// whole allows whole numbers from lo to hi.
func whole(lo, hi uint64) rule {
	want := fmt.Sprintf("a whole number from %d", lo)
	if hi < math.MaxInt32 {
		want += fmt.Sprintf(" to %d", hi)
	}
	return holds(want, func(v reflect.Value) bool {
		if v.CanInt() {
			return v.Int() >= 0 && uint64(v.Int()) >= lo && uint64(v.Int()) <= hi
		}
		return v.Uint() >= lo && v.Uint() <= hi
	})
}

// number allows what a condition on numbers does; NaN is never allowed.
func number(want string, ok func(x float64) bool) rule {
	return holds(want, func(v reflect.Value) bool { return ok(v.Float()) })
}

// budget allows what package dp can count.
func budget() rule {
	const least, most = 1e-6, 1e9
	want := "a number over 0, or inf with mode: lockstep"
	return rule{want, func(v reflect.Value) string {
		switch x := v.Float(); {
		case !(x > 0):
			return "want " + want
		case x < least:
			return fmt.Sprintf("want at least %g, the least that is counted", least)
		case x > most && !math.IsInf(x, 1):
			return fmt.Sprintf("want at most %g, or inf with mode: lockstep", most)
		}
		return ""
	}}
}

// probability allows 0 up to, but not, 1.
func probability() rule {
	return number("a probability from 0 to below 1", func(x float64) bool { return x >= 0 && x < 1 })
}

// between allows durations.
func between(lo, hi time.Duration) rule {
	return holds(fmt.Sprintf("a duration from %s to %s, such as 1s", DurationText(lo), DurationText(hi)), func(v reflect.Value) bool {
		return time.Duration(v.Int()) >= lo && time.Duration(v.Int()) <= hi
	})
}

// yesNo allows both values.
func yesNo() rule {
	return holds("true or false", func(reflect.Value) bool { return true })
}

// pathText allows text; needed says that it must not be empty.
func pathText(needed bool) rule {
	return holds("a path", func(v reflect.Value) bool {
		return !strings.ContainsRune(v.String(), 0) && (v.String() != "" || !needed)
	})
}

// names allows lists of different words.
func names(least, most int) rule {
	return holds(fmt.Sprintf("a list of %d to %d different names", least, most), func(v reflect.Value) bool {
		list := slices.Clone(v.Interface().([]string))
		if len(list) < least || len(list) > most || slices.ContainsFunc(list, blank) {
			return false
		}
		slices.Sort(list)
		return len(slices.Compact(list)) == v.Len()
	})
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// addresses allows lists of multiaddrs that TCP can listen on.
func addresses() rule {
	want := "a list of different addresses with a tcp port, such as /ip4/0.0.0.0/tcp/8471"
	return rule{want, func(v reflect.Value) string {
		list := v.Interface().([]string)
		for i, a := range list {
			if slices.Contains(list[:i], a) {
				return fmt.Sprintf("want %s; %s is there twice", want, a)
			}
			if err := checkAddress(a); err != nil {
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
func loopbackAddress() rule {
	return rule{`"" or an address of this machine alone, such as 127.0.0.1:8470`, func(v reflect.Value) string {
		if v.String() == "" {
			return ""
		}
		if err := api.CheckListen(v.String()); err != nil {
			return "want an address of this machine alone; " + err.Error()
		}
		return ""
	}}
}

// checkAddress refuses what is no multiaddr with a TCP port.
func checkAddress(text string) error {
	a, err := multiaddr.NewMultiaddr(text)
	if err != nil {
		return fmt.Errorf("%q is none: %w", text, err)
	}
	if _, err := a.ValueForProtocol(multiaddr.P_TCP); err != nil {
		return fmt.Errorf("%s has no tcp port", text)
	}
	return nil
}

// matrix allows lists of rows of finite numbers.
func matrix() rule {
	return finiteRows("a list of rows of numbers: one row for all sites, or several that sites take in turn, each as long as arms")
}

// vectors allows the same, with another meaning.
func vectors() rule {
	return finiteRows("a list of rows of numbers, one row for each action in the order of arms, or []")
}

func finiteRows(want string) rule {
	return holds(want, func(v reflect.Value) bool {
		for _, row := range v.Interface().([][]float64) {
			if len(row) == 0 || slices.ContainsFunc(row, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
				return false
			}
		}
		return true
	})
}

// shares allows lists of shares of rounds.
func shares() rule {
	return rule{"a list of numbers over 0 up to 1: one for all sites, or several that sites take in turn", func(v reflect.Value) string {
		list := v.Interface().([]float64)
		if len(list) == 0 {
			return "want a list of numbers over 0 up to 1; [1] is a decision in every round"
		}
		if want := world.CheckTraffic(list, 0); want != "" {
			return "want " + want
		}
		return ""
	}}
}

// span allows no rounds, or from one round to before another.
func span() rule {
	return holds("[] or [from, to] in rounds, from below to", func(v reflect.Value) bool {
		list := v.Interface().([]uint64)
		return len(list) == 0 || len(list) == 2 && list[0] < list[1]
	})
}

// graphText allows the short form of a topology.
func graphText() rule {
	return rule{"a topology, such as ring or regular(4); `peerd topology --help` lists them", func(v reflect.Value) string {
		if _, err := topology.ParseSpec(v.String()); err != nil {
			return "want a topology; " + strings.TrimPrefix(err.Error(), "topology: ")
		}
		return ""
	}}
}
