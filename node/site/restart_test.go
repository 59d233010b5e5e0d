package site

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/decision"
)

// TestRestartedIsNeverStopped: wherever a site is stopped, in good order or by a crash, it
// continues as if it had not been: the same choices, the same frames to all peers, the same
// ledger and status, bit for bit.
//
// We tried by hand that the comparison notices omissions: it fails at once if Agent.Load does not
// set the coins; if replay does not Receive, does not count choices, or does not settle; if
// restore does not keep the belief or does not send again what was left in the outbox; and if a
// snapshot is saved as of the step before. PEERD_LONG stops more often.
func TestRestartedIsNeverStopped(t *testing.T) {
	t.Parallel()
	for _, name := range protocols() {
		for _, kind := range []string{"window", "arrival", "world", "features", "world of features"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(2) {
					x := usual(name, Settle(kind)).repeatable(seed)
					switch kind {
					case "world", "features", "world of features":
						x.world, x.rules.Settle = kind != "features", AtWindow
					}
					if kind == "features" || kind == "world of features" {
						x.features = 2
					}
					if seed == 1 {
						x.rules.Fallback, x.rules.MinExposures, x.explore = "green", 3, .3
					}
					compareRestarts(t, x)
				}
			})
		}
	}
}

func compareRestarts(t *testing.T, x setting) {
	acts := newScript(x.seed, 250)
	want := acts.run(t, x, nil)
	if len(want.frames) == 0 || len(want.ledger) < 20 && x.protocol != stated && !x.inside {
		t.Fatalf("%d frames and %d ledger lines: this run shows nothing", len(want.frames), len(want.ledger))
	}
	rng := rand.New(rand.NewPCG(x.seed, 1))
	once, often, stopped := 1, 1, 25
	switch {
	case os.Getenv("PEERD_LONG") != "":
		once, often, stopped = 12, 2, 100
	case testing.Short():
		once, often, stopped = 1, 1, 10
	}
	for range once {
		x.saveEvery = 1 + rng.Uint64N(100)
		want.compare(t, acts.run(t, x, map[int]int{rng.IntN(len(acts)): 1 + rng.IntN(3)}))
	}
	for range often {
		stops := make(map[int]int)
		for range stopped {
			stops[rng.IntN(len(acts))] = 1 + rng.IntN(3)
		}
		x.saveEvery = 1 + rng.Uint64N(40)
		want.compare(t, acts.run(t, x, stops))
	}
}

// A script is what happens to a site. It does not depend on what the site does.
type script []act

type act struct {
	asks    []ask
	reports []reward
	wait    time.Duration
	round   bool
}

type ask struct {
	id      string
	again   int // a decision to ask for again, from the newest; 0 for none
	subject string
	exclude []string
}

type reward struct {
	of    int // which decision, from the newest
	value float64
}

func newScript(seed uint64, n int) script {
	rng := rand.New(rand.NewPCG(seed, 0))
	colours := []string{"red", "green", "blue"}
	s := make(script, n)
	for i := range s {
		a := &s[i]
		switch x := rng.IntN(10); {
		case x < 4:
			for range 1 + rng.IntN(3) {
				k := ask{}
				if rng.IntN(2) == 0 {
					k.id = fmt.Sprintf("own-%d", rng.IntN(n))
				}
				if rng.IntN(8) == 0 {
					k.again = 1 + rng.IntN(10)
				}
				if rng.IntN(3) == 0 {
					k.subject = fmt.Sprintf("subject-%d", rng.IntN(20))
				}
				for rng.IntN(4) == 0 {
					k.exclude = append(k.exclude, colours[rng.IntN(3)])
				}
				a.asks = append(a.asks, k)
			}
		case x < 7:
			for range 1 + rng.IntN(3) {
				r := reward{1 + rng.IntN(25), float64(rng.IntN(9)) / 8}
				a.reports = append(a.reports, r)
				if rng.IntN(5) == 0 {
					a.reports = append(a.reports, r)
				}
			}
		case x < 8:
			a.wait = time.Duration(rng.Int64N(int64(every)))
		default:
			a.round = true
		}
	}
	return s
}

// trace is everything that can be seen of a run.
type trace struct {
	answers []string
	frames  []frame
	ledger  [][]byte
	status  string
	agent   []byte
	inside  []byte // what is kept; nil for nothing
}

// run plays a script; stops says after which acts the site is closed (1), crashes (2), or crashes
// before anything of the act is sent (3), and is opened again.
func (s script) run(t *testing.T, x setting, stops map[int]int) *trace {
	t.Helper()
	r := newRig(t, x)
	r.start()
	tr := new(trace)
	var ids []string
	for i := range s {
		a := &s[i]
		r.clock.add(a.wait)
		ids = tr.ask(r, a.asks, ids)
		tr.report(r, a.reports, ids)
		r.mute = stops[i] == 3
		if a.round {
			r.round()
		}
		r.mute = false
		switch stops[i] {
		case 1:
			r.stop()
			r.start()
		case 2, 3:
			r.crash()
			r.start()
		}
	}
	tr.frames, tr.ledger = r.net.frames, r.lines()
	tr.status = seen(r.status())
	agent := require.Value(r.s.agent.Save())(t)
	tr.agent, tr.inside = agent.Bytes(), r.insideBytes()
	r.draft()
	r.stop()
	return tr
}

func (tr *trace) ask(r *rig, asks []ask, ids []string) []string {
	if len(asks) == 0 {
		return ids
	}
	in := make([]decision.Ask, len(asks))
	for i, k := range asks {
		in[i] = decision.Ask{ID: k.id, Subject: k.subject, Exclude: k.exclude}
		if 0 < k.again && k.again <= len(ids) {
			in[i].ID = ids[len(ids)-k.again]
		}
		if r.inside && in[i].ID == "" {
			in[i].ID = fmt.Sprint("nr-", len(tr.answers), "-", i) // the half takes rewards of a round in the order of ids
		}
		if r.features > 0 {
			in[i].Features = r.described(float64(len(tr.answers)))
		}
	}
	for _, o := range r.decide(in...) {
		d := o.Value
		if o.Err == nil {
			ids = append(ids, d.ID)
		}
		tr.answers = append(tr.answers, fmt.Sprintf("%s %x %s %s %v %v %v %v", d.Action, d.Propensity, d.Source, d.Model, d.Counted, d.Repeated, d.ExpiresAt.Format(time.RFC3339Nano), o.Err))
	}
	return ids
}

func (tr *trace) report(r *rig, reports []reward, ids []string) {
	var in []decision.Report
	for _, k := range reports {
		if k.of <= len(ids) {
			in = append(in, decision.Report{ID: ids[len(ids)-k.of], Value: bandit.Reward(k.value)})
		}
	}
	if len(in) == 0 {
		return
	}
	for _, o := range r.s.Reward(r.t.Context(), in) {
		tr.answers = append(tr.answers, fmt.Sprintf("%v %v %v", o.Value.Duplicate, o.Value.Counted, o.Err))
	}
}

// seen returns the part of a status that a start does not reset.
func seen(s node.Status) string {
	s.Refused, s.Skipped, s.Flooded, s.LastErr, s.Confirmed, s.Users = 0, 0, 0, "", 0, ""
	return fmt.Sprintf("%+v", s)
}

func (tr *trace) compare(t *testing.T, got *trace) {
	t.Helper()
	compareLists(t, "answer", tr.answers, got.answers)
	compareLists(t, "frame", tr.frames, got.frames)
	if len(tr.ledger) != len(got.ledger) {
		t.Fatalf("%d ledger lines, want %d", len(got.ledger), len(tr.ledger))
	}
	for i := range tr.ledger {
		if !bytes.Equal(tr.ledger[i], got.ledger[i]) {
			t.Fatalf("ledger line %d:\n%s\nwant\n%s", i, got.ledger[i], tr.ledger[i])
		}
	}
	if tr.status != got.status {
		t.Fatalf("status\n%s\nwant\n%s", got.status, tr.status)
	}
	if !bytes.Equal(tr.agent, got.agent) {
		t.Fatal("the agents' states differ at the end")
	}
	if !bytes.Equal(tr.inside, got.inside) {
		t.Fatal("what is kept differs at the end")
	}
}

func compareLists[T comparable](t *testing.T, what string, want, got []T) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Fatalf("%s %d is\n%q, want\n%q", what, i, fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%d of what is one %s each, want %d", len(got), what, len(want))
	}
}

// TestNoiseIsRestored: after a crash a private site continues where it was, also with the noise
// that was drawn and that no node shows.
func TestNoiseIsRestored(t *testing.T) {
	for _, m := range []dp.Mechanism{dp.Tree, dp.Kary} {
		x := usual(averaged, OnArrival)
		x.mechanism = m
		r := newRig(t, x)
		r.start()
		r.work(30)
		before := require.Value(r.s.agent.Save())(t)
		hidden := 0
		for _, kind := range []logKind{logSettled, logRound} {
			for _, e := range r.logged(kind) {
				hidden += len(e.hidden.Bytes())
			}
		}
		r.crash()
		r.open()
		after := require.Value(r.s.agent.Save())(t)
		if !bytes.Equal(before.Bytes(), after.Bytes()) {
			t.Errorf("%v: the agent is another after a crash", m)
		}
		if (hidden > 0) != (m == dp.Kary) {
			t.Errorf("%v: %d bytes of hidden noise are logged", m, hidden)
		}
		r.stop()
	}
}
