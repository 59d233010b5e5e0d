package api

import (
	"fmt"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// lists calls f with the path of each list in a body, and of each object with any names, and with what makes a body of its
// text, in which elements of outer lists are repeated as often as there is room. A list that a body gets later is among them.
func lists(of reflect.Type, path string, body func(string) string, size int, f func(path string, named bool, body func(string) string)) {
	switch of.Kind() { //nolint:exhaustive // other kinds have no elements
	case reflect.Struct:
		for _, x := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(x.Tag.Get("json"), ","); name != "" {
				lists(x.Type, path+"."+name, func(s string) string { return body(`{"` + name + `":` + s + "}") }, size, f)
			}
		}
	case reflect.Map:
		f(path, true, body)
	case reflect.Slice:
		f(path, false, body)
		lists(of.Elem(), path+"[]", func(s string) string {
			return body("[" + strings.Repeat(s+",", min(maxItems, size/(len(s)+1))-1) + s + "]")
		}, size, f)
	}
}

// TestNoBodyTakesMuchMoreThanItsText: every list of every body, filled with the smallest values of every kind. At the length of
// a greatest body, which PEERD_LONG plays, 64 MB are the most.
func TestNoBodyTakesMuchMoreThanItsText(t *testing.T) {
	size := 1 << 17
	if os.Getenv("PEERD_LONG") != "" {
		size = int(MaxBody)
	}
	f := newFake()
	f.shape = ownShape(3, 8, true)
	r := run(t, f)
	n, greatest, worst := 0, 0, ""
	for _, route := range r.table() {
		takes := route.described().takes
		if takes == nil {
			continue
		}
		lists(takes, route.path+": ", func(s string) string { return s }, size-64, func(path string, named bool, body func(string) string) {
			n++
			room := size - len(body(""))
			for _, element := range []string{"0", "null", `""`, "{}", "[]", `"a"`, "[0]", `{"a":0}`, "[" + strings.Repeat("0,", 500) + "0]"} {
				for _, many := range []int{maxItems, room, 1} {
					var text strings.Builder
					for i := 0; i < many && text.Len()+len(element)+16 < room; i++ {
						if i > 0 {
							text.WriteByte(',')
						}
						if named {
							fmt.Fprintf(&text, `"%x":`, i)
						}
						text.WriteString(element)
					}
					took := taken(route, body("["+text.String()+"]"))
					if named {
						took = taken(route, body("{"+text.String()+"}"))
					}
					if took > greatest {
						greatest, worst = took, fmt.Sprintf("%s, %d of %.20s", path, many, element)
					}
				}
			}
		})
	}
	if n < 14 {
		t.Errorf("%d lists were found", n)
	}
	if answers := 2 << 20; greatest > 15*size+answers { // up to 1,000 answers, and what the other tests take
		t.Errorf("%s: %d bytes are taken for %d", worst, greatest, size)
	}
	t.Logf("%d lists, at most %d bytes for %d: %s", n, greatest, size, worst)
}

// taken returns how many bytes a route takes for a body.
func taken(to route, body string) int {
	q := httptest.NewRequest(post, "/", strings.NewReader(body))
	q.Header.Set("Content-Type", "application/json")
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	to.handle(&responder{ResponseWriter: httptest.NewRecorder()}, q)
	runtime.ReadMemStats(&is)
	return int(is.TotalAlloc - was.TotalAlloc)
}
