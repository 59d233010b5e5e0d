package api

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatIsInsideIsForAFew: the answer has the numbers, no print of it has any, and a peer that gives all decisions says so.
func TestWhatIsInsideIsForAFew(t *testing.T) {
	f := newFake()
	r := run(t, f)
	if code, _, got := r.ask(t, "/v1/inside", ""); code != 404 || !strings.Contains(got, `"code":"unknown"`) || !strings.Contains(got, "this peer gives all decisions to its network (privacy.answers: anyone)") {
		t.Errorf("%d %s", code, got)
	}
	f.inside = &Inside{Given: 40, Kept: 1194, Pending: 3, Actions: []InsideAction{{Name: "mail", Decisions: 812, Rewards: 809, Mean: mark, Estimate: .625}}}
	code, _, got := r.ask(t, "/v1/inside", "")
	if want := `{"given":40,"kept":1194,"pending":3,"actions":[{"name":"mail","decisions":812,"rewards":809,"mean":0.7310585,"estimate":0.625}]}`; code != 200 || got != want {
		t.Errorf("%d %s, want %s", code, got, want)
	}
	for _, text := range []string{fmt.Sprintf("%v %+v", *f.inside, f.inside.Actions), fmt.Sprintf("%#v %s", f.inside, f.inside.Actions[0])} {
		if strings.ContainsAny(text, "0123456789") {
			t.Errorf("it prints as %s", text)
		}
	}
	for _, path := range []string{"/v1/status", "/v1/arms", "/v1/peers", "/metrics"} {
		_, _, text := r.ask(t, path, "")
		for line := range strings.Lines(text) {
			if process := path == "/metrics" && !strings.HasPrefix(line, "peerd_"); !process && (strings.Contains(line, "1194") || strings.Contains(line, "0.73105")) {
				t.Errorf("%s has what is inside: %s", path, line)
			}
		}
	}
}
