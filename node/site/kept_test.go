package site

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/node/store/storetest"
	"peerd.dev/protocol"
)

// keepers are sites that keep decisions: with each learner and protocol with which one may, and each rule that chooses besides the learner.
func keepers(t *testing.T) map[string]setting {
	t.Helper()
	all := make(map[string]setting)
	for _, name := range slices.Concat(protocols(), byFeatures()) {
		for _, features := range []bool{false, true} {
			x := keeping(features)
			if x.protocol != name {
				x.protocol, x.params = name, nil
			}
			x.inside = false
			spec := x.spec()
			if spec.Give = node.GiveFew; spec.Check() != nil || spec.CheckGive() != nil {
				continue
			}
			x.inside = true
			all[name+" "+x.learner.Words().Name] = x
		}
	}
	phases := keeping(false)
	for _, explore := range []float64{0, .3} {
		for rule, change := range map[string]func(*Rules){
			"baseline":    func(r *Rules) { r.Baseline, r.BaselineShare = "green", .3 },
			"better":      func(r *Rules) { r.Baseline, r.BaselineShare, r.UntilBetter = "red", .3, true },
			"fallback":    func(r *Rules) { r.Fallback = "blue" },
			"exposures":   func(r *Rules) { r.MinExposures = 6 },
			"on arrival":  func(r *Rules) { r.Settle = OnArrival },
			"one subject": func(r *Rules) { r.PerSubject = 1 },
		} {
			x := phases
			x.explore = explore
			change(&x.rules)
			all[fmt.Sprint(rule, ", explore ", explore)] = x
		}
	}
	for _, alone := range []bool{false, true} {
		x := keeping(true)
		x.explore, x.alone, x.rules.Settle = .3, alone, OnArrival
		all[fmt.Sprint("features, explore, alone ", alone)] = x
	}
	return all
}

// secrets are histories of users whose decisions are kept.
func secrets(adding Adding) (all []tale) {
	fractions := func(i int) (float64, time.Duration) { return rand.New(rand.NewPCG(uint64(i), 0)).Float64(), every / 8 }
	all = []tale{
		{name: "good ones", of: func(i int) (float64, time.Duration) { return float64(i*7%3) / 2, every / 8 }},
		{name: "bad ones", of: func(i int) (float64, time.Duration) { return 1 - float64(i*7%3)/2, every / 8 }},
		{name: "sixteenths", of: func(i int) (float64, time.Duration) { return float64(i*5%17) / 16, every / 8 }, visitors: 3},
		{name: "late", of: func(i int) (float64, time.Duration) {
			return 1, []time.Duration{every, 2 * every, window - 1, window + 1, 2 * window}[i%5]
		}, visitors: 2},
		{name: "unreported", of: func(int) (float64, time.Duration) { return 0, never }},
		{name: "twice", of: fractions, twice: true, visitors: 1},
		{name: "in batches", of: fractions, batches: true, others: true},
		{name: "ended", of: fractions, ends: func(i int) string { return []string{"", "with", "empty", "after"}[i%4] }, visitors: 4},
		{name: "absent", of: fractions, lonely: true},
		{name: "seventy more", of: fractions, visitors: 70},
		{name: "green pays", of: fractions, best: "green", visitors: 70},
		{name: "blue pays", of: fractions, best: "blue", visitors: 70},
	}
	for i := range all {
		if all[i].adding = adding; adding != First {
			all[i].more = func(n int) int { return n * (i + 1) % 4 }
		}
	}
	return all
}

// keeps notes the answer to a decision that is kept, or is not because the disk is scarce: that is not in the view.
func (w *twin) keeps(o *decision.Outcome[decision.Decision]) bool {
	if o.Err != nil && strings.Contains(o.Err.Error(), "only for decisions that are given") {
		w.scarce++
		return true
	}
	if o.Value.Kept {
		w.kept[o.Value.ID] = true
		w.hidden = append(w.hidden, o.Value.Action)
	}
	return o.Value.Kept
}

// answers returns what is not in the view.
func (w *twin) answers() string {
	x := w.peek()
	return fmt.Sprint(w.hidden, x.Pulls, x.Means)
}

// keptRound returns what pays for a round of a simulated world that is kept, or nil.
func (w *twin) keptRound(round int) *tale {
	id := fmt.Sprint("round-", round)
	if _, replayed := w.kept[id]; !replayed {
		w.kept[id] = w.secret != nil && !w.s.agent.Gives()
	}
	if w.kept[id] {
		return w.secret
	}
	return nil
}

// guests asks for decisions that are kept, of subjects that ask again later, and for one of them twice. It returns what is to be reported.
func (w *twin) guests(waiting []due, at time.Time, round int) []due {
	w.t.Helper()
	var asks []decision.Ask
	for v := range w.secret.visitors {
		a := decision.Ask{ID: fmt.Sprint("guest-", round, "-", v), Subject: fmt.Sprint("subject-", round/3)}
		switch {
		case v%3 == 1:
			a.Exclude = []string{"green"}
		case v%3 == 2 && !w.describes:
			a.Named = []string{"red", "blue"}
		default:
			a.Keep = true
		}
		asks = append(asks, a)
	}
	for n, o := range w.decide(append(asks, asks[:min(1, len(asks))]...)...) {
		if n < len(asks) && (!w.keeps(&o) || o.Value.Repeated) || n == len(asks) && o.Value.Repeated != (o.Err == nil) {
			w.t.Fatalf("%+v, %v", o.Value, o.Err)
		}
		if n < len(asks) && o.Err == nil {
			waiting = w.pays(waiting, at, round+n, o.Value.ID, n > 0)
		}
	}
	return waiting
}

// keptApart plays histories of kept decisions, in which given ones and what they pay are the same, and returns how they can be
// distinguished from the first one.
func keptApart(t *testing.T, x setting, adding Adding, pays func(int) (float64, time.Duration), histories []tale, changes ...func(*twin, *tale)) (found []string) {
	t.Helper()
	var want view
	var nodes []dp.Release
	var kept map[string]bool
	var inside string
	differ := 0
	for i := range histories {
		running(t, func(t *testing.T) {
			x := x
			x.seed, x.rules.Adding = 1, adding
			w := &twin{rig: newRig(t, x), tale: tale{of: pays, adding: adding}, given: nodes}
			w.secret, w.known = &histories[i], kept
			for _, change := range changes {
				change(w, w.secret)
			}
			rounds := 24
			if x.world {
				rounds = 60
			}
			got := w.play(rounds)
			maps.DeleteFunc(w.kept, func(_ string, is bool) bool { return !is })
			if i > 0 {
				if got.commits = want.commits; inside != w.answers() {
					differ++
				}
				found = append(found, want.differences(w.secret.name, &got)...)
				return
			}
			want, nodes, kept, inside = got, w.drawn, w.kept, w.answers()
			if len(nodes) < 1 || len(kept) < 10 || !x.alone && len(want.sent) < 1 || len(want.ledger) < 3 {
				t.Fatalf("%d nodes, %d kept decisions, %d frames and %d ledger lines: this shows little", len(nodes), len(kept), len(want.sent), len(want.ledger))
			}
		})
	}
	if differ < len(histories)/2 {
		t.Errorf("answers of kept decisions differ in %d histories of %d: this shows little", differ, len(histories))
	}
	return append(found, want.unpunctual(t)...)
}

// TestKeptLeavesNoTraceOfASite: whatever kept decisions pay, whenever it is reported, however many there are and however they are asked for: frames
// with their moments and addressees, checkpoints, ledger, status, page and answers to given decisions are the same.
func TestKeptLeavesNoTraceOfASite(t *testing.T) {
	t.Parallel()
	pays := func(i int) (float64, time.Duration) {
		return float64(i*3%8) / 7, []time.Duration{every / 8, every, window + 1, never}[i%4]
	}
	long := os.Getenv("PEERD_LONG") != ""
	for what, x := range keepers(t) {
		histories := secrets(First)
		if rules := strings.Contains(what, ","); rules && !long {
			histories = slices.DeleteFunc(histories, func(a tale) bool {
				return !slices.Contains([]string{"good ones", "bad ones", "absent", "green pays"}, a.name)
			})
		}
		t.Run(what, func(t *testing.T) {
			for _, d := range keptApart(t, x, First, pays, histories) {
				t.Error(d)
			}
		})
	}
	for _, adding := range []Adding{Sum, Last} {
		for _, d := range keptApart(t, keeping(false), adding, pays, secrets(adding)) {
			t.Error(adding, d)
		}
	}
	x := keeping(false)
	x.world = true
	for _, d := range keptApart(t, x, First, pays, secrets(First)[:5]) {
		t.Error("a world: ", d)
	}
}

// peek returns what only the people of the site see.
func (r *rig) peek() *node.Inside {
	r.t.Helper()
	x, err := r.s.Inside(r.t.Context())
	if err != nil || x == nil {
		r.t.Fatalf("%v, %v", x, err)
	}
	return x
}

// TestFullDisksKeepGivenDecisions: kept decisions that fill the disk are refused before it is full for given ones, whose history is the same as
// with all the room.
func TestFullDisksKeepGivenDecisions(t *testing.T) {
	few := secrets(First)[0]
	many := few
	many.name, many.visitors = "filling", 120
	refused := 0
	for _, x := range []setting{keeping(false), keeping(true)} {
		for _, d := range keptApart(t, x, First, few.of, []tale{few, many}, func(w *twin, a *tale) {
			if w.left = 100 << 20; a.visitors > 0 {
				w.left = reserve*3/2 + 300<<10
				w.t.Cleanup(func() { refused += w.scarce })
			}
		}) {
			t.Error(d)
		}
	}
	if refused < 1000 {
		t.Errorf("%d kept decisions are refused: the disk did not fill", refused)
	}
}

// scarce leaves room for given decisions alone.
func (r *rig) scarce() {
	r.t.Helper()
	r.room(gib + gib/4)
	if r.s.store.Reserve(0); !r.s.store.Scarce() || r.s.store.Low() { // looks
		r.t.Fatal("the disk is not scarce, or low")
	}
}

// TestKeptDecisionsWaitForRoom: kept decisions are refused before given ones, and do not settle then; with room again they do. A stop and a crash
// in between change nothing, nor does it matter for how long.
func TestKeptDecisionsWaitForRoom(t *testing.T) {
	for _, scarce := range []int{2, 20} { // rounds; after about ten, given decisions are forgotten
		for _, again := range []func(r *rig){nil, (*rig).stop, (*rig).crash} {
			r := newRig(t, keeping(false))
			r.full.Reserve = gib
			r.room(50 * gib)
			r.start()
			r.round()
			for i := range 10 {
				r.pay(r.ask(decision.Ask{ID: fmt.Sprint("kept-", i), Keep: true}).ID, 1)
			}
			r.pay(r.ask(decision.Ask{ID: "first"}).ID, 1)
			r.scarce()
			for range scarce {
				r.round()
			}
			if out := r.decide(decision.Ask{ID: "more", Keep: true}); refused(t, out[0].Err) != decision.Full {
				t.Error(out[0].Err)
			}
			if d := r.ask(decision.Ask{ID: "given"}); d.Kept {
				t.Error("it is kept")
			}
			x := r.peek()
			if x.Pending != 12 && (scarce < 10 || x.Pending != 11) || x.Kept != 10 {
				t.Errorf("%d of %d decisions wait for room", x.Pending, x.Given+x.Kept)
			}
			if again != nil {
				again(r)
				r.start()
			}
			r.room(50 * gib)
			r.s.store.Reserve(0)
			r.rounds(6)
			if x := r.peek(); x.Pending != 0 || x.Kept+x.Given != 12 {
				t.Errorf("after %d scarce rounds %d of %d decisions wait though there is room", scarce, x.Pending, x.Given+x.Kept)
			}
			r.stop()
		}
	}
}

// TestNoRoundWaitsForKeptDecisions: kept decisions settle, and old ones are forgotten, in the first half of the time between two rounds. What is
// left waits for the next one.
func TestNoRoundWaitsForKeptDecisions(t *testing.T) {
	r := newRig(t, keeping(false))
	r.rules.Keep = every
	r.start()
	r.round()
	const n = 20 * chunk
	asks := make([]decision.Ask, n)
	for i := range asks {
		asks[i] = decision.Ask{ID: fmt.Sprint(i), Keep: true}
	}
	r.decide(asks...)
	r.rounds(3)
	var slow atomic.Bool
	r.s.c.Now = func() time.Time {
		if slow.Load() {
			r.clock.add(every / 10)
		}
		return r.clock.Now()
	}
	left := r.peek().Pending
	for left > 0 {
		begin := epoch().Add(time.Duration(r.s.state.Round) * every)
		r.clock.add(max(0, begin.Sub(r.clock.Now())))
		slow.Store(true)
		require.NoError(t, r.s.Round(protocol.Round(r.s.state.Round), r.net.step(protocol.Round(r.s.state.Round))))
		slow.Store(false)
		for late := false; len(r.s.sends) > 0; {
			x := <-r.s.sends
			if late && x.step > 0 {
				t.Fatal("a step waits for what no message waits for")
			}
			late = x.step == 0
		}
		took := r.clock.Now().Sub(begin)
		if now := r.peek().Pending; took > every/2+every/5 || now == left || left-now > 8*chunk {
			t.Fatalf("a round takes %v and settles %d decisions", took, left-now)
		} else {
			left = now
		}
	}
	r.rounds(20)
	for range r.s.store.Scan(store.Decision, nil, nil) {
		t.Fatal("a decision is not forgotten")
	}
	r.stop()
}

// TestGivenDecisionsAreForgottenInTime: however many kept ones are to be forgotten before, so that an id is free again in the same round, and
// rounds in which given decisions are due do not follow from kept ones, even if the clock goes back at a site that is shut.
func TestGivenDecisionsAreForgottenInTime(t *testing.T) {
	var want []string
	for _, kept := range []int{0, 20 * chunk} {
		r := newRig(t, keeping(false))
		r.start()
		r.round()
		came := func() {
			asks := make([]decision.Ask, kept)
			for i := range asks {
				asks[i] = decision.Ask{Keep: true}
			}
			r.decide(asks...)
		}
		came()
		r.round()
		r.ask(decision.Ask{ID: "given"})
		r.rounds(5)
		r.s.c.Now = func() time.Time { r.clock.add(every / 4); return r.clock.Now() }
		var got []string
		for range 6 {
			r.round()
			v, err := r.s.store.Get(store.Decision, []byte("given"))
			got = append(got, fmt.Sprint(v != nil, err))
		}
		if left := r.inTable(store.InsidePast); (left > 0) != (kept > 0) {
			t.Errorf("%d of %d kept decisions are left: this shows little", left, kept)
		}
		r.s.c.Now = r.clock.Now
		came()
		r.s.OnRival(left)
		shut := r.s.state.Round
		for n := range protocol.Round(60) {
			r.clock.add(every)
			require.NoError(t, r.s.Round(protocol.Round(shut)+n, nil))
		}
		if n := r.inTable(store.InsidePast); n > 0 {
			t.Errorf("%d kept decisions are not forgotten", n)
		}
		if got = append(got, fmt.Sprint(r.s.after(epoch())-shut)); want == nil {
			want = got
		} else if !slices.Equal(want, got) {
			t.Errorf("with %d kept decisions %v, without %v", kept, got, want)
		}
		r.stop()
	}
}

// reservedRoom returns how many bytes the store has set aside.
func (r *rig) reservedRoom() int {
	return sort.Search(1<<30, func(n int) bool {
		r.room(gib*3/2 + uint64(n))
		r.s.store.Reserve(0) // looks
		return !r.s.store.Scarce()
	})
}

// TestKeptDecisionsHaveTheirRoom: each has room for its reward and the note of a late one, whatever it is paid, over restarts, until it is
// forgotten.
func TestKeptDecisionsHaveTheirRoom(t *testing.T) {
	x := keeping(false)
	x.rules.Keep = 4 * every
	r := newRig(t, x)
	r.full.Reserve = gib
	r.room(50 * gib)
	r.start()
	r.round()
	var before []int
	check := func(what string) {
		t.Helper()
		for i, again := range []func(){r.crash, r.stop} {
			was := r.reservedRoom()
			r.room(50 * gib)
			again()
			r.room(50 * gib)
			r.start()
			if now := r.reservedRoom(); now != was {
				t.Errorf("%s: %d bytes are set aside, and %d after restart %d", what, was, now, i)
			}
			before = append(before, was)
			r.room(50 * gib)
			r.s.store.Reserve(0)
		}
	}
	for i := range 9 {
		r.ask(decision.Ask{ID: fmt.Sprint(i), Keep: true})
	}
	check("they wait")
	for i := range 3 {
		r.pay(fmt.Sprint(i), float64(i)/2)
	}
	check("three are paid")
	r.clock.add(window + every)
	if _, err := r.report("3", 1); refused(t, err) != decision.Expired {
		t.Fatal(err)
	}
	check("one is late")
	r.rounds(2)
	check("they are settled")
	for range 12 {
		r.round()
	}
	check("they are forgotten")
	if slices.Sort(before); before[0] != 0 || before[9] < 9*2*around || r.inTable(store.Decision) > 0 {
		t.Errorf("%d bytes were set aside, and %d decisions are stored", before, r.inTable(store.Decision))
	}
	r.stop()
}

// TestABlockedSiteLearnsInside: who is given does not follow from whether the site is open. A blocked site draws nothing and learns inside, in rounds
// that it does not end and though the clock goes back; when it is open, no reward counts twice.
func TestABlockedSiteLearnsInside(t *testing.T) {
	x := keeping(false)
	x.rules.Settle, x.rules.Keep = OnArrival, 1e6*every
	r := newRig(t, x)
	r.start()
	r.rounds(3)
	r.stop()
	r.open()
	if !r.s.isBlocked() {
		t.Fatal("it is open")
	}
	was, step := r.lines(), r.s.step
	for n, back := range []time.Duration{0, 0, -15 * every, 0} {
		r.clock.add(9*every + back)
		for _, keep := range []bool{false, true} {
			id := fmt.Sprint(n, keep)
			if d := r.ask(decision.Ask{ID: id, Keep: keep}); d.Kept != keep {
				t.Errorf("%+v", d)
			}
			r.pay(id, float64(n)/4)
		}
		r.clock.add(every)
		require.NoError(t, r.s.rest(protocol.Round(r.s.roundAt(r.clock.Now())), r.s.settleInside))
		if x := r.peek(); x.Pending != 0 || x.Given != uint64(n+1) || x.Kept != uint64(n+1) {
			t.Errorf("after %d of each: %+v", n+1, x)
		}
	}
	if now := r.lines(); len(now) != len(was) || r.s.step != step+4 {
		t.Errorf("%d ledger lines were drawn, and %d steps follow four given decisions", len(now)-len(was), r.s.step-step)
	}
	r.greet()
	r.rounds(5)
	if r.insideIsRight(); r.status().Pending != 0 {
		t.Errorf("%+v", r.status())
	}
	r.stop()
}

// TestWhoIsGiven: a decision is given if the agent wants one, and the ask allows it. A kept one moves nothing of that: neither the agent, nor
// numbers of decisions, nor what counts of its subject.
func TestWhoIsGiven(t *testing.T) {
	type fate struct {
		ask  decision.Ask
		kept bool
	}
	given, kept := func(a decision.Ask) fate { return fate{a, false} }, func(a decision.Ask) fate { return fate{a, true} }
	named := []string{"red", "green", "blue"}
	for what, c := range map[string]struct {
		rules  func(*Rules)
		before bool // the first round
		asks   []fate
	}{
		"the ask keeps":             {asks: []fate{kept(decision.Ask{Keep: true}), given(decision.Ask{})}},
		"the ask excludes":          {asks: []fate{kept(decision.Ask{Exclude: []string{"red"}}), given(decision.Ask{Exclude: []string{}})}},
		"the ask names":             {asks: []fate{kept(decision.Ask{Named: named}), given(decision.Ask{})}},
		"ids repeat":                {asks: []fate{kept(decision.Ask{ID: "a", Keep: true}), kept(decision.Ask{ID: "a"}), given(decision.Ask{ID: "b"}), given(decision.Ask{ID: "b", Keep: true})}},
		"a subject has a cap":       {asks: []fate{kept(decision.Ask{Subject: "s", Keep: true}), kept(decision.Ask{Subject: "s", Named: named}), given(decision.Ask{Subject: "s"}), given(decision.Ask{Subject: "s"}), kept(decision.Ask{Subject: "s"}), given(decision.Ask{Subject: "r"})}},
		"a repeated id counts once": {asks: []fate{given(decision.Ask{ID: "a", Subject: "s"}), given(decision.Ask{ID: "a", Subject: "s"}), given(decision.Ask{ID: "b", Subject: "s"}), kept(decision.Ask{ID: "c", Subject: "s"})}},
		"the application takes":     {rules: func(r *Rules) { r.Shadow = ShadowLearn }, asks: []fate{kept(decision.Ask{}), kept(decision.Ask{})}},
		"the application chooses":   {rules: func(r *Rules) { r.Shadow = ShadowPropose }, asks: []fate{kept(decision.Ask{}), kept(decision.Ask{})}},
		"a fallback, before":        {rules: func(r *Rules) { r.Fallback = "red" }, before: true, asks: []fate{kept(decision.Ask{}), kept(decision.Ask{Keep: true})}},
		"a fallback, after":         {rules: func(r *Rules) { r.Fallback = "red" }, asks: []fate{given(decision.Ask{}), kept(decision.Ask{Keep: true})}},
		"no fallback, before":       {before: true, asks: []fate{given(decision.Ask{}), kept(decision.Ask{Keep: true})}},
	} {
		for _, together := range []bool{false, true} {
			x := keeping(false)
			if c.rules != nil {
				c.rules(&x.rules)
			}
			r := newRig(t, x)
			if r.start(); !c.before {
				r.round()
			}
			if !r.s.agent.Gives() {
				t.Fatal("the agent wants no decision")
			}
			if together {
				var asks []decision.Ask
				for _, f := range c.asks {
					asks = append(asks, f.ask)
				}
				for i, o := range r.decide(asks...) {
					if o.Err != nil || o.Value.Kept != c.asks[i].kept {
						t.Errorf("%s, ask %d of one request: %+v, %v", what, i, o.Value, o.Err)
					}
				}
				r.stop()
				continue
			}
			was, counts, step := r.agentState(), fmt.Sprintf("%+v", r.s.state), r.s.step
			for i, f := range c.asks {
				out := r.decide(f.ask)[0]
				if d := out.Value; out.Err != nil || d.Kept != f.kept || !d.Counted || d.Uncounted != "" || (d.Source == decision.Application) != r.rules.Shadow.shadows() {
					t.Errorf("%s, ask %d: %+v, %v", what, i, out.Value, out.Err)
				}
				if f.kept && (!bytes.Equal(was, r.agentState()) || counts != fmt.Sprintf("%+v", r.s.state) || step != r.s.step) {
					t.Errorf("%s: ask %d moves the agent, or a number", what, i)
				}
				was, counts, step = r.agentState(), fmt.Sprintf("%+v", r.s.state), r.s.step
			}
			r.stop()
		}
	}
}

// agentState returns the state of the agent.
func (r *rig) agentState() []byte {
	r.t.Helper()
	b, err := r.s.agent.Save()
	if err != nil {
		r.t.Fatal(err)
	}
	return b.Bytes()
}

// TestTheCoinOfTheBaselineKeeps: a decision for which it falls is kept, and a given one is never the baseline for that reason, so that the
// baseline has its share and propensities are right. The coin follows from the id over restarts, and the shown bounds move no fate.
func TestTheCoinOfTheBaselineKeeps(t *testing.T) {
	t.Parallel()
	for _, better := range []bool{false, true} {
		x := keeping(false)
		x.rules.Baseline, x.rules.BaselineShare, x.rules.MinExposures, x.rules.UntilBetter = "red", .4, 0, better
		r := newRig(t, x)
		r.start()
		r.round()
		if better { // which shows the site alone that blue is
			r.pays(r.asks(300, "first-", decision.Ask{Keep: true}), func(d *decision.Decision) float64 { return map[string]float64{"blue": 1}[d.Action] })
		}
		r.rounds(4)
		if o := (offer{places: r.s.arms, all: true}); betterThan(0, &o, r.s.present, r.s.inside.half.Bounds()) != better {
			t.Fatal("exact bounds show nothing")
		}
		var all, given counted
		for n := range 1200 {
			id := fmt.Sprint(n)
			_, fell := r.s.fell(id, &offer{places: r.s.arms, all: true})
			wants := r.s.agent.Gives()
			d := r.ask(decision.Ask{ID: id})
			all.add(&d)
			if d.Kept != (fell || !wants) || (d.Source == decision.Baseline) != fell && (!better || d.Source == decision.Baseline) {
				t.Fatalf("the coin falls: %v, the agent wants a decision: %v, and %+v", fell, wants, d)
			}
			if !d.Kept {
				given.add(&d)
			}
			r.pay(id, map[string]float64{"blue": 1}[d.Action])
			if n%8 == 7 {
				r.round()
			}
			if n%400 == 100 {
				r.crash()
				r.start()
				if _, again := r.s.fell(id, &offer{places: r.s.arms, all: true}); again != fell {
					t.Fatal("a restart throws the coin again")
				}
			}
		}
		if given.n == 0 {
			t.Error("nothing is given")
		}
		if ends := all.sources[decision.Baseline] == 0; ends != better {
			t.Errorf("better %v: %v", better, all.sources)
		}
		if !better {
			within(t, "baseline", all.sources[decision.Baseline], all.n, .4)
			all.right(t, "red")
		}
		r.stop()
	}
}

// insideIsRight checks that the half has each reward of a decision once, of those that are not forgotten, and that none waits.
func (r *rig) insideIsRight() {
	r.t.Helper()
	given, kept, pulls, sums := uint64(0), uint64(0), make([]uint64, len(r.arms)), make([]float64, len(r.arms))
	for e, err := range r.s.store.Scan(store.Decision, nil, nil) {
		if err != nil {
			r.t.Fatal(err)
		}
		c, err := parseChoice(e.Value, r.c.shape())
		if err != nil {
			r.t.Fatal(err)
		}
		if !c.rewarded {
			c.value = bandit.Reward(r.rules.Default)
		}
		if pulls[c.arm]++; c.kept {
			kept++
		} else {
			given++
		}
		sums[c.arm] += float64(r.rules.Range.observed(c.value))
	}
	x := r.peek()
	if x.Given != given || x.Kept != kept || x.Pending != 0 || !slices.Equal(x.Pulls, pulls) {
		r.t.Errorf("%d given and %d kept decisions, %d of them wait: %v; stored are %d and %d: %v", x.Given, x.Kept, x.Pending, x.Pulls, given, kept, pulls)
	}
	for k, n := range pulls {
		if n > 0 && x.Rewards[k] == float64(n) && math.Abs(x.Means[k]-sums[k]/float64(n)) > 1e-5 || x.Rewards[k] > float64(n) {
			r.t.Errorf("%s: a mean of %v over %v rewards, want %v over %d", r.arms[k], x.Means[k], x.Rewards[k], sums[k]/float64(n), n)
		}
	}
}

// TestKeptDecisionsSurviveCrashes: as TestCrashAtAnyMoment, of a site that keeps most decisions: each reward that was answered is in the
// half once.
func TestKeptDecisionsSurviveCrashes(t *testing.T) {
	for _, adding := range []Adding{First, Sum} {
		for _, settle := range []Settle{AtWindow, OnArrival} {
			t.Run(fmt.Sprintf("%s/%s", adding, settle), func(t *testing.T) {
				t.Parallel()
				x := keeping(false)
				x.rules.Settle, x.rules.Adding, x.rules.Keep, x.rules.PerSubject, x.saveEvery = settle, adding, 1e6*every, 3, 20
				crashes(t, x, 8)
			})
		}
	}
}

// TestACrashBetweenBatchesLosesNoReward: whichever of the batches that are not durable yet a crash leaves, the half has each reward once.
func TestACrashBetweenBatchesLosesNoReward(t *testing.T) {
	for _, settle := range []Settle{AtWindow, OnArrival} {
		x := keeping(false)
		x.rules.Settle, x.rules.Keep = settle, 1e6*every
		r := newRig(t, x)
		r.memory = storetest.NewMemory()
		r.start()
		r.round()
		crashes := 0
		for n := range 12 {
			for i := range chunk / 2 {
				id := fmt.Sprint(n, "-", i)
				r.ask(decision.Ask{ID: id, Keep: i > 0})
				r.pay(id, float64(i%5)/4)
			}
			r.clock.add(every)
			require.NoError(t, r.s.Round(protocol.Round(r.s.roundAt(r.clock.Now())), nil))
			for keep := range r.memory.Unsynced() + 1 {
				again := newRig(t, x)
				again.memory = r.memory.Crash(keep)
				again.clock.add(r.clock.Now().Sub(epoch()) + window)
				again.start()
				again.rounds(3)
				again.insideIsRight()
				again.stop()
				crashes++
			}
			r.pump()
		}
		if crashes < 24 {
			t.Errorf("%d crashes show little", crashes)
		}
		r.stop()
	}
}

// insideBytes returns the half with the numbers of decisions that wait for it; nil if there is none.
func (r *rig) insideBytes() []byte {
	if r.s.inside.half == nil {
		return nil
	}
	return fmt.Append(r.s.inside.bytes(), r.s.inside.waits)
}

// restarting is a site that keeps decisions, of which two runs can be compared.
func restarting(settle Settle) setting {
	x := keeping(false).repeatable(1)
	x.rules.Settle, x.coins = settle, func() node.Seed { return node.NewSeed(7) }
	return x
}

// TestKeptDecisionsAreRestored: as TestRestartedIsNeverStopped and TestNewMembershipIsARestart, with kept decisions, whose answers are the same,
// too; of a site that serves an application or plays a simulated world.
func TestKeptDecisionsAreRestored(t *testing.T) {
	t.Parallel()
	for _, settle := range []Settle{AtWindow, OnArrival} {
		t.Run(string(settle), func(t *testing.T) {
			t.Parallel()
			compareRestarts(t, restarting(settle))
			likeRestarts(t, restarting(settle))
			noised := restarting(settle)
			noised.noised = 1
			compareRestarts(t, noised) // noise of a reward is drawn once
		})
	}
	t.Run("world", func(t *testing.T) {
		t.Parallel()
		x := restarting(AtWindow)
		x.world, x.explore, x.noised = true, .3, 1
		compareRestarts(t, x)
	})
}

// TestRecoveryCountsNoKeptOnes: the gap that a recovery writes into the ledger does not count kept decisions that waited. What is inside stays
// as it is in the folder: a state that neighbours confirmed does not take it back, nor does a later life throw other coins.
func TestRecoveryCountsNoKeptOnes(t *testing.T) {
	x := keeping(false)
	x.rules.Baseline, x.rules.BaselineShare, x.rules.Keep = "green", .3, 1e6*every
	r := newRig(t, x)
	r.start()
	paid := func(n int, name string, keep bool) {
		for i := range n {
			r.pay(r.ask(decision.Ask{ID: fmt.Sprint(name, i), Keep: keep}).ID, float64(i%3)/2)
		}
	}
	paid(5, "early-", true)
	r.round()
	r.rounds(4)
	r.stop()
	backup := r.disk.CrashClone(vfs.CrashCloneCfg{})
	r.start()
	old := r.s.life
	for n := range 14 {
		paid(5, fmt.Sprint("lost-", n, "-"), n%2 == 0)
		r.round()
	}
	r.stop()
	r.disk = backup
	r.start()
	if !r.s.OldCopy() {
		t.Fatal("nobody remembers more")
	}
	paid(7, "waits-", true)
	given := uint64(0)
	for i := range 3 {
		given += uint64(protocoltest.Count(!r.ask(decision.Ask{ID: fmt.Sprint("open-", i)}).Kept))
	}
	r.reopen()
	before := r.insideBytes()
	done := require.Value(r.s.Recover(nil))(t)
	if g := r.gap(); g.Waiting != given || done.Waiting != given {
		t.Errorf("%d given decisions waited, and the ledger says %d, recover %d", given, g.Waiting, done.Waiting)
	}
	r.reopen()
	if !bytes.Equal(before, r.insideBytes()) {
		t.Error("a recovery changes what is inside")
	}
	r.greet()
	if r.s.life.Incarnation == old.Incarnation || r.s.life.Seed != old.Seed {
		t.Errorf("life %d after %d; are the seeds the same: %v", r.s.life.Incarnation, old.Incarnation, r.s.life.Seed == old.Seed)
	}
	r.clock.add(window)
	r.rounds(6)
	r.insideIsRight()
	r.draft()
	r.stop()
}

// TestKeptDecisionsSurviveOtherActions: kept decisions that wait while an action is added and another one retired are learned, and one of an
// action that is retired takes its reward.
func TestKeptDecisionsSurviveOtherActions(t *testing.T) {
	for _, by := range []func(r *rig){nil, (*rig).stop, (*rig).crash} {
		x := keeping(false)
		x.rules.Keep, x.saveEvery = 1e6*every, 7
		r := newRig(t, x)
		r.version = 1
		r.start()
		for version := uint64(1); ; version++ {
			seen := make(map[string]bool)
			for n := range 30 {
				id := fmt.Sprint(version, "-", n)
				d := r.ask(decision.Ask{ID: id, Keep: n%2 == 0})
				if seen[d.Action] = true; n%3 > 0 {
					r.pay(id, float64(n%5)/4)
				}
				if n%10 == 9 {
					r.round()
				}
			}
			if blue, red := seen["blue"], seen["red"]; version == 1 && blue || version == 2 && !blue || version == 4 && red {
				t.Errorf("version %d: %v", version, seen)
			}
			for n := range 3 { // of any action that is there, to be paid when it may be retired
				r.ask(decision.Ask{ID: fmt.Sprint(version, "-open-", n), Keep: true, Exclude: [][]string{{"red"}, {"green"}, nil}[n]})
			}
			if version == 4 {
				break
			}
			if r.version++; by != nil {
				by(r)
				r.start()
			} else {
				m := r.membership(r.version)
				require.NoError(t, r.s.SetMembership(m))
				r.c = r.config()
			}
			if got := store.ReadNumber(r.s.c.Document); got != r.version {
				t.Fatalf("version %d, want %d", got, r.version)
			}
			for n := range 3 {
				r.pay(fmt.Sprint(version, "-open-", n), 1)
			}
		}
		r.clock.add(window)
		r.rounds(6)
		r.insideIsRight()
		r.stop()
	}
}
