package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/node/api/client"
)

// offline returns a fake peer with a table, and a client that asks for it.
func offline(t *testing.T, o client.Options) (*fake, *client.Client) {
	t.Helper()
	f := newFake(t, "")
	f.offer("1", 1, 2, 5)
	c := another(t, f, o)
	until(t, func() bool { return c.Table().Version == "1" })
	return f, c
}

func another(t *testing.T, f *fake, o client.Options) *client.Client {
	t.Helper()
	o.URL, o.Table, o.TableEvery = f.url, true, 20*time.Millisecond
	if o.Timeout == 0 {
		o.Timeout, o.Deadline = 800*time.Millisecond, 800*time.Millisecond
	}
	return dial(t, o)
}

func until(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not become true")
		}
	}
}

func empty(t *testing.T, c *client.Client) {
	t.Helper()
	until(t, func() bool { return c.Table().Waiting == 0 })
}

func decide(t *testing.T, c *client.Client, ask client.Ask) client.Decision {
	t.Helper()
	d, err := c.Decide(t.Context(), ask)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func reward(t *testing.T, c *client.Client, id string, value float64) {
	t.Helper()
	if r, err := c.Reward(t.Context(), id, value); err != nil || r.ID != id || r.Duplicate {
		t.Fatal(r, err)
	}
}

// equal fails unless the peer has each decision as it was made, each reward, and nothing else.
func (f *fake) equal(t *testing.T, done []client.Decision, rewards map[string]float64) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	type made struct {
		action, source string
		propensity     float64
	}
	here, there := make(map[string]made), make(map[string]made)
	for _, d := range done {
		here[d.ID] = made{d.Action, d.Source, d.Propensity}
	}
	for id, d := range f.decisions {
		there[id] = made{d.Action, d.Source, d.Propensity}
	}
	if len(here) != len(done) || !maps.Equal(here, there) {
		t.Errorf("%d were decided, the peer has %d:\n%v\n%v", len(done), len(there), here, there)
	}
	if !maps.Equal(f.rewards, rewards) {
		t.Errorf("reported %v\nthe peer has %v", rewards, f.rewards)
	}
}

// TestDownFromTheStart: there is no table, so it is as without one.
func TestDownFromTheStart(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	f.offer("1", 1, 2, 5)
	f.die(true)
	c := another(t, f, client.Options{})
	if _, err := c.Decide(t.Context(), client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
		t.Error(err)
	}
	if d, err := c.DecideOr(t.Context(), client.Ask{}, "usual"); err != nil || d.Source != client.Fallback {
		t.Error(d, err)
	}
	for _, c := range []*client.Client{c, dial(t, client.Options{URL: f.url})} {
		if d, err := c.Draw(client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
			t.Error(d, err)
		}
	}
	f.die(false)
	until(t, func() bool { return c.Table().Version == "1" })
}

// TestItDiesInTheMiddle: decisions are drawn at once after the first, and all is reported when it comes back.
func TestItDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	var done []client.Decision
	for range 3 {
		done = append(done, decide(t, c, client.Ask{}))
	}
	f.die(true)
	var begin time.Time
	for i := range 40 {
		d := decide(t, c, client.Ask{Subject: "patient-17"})
		if i == 0 {
			begin = time.Now()
		}
		done = append(done, d)
		if action, p := f.tables["1"].Draws(d.ID, nil, nil); d.Source != client.Drawn || d.Model != "1" || d.Action != action || d.Propensity != p {
			t.Fatal(d, action, p)
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Error(took)
	}
	rewards := make(map[string]float64)
	for n, d := range done { // also of those that the peer decided
		if n%2 == 0 {
			rewards[d.ID] = float64(n) / 100
			reward(t, c, d.ID, float64(n)/100)
		}
	}
	if s := c.Table(); s.Drawn != 40 || s.Reported != 0 || s.Waiting != 42 {
		t.Error(s)
	}
	f.offer("2", 1)
	f.die(false)
	empty(t, c)
	f.equal(t, done, rewards)
	if s := c.Table(); s.Reported != 40 || s.Rewarded != 22 || s.Expired+s.Refused+s.Full != 0 || s.Version != "2" {
		t.Errorf("%+v", s)
	}
	until(t, func() bool { return decide(t, c, client.Ask{}).Source == "learned" })
	reward(t, c, done[3].ID, .5) // at once: the peer has the decision
	if f.rewarded(done[3].ID) != .5 {
		t.Error("it waits")
	}
}

// TestLostAnswersToReports: what the peer has taken is sent again and counts once.
func TestLostAnswersToReports(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	f.die(true)
	all, err := c.DecideBatch(t.Context(), make([]client.Ask, 250))
	if err != nil {
		t.Fatal(err)
	}
	var done []client.Decision
	var reports []client.Reward
	rewards := make(map[string]float64)
	for _, o := range all {
		done, rewards[o.Decision.ID] = append(done, *o.Decision), 1
		reports = append(reports, client.Reward{ID: o.Decision.ID, Value: 1})
	}
	if _, err = c.RewardBatch(t.Context(), reports); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.items[done[7].ID], f.items[done[8].ID] = []string{"503"}, []string{"500", "507"}
	f.mu.Unlock()
	f.do("lose drop half 503 lose ok lose")
	f.die(false)
	empty(t, c)
	f.equal(t, done, rewards)
	if s := c.Table(); s.Reported != 250 || s.Rewarded != 250 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
}

// TestTheFirstRequestWasTaken: only its answer was lost. The peer has another decision of that id, which must not get the reward; no
// second record of the user is made, whether the id is the client's or the program's.
func TestTheFirstRequestWasTaken(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	f.do(strings.Repeat("lose ", 40))
	made := decide(t, c, client.Ask{})
	mine := decide(t, c, client.Ask{ID: "mine", Exclude: []string{"mail"}})
	if made.Source != client.Drawn || mine.Source != client.Drawn || mine.ID != "mine" {
		t.Error(made, mine)
	}
	f.mu.Lock()
	f.decisions["mine"] = client.Decision{ID: "mine", Action: "mail", Propensity: 1, Source: "learned"}
	f.mu.Unlock()
	f.do("")
	empty(t, c)
	if s := c.Table(); s.Reported != 0 || s.Refused != 2 || !strings.Contains(s.Problem, "mine") {
		t.Errorf("%+v", s)
	}
	if r, err := c.Reward(t.Context(), "mine", 1); !errors.Is(err, client.ErrConflict) {
		t.Error(r, err)
	}
	if all, err := c.RewardBatch(t.Context(), []client.Reward{{ID: "mine", Value: 1}}); err != nil || all[0].Status != 409 {
		t.Error(all, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.decisions[made.ID].Source == client.Drawn || len(f.decisions) != 2 || len(f.rewards) != 0 {
		t.Error(f.decisions, f.rewards)
	}
}

// TestThePeerDrawsOtherwise: a decision that is not the client's gets no reward.
func TestThePeerDrawsOtherwise(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	f.mu.Lock()
	f.swap, f.dead = true, true
	f.mu.Unlock()
	d := decide(t, c, client.Ask{})
	reward(t, c, d.ID, 1)
	f.die(false)
	empty(t, c)
	if s := c.Table(); s.Reported != 0 || s.Refused != 1 || f.rewarded(d.ID) != 0 {
		t.Errorf("%+v", s)
	}
}

// TestTheTableIsForgotten: what was drawn from it is dropped and counted.
func TestTheTableIsForgotten(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	f.die(true)
	d := decide(t, c, client.Ask{})
	reward(t, c, d.ID, 1)
	f.mu.Lock()
	delete(f.tables, "1")
	f.mu.Unlock()
	f.offer("2", 1)
	f.die(false)
	empty(t, c)
	if s := c.Table(); s.Expired != 1 || s.Refused != 0 {
		t.Errorf("%+v", s)
	}
	if r, err := c.Reward(t.Context(), d.ID, 1); !errors.Is(err, client.ErrExpired) {
		t.Error(r, err)
	}
	f.equal(t, nil, nil)
}

// TestAFileIsKept: what a killed program leaves is there for the next one, up to a torn line.
func TestAFileIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "peerd.jsonl")
	f, c := offline(t, client.Options{TableFile: file})
	if left := c.Close(); left != nil {
		t.Error(left)
	}
	if i, err := os.Stat(file); err != nil || i.Mode().Perm() != 0o600 {
		t.Error(i, err)
	}
	f.die(true)
	var done []client.Decision
	rewards := make(map[string]float64)
	for n := range 5 {
		c = another(t, f, client.Options{TableFile: file})
		for i := range 4 {
			done = append(done, decide(t, c, client.Ask{ID: fmt.Sprintf("visit-%d-%d", n, i)}))
		}
		for i, d := range done {
			if _, already := rewards[d.ID]; i%7 == n && !already {
				rewards[d.ID] = float64(n) / 10
				reward(t, c, d.ID, rewards[d.ID])
			}
		}
		if d := decide(t, c, client.Ask{ID: done[0].ID}); !d.Repeated || d.Action != done[0].Action || d.Propensity != done[0].Propensity {
			t.Error(d, done[0])
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		file += "+"
		if err = os.WriteFile(file, append(text, `{"reward":{"id":"never ret`...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range another(t, f, client.Options{TableFile: file}).Close() {
		if w.ID != done[i].ID || w.Ask.Table != "1" {
			t.Error(w, done[i])
		}
	}
	f.die(false)
	c = another(t, f, client.Options{TableFile: file})
	empty(t, c)
	f.equal(t, done, rewards)
	c.Close()
	text, err := os.ReadFile(file)
	if err != nil || bytes.Count(text, []byte("\n")) > 100 {
		t.Error(string(text), err)
	}
}

// TestAFileDoesNotGrow: it is written again when most of its lines are of what is over.
func TestAFileDoesNotGrow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "peerd.jsonl")
	_, c := offline(t, client.Options{TableFile: file})
	for range 30 {
		for range 20 {
			if _, err := c.Draw(client.Ask{}); err != nil {
				t.Fatal(err)
			}
		}
		empty(t, c)
	}
	text, err := os.ReadFile(file)
	if n := bytes.Count(text, []byte("\n")); err != nil || n > 1100 || c.Table().Reported != 600 {
		t.Error(n, err, c.Table())
	}
}

// TestNoMoreThanTheQueue: what cannot be kept is not drawn, and counted.
func TestNoMoreThanTheQueue(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{Queue: 5})
	f.die(true)
	var done []client.Decision
	rewards := make(map[string]float64)
	for range 5 {
		done = append(done, decide(t, c, client.Ask{}))
	}
	if d, err := c.DecideOr(t.Context(), client.Ask{}, "usual"); err != nil || d.Source != client.Fallback {
		t.Error(d, err)
	}
	if d, err := c.Decide(t.Context(), client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
		t.Error(d, err)
	}
	for _, d := range done { // their rewards have room
		rewards[d.ID] = 1
		reward(t, c, d.ID, 1)
	}
	if r, err := c.Reward(t.Context(), "another", 1); !errors.Is(err, client.ErrUnreachable) {
		t.Error(r, err)
	}
	if s := c.Table(); s.Waiting != 5 || s.Drawn != 5 || s.Full != 3 {
		t.Errorf("%+v", s)
	}
	f.die(false)
	empty(t, c)
	f.equal(t, done, rewards)
}

// TestDrawsAskNoPeer: also for an id that was drawn before.
func TestDrawsAskNoPeer(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	ask := client.Ask{ID: "mine", Exclude: []string{"call"}, Actions: []client.Action{{ID: "mail"}, {ID: "call"}}}
	if d, err := c.Draw(ask); err != nil || d.Action != "mail" || d.Propensity != 1 {
		t.Error(d, err)
	}
	if d := decide(t, c, ask); d.Action != "mail" || !d.Repeated {
		t.Error(d)
	}
	empty(t, c)
	if f.ids() != "mine" {
		t.Error(f.ids())
	}
	for _, ask := range []client.Ask{
		{Features: [][]float64{{1}}},
		{Context: []float64{1}},
		{Actions: []client.Action{{ID: "a", Features: []float64{1}}}},
		{Taken: &client.Taken{Action: "mail", Propensity: 1}},
		{Exclude: []string{"mail", "banner", "call"}},
		{ID: "no id"},
	} {
		if d, err := c.Draw(ask); !errors.Is(err, client.ErrUnreachable) {
			t.Error(d, err)
		}
	}
}

// TestALearnerByFeaturesHasNoTable: it is as without one.
func TestALearnerByFeaturesHasNoTable(t *testing.T) {
	t.Parallel()
	f := newFake(t, "")
	c := another(t, f, client.Options{})
	until(t, func() bool { return strings.HasPrefix(c.Table().Problem, "no table: 422") })
	f.die(true)
	ask := client.Ask{Features: [][]float64{{1}}}
	if d, err := c.DecideOr(t.Context(), ask, "usual"); err != nil || d.Source != client.Fallback {
		t.Error(d, err)
	}
	f.die(false)
	if d := decide(t, c, ask); d.Source != "learned" {
		t.Error(d)
	}
}

// TestWholeBatchesAreRefused: what spoils a batch does not spoil all of it, and a wrong token drops nothing.
func TestWholeBatchesAreRefused(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{})
	first := decide(t, c, client.Ask{})
	f.die(true)
	all, err := c.DecideBatch(t.Context(), []client.Ask{{ID: "a"}, {Exclude: []string{"call"}}, {}})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{first.ID}
	for _, o := range all {
		if o.Decision.Source != client.Drawn {
			t.Error(o.Decision)
		}
		ids = append(ids, o.Decision.ID)
	}
	for _, id := range ids {
		reward(t, c, id, .5)
	}
	f.do("401 422 ok 422")
	f.die(false)
	empty(t, c)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := c.Table(); s.Reported != 2 || s.Refused != 1 || len(f.rewards) != 3 {
		t.Errorf("%+v %v", s, f.rewards)
	}
}

// TestABatchWithoutRoom: items that are drawn are answered, the others have a problem.
func TestABatchWithoutRoom(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{Queue: 2})
	f.die(true)
	all, err := c.DecideBatch(t.Context(), make([]client.Ask, 3))
	if err != nil || all[0].Decision == nil || all[1].Decision == nil || all[2].Problem == nil || all[2].Status != 503 {
		t.Error(all, err)
	}
	if all, err = c.DecideBatch(t.Context(), make([]client.Ask, 3)); !errors.Is(err, client.ErrUnreachable) {
		t.Error(all, err)
	}
}

// TestGoroutinesWhileItComesAndGoes: whatever was decided and reported is at the peer once, and nothing else, except decisions whose
// answers were lost before the client drew others.
func TestGoroutinesWhileItComesAndGoes(t *testing.T) {
	t.Parallel()
	f, c := offline(t, client.Options{TableFile: filepath.Join(t.TempDir(), "peerd.jsonl")})
	var mu sync.Mutex
	var done []client.Decision
	rewards := make(map[string]float64)
	ctx, stop := context.WithCancel(t.Context())
	var work, trouble sync.WaitGroup
	f.die(true)
	trouble.Go(func() {
		time.Sleep(time.Second) // over a deadline, so that there are draws
		for n := int64(0); ctx.Err() == nil; n++ {
			f.die(n%3 != 2)
			f.offer(fmt.Sprint(n), n, 2, 5)
			time.Sleep(20 * time.Millisecond)
		}
	})
	for range 8 {
		work.Go(func() {
			for i := range 150 {
				d, err := c.Decide(t.Context(), client.Ask{})
				if err != nil {
					t.Error(err)
					return
				}
				value := float64(i%10) / 10
				if _, err = c.Reward(t.Context(), d.ID, value); err != nil {
					t.Error(err)
				}
				mu.Lock()
				done, rewards[d.ID] = append(done, d), value
				mu.Unlock()
			}
		})
	}
	work.Wait()
	stop()
	trouble.Wait()
	f.die(false)
	empty(t, c)
	f.mu.Lock()
	drawn := 0
	for _, d := range done {
		if d.Source == client.Drawn {
			drawn++
		}
	}
	for id, d := range f.decisions {
		if _, known := rewards[id]; !known && d.Source == "learned" {
			delete(f.decisions, id)
		}
	}
	f.mu.Unlock()
	if len(done) != 1200 || drawn < 100 || c.Table().Refused != 0 {
		t.Error(len(done), drawn, c.Table())
	}
	f.equal(t, done, rewards)
}

// TestCloseEndsIt: it reports, leaves no goroutine behind, and nothing is drawn afterwards.
func TestCloseEndsIt(t *testing.T) { //nolint:paralleltest // counts goroutines
	f, c := offline(t, client.Options{})
	if _, err := c.Draw(client.Ask{ID: "mine"}); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	if left := c.Close(); left != nil || f.decisions["mine"].Source != client.Drawn {
		t.Error(left, f.decisions)
	}
	until(t, func() bool { return runtime.NumGoroutine() < before })
	if d, err := c.Draw(client.Ask{}); !errors.Is(err, client.ErrUnreachable) {
		t.Error(d, err)
	}
}
