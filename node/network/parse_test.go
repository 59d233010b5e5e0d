package network

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// lists calls f with the texts before and after each list in what a peer shows, and with its path: a list that a type gets
// later is among them.
func lists(t *testing.T, of reflect.Type, path, before, after string, f func(path, before, after string)) {
	t.Helper()
	switch of.Kind() { //nolint:exhaustive // other kinds have no elements
	case reflect.Pointer:
		lists(t, of.Elem(), path, before, after, f)
	case reflect.Struct:
		for _, x := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(x.Tag.Get("json"), ","); name != "" {
				lists(t, x.Type, path+"."+name, before+`{"`+name+`":`, "}"+after, f)
			}
		}
	case reflect.Slice:
		f(path, before, after)
		if of.Elem().Kind() != reflect.Uint8 {
			lists(t, of.Elem(), path, before+"[", "]"+after, f)
		}
	case reflect.Map, reflect.Interface:
		t.Errorf("%s: %v has no bound", path, of)
	}
}

// TestNoListTakesMoreThanItsText: every list in what a peer shows, filled with the smallest values of every kind and with
// elements that are just long enough. At the length of a frame, which PEERD_LONG plays, 64 MB are the most.
func TestNoListTakesMoreThanItsText(t *testing.T) {
	size := 1 << 17
	if os.Getenv("PEERD_LONG") != "" {
		size = 1 << 21
	}
	n, greatest := 0, uint64(0)
	lists(t, reflect.TypeFor[State](), "", "", "", func(path, before, after string) {
		n++
		for _, element := range []string{"0", "null", `""`, "{}", "[]", `"a"`, "{" + strings.Repeat(" ", 7) + "}", "{" + strings.Repeat(" ", 62) + "}"} {
			many := strings.Repeat(element+",", (size-len(before)-len(after))/(len(element)+1)-1) + element
			b := []byte(before + "[" + many + "]" + after)
			var was, is runtime.MemStats
			runtime.ReadMemStats(&was)
			_, _ = ParseState(b)
			runtime.ReadMemStats(&is)
			took := is.TotalAlloc - was.TotalAlloc
			if greatest = max(greatest, took); took > 32*uint64(size) {
				t.Errorf("%s, %d bytes of %s: %d bytes are taken, want at most %d", path, size, element, took, 32*size)
			}
		}
	})
	if n < 25 {
		t.Errorf("%d lists were found", n)
	}
	t.Logf("%d lists, at most %d bytes for each byte", n, greatest/uint64(size))
}

// TestWhatNoBookShowsIsRefused, where encoding/json alone would read on.
func TestWhatNoBookShowsIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"steps":[{"a":"{{{\"{{"}]}`:         `unknown field "a"`,
		`{"STEPS":[]}`:                        "unknown field",
		`{"":[]}`:                             "unknown field",
		`{"steps":[0]}`:                       "want network.Step",
		`{"steps":[null]}`:                    "want network.Step",
		`{"steps":[{"votes":[{"sig":[1]`:      "not JSON",
		`{"steps":[{"votes":[{"sig":[1]}]}]}`: "want []uint8",
		`{"steps":{}}`:                        "want []network.Step",
		`{"first":{"links":[[0,1],0]}}`:       "want [2]int",
		`{"agreement":{"proposal":null}}`:     "want network.Proposal",
		`{"first":{"version":"1"}}`:           "want uint64",
		`{"first":{"version":1.5}}`:           "cannot unmarshal number",
		`{"steps":null} {}`:                   "not JSON",
		`0`:                                   "want network.State",
		``:                                    "not JSON",
	} {
		if _, err := ParseState([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseState([]byte(` {"first" : {"admins":["a"],"links":null,"added":["b","\"]"] } , "steps":null,"agreement":{"votes":[{"sig":null}]}} `)); err != nil {
		t.Error(err)
	}
}
