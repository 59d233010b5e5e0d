package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/node/api/client"
)

func dial(t testing.TB, o client.Options) *client.Client {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout, o.Deadline = 10*time.Second, time.Minute
	}
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestTheClientBringsNothing: an importer's build gets only the standard library and this
// package.
func TestTheClientBringsNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "peerd.dev/node/api/client" {
		t.Errorf("the package imports\n%s", got)
	}
}

// TestBothWaysIn: over a socket without a token, and over TCP with a token that is read for each
// request.
func TestBothWaysIn(t *testing.T) {
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // a socket needs a short name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "api.write.token")
	for _, token := range []string{"one", "two"} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f := newFake(t, "")
		if _, err := dial(t, client.Options{URL: f.url, TokenFile: file}).Decide(t.Context(), client.Ask{}); err != nil || f.keys[0] != "Bearer "+token {
			t.Error(f.keys, err)
		}
	}
	f := newFake(t, dir)
	c := dial(t, client.Options{Dir: dir, TokenFile: file})
	s, err1 := c.Status(t.Context())
	arms, err2 := c.Arms(t.Context())
	peers, err3 := c.Peers(t.Context())
	if err := errors.Join(err1, err2, err3); err != nil || s.Round != 7 || arms[0].Estimate != .5 || peers[0].Name != "b" || f.keys[0] != "" {
		t.Error(s, arms, peers, f.keys, err)
	}
	for _, url := range []string{"https://a", "127.0.0.1:8470", "http://a/b", "http://"} {
		if _, err := client.New(client.Options{URL: url}); err == nil || !strings.Contains(err.Error(), "is no URL such as http://127.0.0.1:8470") {
			t.Error(url, err)
		}
	}
	t.Setenv("PEERD_URL", newFake(t, "").url)
	t.Setenv("PEERD_TOKEN_FILE", file)
	if _, err := dial(t, client.Options{}).Decide(t.Context(), client.Ask{}); err != nil {
		t.Error(err)
	}
}

// TestDecisionsMayBeKept: what is asked for is answered.
func TestDecisionsMayBeKept(t *testing.T) {
	t.Parallel()
	c := dial(t, client.Options{URL: newFake(t, "").url})
	for _, keep := range []bool{true, false} {
		if d, err := c.Decide(t.Context(), client.Ask{Keep: keep}); err != nil || d.Kept != keep {
			t.Errorf("keep %v: %+v %v", keep, d, err)
		}
	}
}

// TestWhatGetsNoAnswerIsAskedAgain: a request without an answer is sent again with the same id,
// and counts once.
func TestWhatGetsNoAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url})
	for _, plan := range []string{"lose", "drop", "half", "lose drop lose", "507", "503 500 507", "lose 507"} {
		f.do(plan)
		d, err := c.Decide(t.Context(), client.Ask{})
		if want := strings.TrimSpace(strings.Repeat(d.ID+" ", len(strings.Fields(plan))+1)); err != nil || f.ids() != want || len(d.ID) < 20 {
			t.Errorf("%s: %q was asked, want %q: %v", plan, f.ids(), want, err)
		}
		if took := strings.Contains(plan, "lose") || plan == "half"; d.Repeated != took {
			t.Errorf("%s: repeated is %v", plan, d.Repeated)
		}
		f.do(plan)
		if r, err := c.Reward(t.Context(), d.ID, .5); err != nil || r.Duplicate != d.Repeated || f.rewarded(d.ID) != .5 {
			t.Errorf("%s: %+v %v", plan, r, err)
		}
	}
	if len(f.decisions) != 7 {
		t.Errorf("%d decisions", len(f.decisions))
	}
}

// TestSlowAnswersAreNotTheNextOnes: a try that takes too long is abandoned, and its answer is
// lost.
func TestSlowAnswersAreNotTheNextOnes(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url, Timeout: 50 * time.Millisecond, Deadline: time.Minute})
	f.slow = map[string]bool{"a": true, "b": true, "c": true}
	for _, id := range []string{"a", "b", "c"} {
		f.do("")
		if d, err := c.Decide(t.Context(), client.Ask{ID: id}); err != nil || d.ID != id || !d.Repeated || strings.ReplaceAll(f.ids(), id, "") == "" {
			t.Error(id, d, f.ids(), err)
		}
	}
}

// TestRefusalsAreFinal: they have their types, are not retried, and no fallback hides a bug of
// the program. It does stand for a peer that refuses the token, or is another server.
func TestRefusalsAreFinal(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url})
	for status, is := range map[int]error{401: nil, 404: client.ErrUnknown, 409: client.ErrConflict, 410: client.ErrExpired, 422: nil} {
		f.do(fmt.Sprint(status))
		_, err := c.Decide(t.Context(), client.Ask{ID: "a"})
		p := new(client.Problem)
		if !errors.As(err, &p) || int(p.Status) != status || p.Errors[0].Location != "body.value" || f.ids() != "a" {
			t.Errorf("%d: %v, %s was asked", status, err, f.ids())
		}
		for _, kind := range []error{client.ErrUnknown, client.ErrConflict, client.ErrExpired, client.ErrUnreachable} {
			if want := is != nil && errors.Is(is, kind); errors.Is(err, kind) != want {
				t.Errorf("%d: %v is %v", status, err, kind)
			}
		}
	}
	for status, want := range map[int]bool{400: false, 401: true, 403: true, 404: true, 409: false, 413: false, 415: false, 422: false, 502: true} {
		f.do(fmt.Sprint(status))
		if d, err := c.DecideOr(t.Context(), client.Ask{ID: "a"}, "usual"); (err == nil && d.Source == client.Fallback) != want {
			t.Errorf("%d with a fallback: %+v, %v", status, d, err)
		}
	}
	f.do("text")
	p := new(client.Problem)
	if _, err := c.Decide(t.Context(), client.Ask{}); !errors.As(err, &p) || p.Status != 400 || !strings.Contains(p.Detail, "too many hosts") {
		t.Error(err)
	}
	if _, err := c.Reward(t.Context(), "a", math.NaN()); err == nil || errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	if _, err := c.Reward(t.Context(), "", 1); err == nil {
		t.Error("a reward of a fallback is sent")
	}
}

// TestReportsAndEnds: a report has what its caller says, and an end has no value.
func TestReportsAndEnds(t *testing.T) {
	t.Parallel()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(b))
		_, _ = io.WriteString(w, `{"id":"a","duplicate":false,"counted":true}`)
	}))
	defer s.Close()
	c := dial(t, client.Options{URL: s.URL})
	_, err1 := c.Reward(t.Context(), "a", 0)
	_, err2 := c.Report(t.Context(), client.Reward{ID: "a", Value: -1, End: true, Report: "sale-1"})
	_, err3 := c.End(t.Context(), "a")
	want := []string{`{"id":"a","value":0}`, `{"id":"a","value":-1,"end":true,"report":"sale-1"}`, `{"end":true,"id":"a"}`}
	if err := errors.Join(err1, err2, err3); err != nil || !slices.Equal(bodies, want) {
		t.Errorf("%q were sent, want %q: %v", bodies, want, err)
	}
}

// TestCallsEnd: by the deadline with a fallback or ErrUnreachable, and by the caller's context
// with its error.
func TestCallsEnd(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url, Timeout: 100 * time.Millisecond, Deadline: 400 * time.Millisecond})
	down := strings.Repeat("drop ", 50)
	f.do(down)
	if _, err := c.Decide(t.Context(), client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	p := new(client.Problem)
	err := context.DeadlineExceeded
	for n := 0; n < 50 && errors.Is(err, context.DeadlineExceeded); n++ { // the deadline may cut the last try
		f.do(strings.Repeat("503 ", 50))
		_, err = c.Decide(t.Context(), client.Ask{})
	}
	if !errors.As(err, &p) || p.Status != 503 {
		t.Error(err)
	}
	f.do(down)
	if d, err := c.DecideOr(t.Context(), client.Ask{}, "usual"); err != nil || d.Action != "usual" || d.ID != "" || d.Source != client.Fallback || d.Counted {
		t.Error(d, err)
	}
	if _, err := c.DecideOr(t.Context(), client.Ask{Exclude: []string{"usual"}}, "usual"); err == nil || errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	f.do(down)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.DecideOr(ctx, client.Ask{}, "usual"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Decide(ctx, client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	f.do("")
	if _, err := dial(t, client.Options{URL: f.url, TokenFile: "/no/such/file", Timeout: time.Millisecond, Deadline: time.Millisecond}).Decide(t.Context(), client.Ask{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestBatches: items whose own status allows it are sent again, without the others, which keep
// their outcomes.
func TestBatches(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url})
	f.items["b"], f.items["c"] = []string{"507", "500"}, []string{"409"}
	all, err := c.DecideBatch(t.Context(), []client.Ask{{ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "d"}})
	if err != nil || f.ids() != "a b c d b b" {
		t.Fatal(f.ids(), err)
	}
	for i, status := range []int64{200, 200, 409, 200} {
		if o := all[i]; o.Status != status || (o.Decision == nil) != (status != 200) || status == 409 && !errors.Is(o.Problem, client.ErrConflict) {
			t.Errorf("outcome %d: %+v", i, o)
		}
	}
	f.do("lose")
	rewards, err := c.RewardBatch(t.Context(), []client.Reward{{ID: "a", Value: 1}, {ID: "d", Value: .25}})
	if err != nil || len(rewards) != 2 || rewards[1].Receipt.ID != "d" || f.rewarded("d") != .25 || !rewards[0].Receipt.Duplicate || f.ids() != "a d a d" {
		t.Error(rewards, err)
	}
	if all, err := c.DecideBatch(t.Context(), []client.Ask{{}, {}}); err != nil || len(all) != 2 || all[0].Decision.ID == all[1].Decision.ID {
		t.Error(all, err)
	}
	f.do("422")
	if _, err := c.DecideBatch(t.Context(), []client.Ask{{}}); err == nil {
		t.Error("a refused batch has outcomes")
	}
	if all, err := c.DecideBatch(t.Context(), nil); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// TestManyGoroutinesShareAClient: every answer belongs to its request.
func TestManyGoroutinesShareAClient(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := dial(t, client.Options{URL: f.url})
	f.do("lose ok lose drop")
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("%d-%d", g, i)
				if d, err := c.Decide(t.Context(), client.Ask{ID: id}); err != nil || d.ID != id {
					t.Error(id, d, err)
				}
			}
		})
	}
	all.Wait()
}
