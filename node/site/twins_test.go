package site

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/api/page"
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
	"peerd.dev/protocol/rows"
)

// A tale is what is reported of decision i in one history, and how long after the decision; or
// what round i of a simulated world pays.
type tale struct {
	name     string
	of       func(i int) (value float64, after time.Duration)
	batches  bool // the reports of a round come in one request
	twice    bool // each report is repeated, and contradicted
	visitors int  // more users who come in some rounds, and pay 1
	lonely   bool // there are no other users
	others   bool // every seventh user comes with other features
	takes    int  // by how many places what the application takes is another, in shadow mode

	secret *tale  // of kept decisions; nil for the same
	best   string // the action that pays 1, as others pay 0; "" for what of says

	adding Adding             // of the site; "" for first
	more   func(i int) int    // further reports of decision i, each of half of what is left to 1; nil for none
	ends   func(i int) string // how the application ends the window of decision i: "with" its first value, "after" all, "empty" without a value; "" for not
}

const never = time.Hour

// tales are histories of users who differ only in their rewards and in when these are reported,
// if at all.
func tales() []tale {
	soon := func(value func(i int) float64) func(int) (float64, time.Duration) {
		return func(i int) (float64, time.Duration) { return value(i), every / 8 }
	}
	return []tale{
		{name: "unreported", of: func(int) (float64, time.Duration) { return 0, never }},
		{name: "zeros", of: soon(func(int) float64 { return 0 })},
		{name: "ones", of: soon(func(int) float64 { return 1 })},
		{name: "in turn", of: soon(func(i int) float64 { return float64(i % 2) })},
		{name: "fractions", of: soon(func(i int) float64 { return rand.New(rand.NewPCG(uint64(i), 0)).Float64() })},
		{name: "good ones", of: func(i int) (float64, time.Duration) {
			if i%3 > 0 {
				return 0, never
			}
			return 1, every / 4
		}},
		{name: "late", of: func(i int) (float64, time.Duration) { // the last ones after their windows
			return 1, []time.Duration{every, 2 * every, window - 1, window + 1, 2 * window}[i%5]
		}},
		{name: "batches", of: soon(func(i int) float64 { return float64(i%5) / 4 }), batches: true},
		{name: "other features", of: soon(func(i int) float64 { return float64(i % 2) }), others: true},
		{name: "twice", of: soon(func(i int) float64 { return float64(i%4) / 3 }), twice: true},
		{name: "last ones", of: soon(func(i int) float64 { return float64(i % 2) }), adding: Last, more: func(i int) int { return i % 4 }},
		{name: "sums", of: soon(func(i int) float64 { return float64(i%3) / 4 }), adding: Sum, more: func(i int) int { return i * i % 11 }},
		{name: "ended", of: soon(func(i int) float64 { return float64(i % 2) }), ends: func(i int) string { return []string{"", "with", "empty", "after"}[i%4] }},
		{name: "sums that end or are late", of: func(i int) (float64, time.Duration) {
			return 1, []time.Duration{every / 8, every / 4, window + 1}[i%3]
		}, adding: Sum, more: func(i int) int { return i % 5 }, ends: func(i int) string { return []string{"after", ""}[i%2] }},
	}
}

// A view is everything that can be seen of a site: each frame and checkpoint with its time, the
// status, the page for people and the answers to decisions, the ledger, and how many commits were observed.
type view struct {
	sent    []string
	status  []string
	ledger  []string
	commits []int64
	seventh []string // actions that every seventh user saw, with features; not compared
}

// A twin is a site that runs on a clock in a bubble and plays a history.
type twin struct {
	*rig
	tale
	start   time.Time
	given   []dp.Release // nodes of another history that this one gets; nil draws
	drawn   []dp.Release // nodes of this one
	turns   []uint64     // times given to the learner
	logged  uint64       // steps included in drawn and turns
	commits atomic.Int64
	tables  bool            // as in setting
	left    int64           // bytes of the disk; 0 for plenty
	kept    map[string]bool // ids of decisions that the site keeps
	hidden  []string        // answers to them
	scarce  int             // how many of them were refused
	known   map[string]bool // ids of those that the first history keeps
	view    view
	page    *page.Page
	end     context.CancelFunc
	done    chan error
}

// A filling disk has as much room left as was not written yet.
type filling struct {
	vfs.FS
	left *atomic.Int64
}

func (f filling) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: uint64(max(0, f.left.Load())), TotalBytes: 100 * gib}, nil
}

func (f filling) Create(n string, c vfs.DiskWriteCategory) (vfs.File, error) {
	x, err := f.FS.Create(n, c)
	return fillingFile{x, f.left}, err
}

type fillingFile struct {
	vfs.File
	left *atomic.Int64
}

func (f fillingFile) Write(b []byte) (int, error) {
	f.left.Add(-int64(len(b)))
	return f.File.Write(b)
}

// paying is a simulated world that pays what a tale says.
type paying struct {
	tale
	rounds int
	secret func(round int) *tale // what pays for a kept round; nil for a given one
}

// Turn implements [bandit.World].
func (w *paying) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

// Play implements [bandit.World].
func (w *paying) Play(bandit.Arm) (bandit.Reward, error) {
	a := &w.tale
	if secret := w.secret(w.rounds); secret != nil {
		a = secret
	}
	value, _ := a.of(w.rounds)
	w.rounds++
	return bandit.Reward(value), nil
}

// Regret implements [bandit.World].
func (w *paying) Regret(bandit.Arm) float64 { return 0 }

// Save implements [bandit.World].
func (w *paying) Save() []byte { return []byte{byte(w.rounds)} }

// Load implements [bandit.World].
func (w *paying) Load(b []byte) error { w.rounds = int(b[0]); return nil }

// open starts the site, in private mode with coins that are the same in every history, and gives
// it the nodes that it has not had yet.
func (w *twin) open() {
	w.t.Helper()
	if w.left > 0 {
		w.full.Reserve = reserve
		var left atomic.Int64
		left.Store(w.left)
		w.wrap = func(fs vfs.FS) vfs.FS { return filling{fs, &left} }
	}
	c := w.config()
	c.Clock.Start, c.Now = w.start, time.Now
	c.Coins = func() node.Seed { return node.NewSeed(2) }
	c.Store.Observe = func(time.Duration) { w.commits.Add(1) }
	c.Agent = func(l Life) (*node.Agent, error) {
		spec := w.spec()
		return spec.Agent(node.PeerConfig{
			Self: self, Incarnation: l.Incarnation, Keys: vouch.For[protocol.Keys](forgeable.Keys(self)), Topic: true, Seed: node.PeerSeed(1, self), Noise: dp.NewSecureSource(),
		})
	}
	if w.world {
		c.World = func(Life) (bandit.World, error) { return &paying{tale: w.tale, secret: w.keptRound}, nil }
	}
	s, err := Open(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.c, w.s = c, s
	for _, p := range c.Neighbours {
		s.OnRemembered(p, w.net.memory(p), true)
	}
	if w.given != nil {
		s.agent.Replay(w.given[s.state.Released:], dp.Secret{})
	}
	ctx, end := context.WithCancel(context.Background())
	w.end, w.done = end, make(chan error, 1)
	go func() { w.done <- s.Run(ctx, w.net) }()
	w.page = w.watch(ctx)
}

// crash ends the site and leaves only synced data on its disk.
func (w *twin) crash() {
	w.t.Helper()
	w.keep()
	w.stop()
	w.rig.crash()
}

// stop ends the rounds, and fails if they ended by themselves.
func (w *twin) stop() {
	w.end()
	if err := <-w.done; err != nil {
		w.view.sent = append(w.view.sent, fmt.Sprintf("0s: the peer fails: %v", err))
	}
}

// keep records what was drawn.
func (w *twin) keep() {
	w.t.Helper()
	for e, err := range w.s.store.Scan(store.Log, store.Number(w.logged+1), nil) {
		if err != nil {
			w.t.Fatal(err)
		}
		r, err := parseLogRecord(e.Value, w.c.shape())
		if err != nil {
			w.t.Fatal(err)
		}
		w.drawn = append(w.drawn, r.drawn...)
		if r.kind == logChosen {
			w.turns = append(w.turns, r.turn)
		}
		w.logged = store.ReadNumber(e.Key)
	}
}

// until waits until a time.
func (w *twin) until(at time.Time) {
	time.Sleep(time.Until(at))
	synctest.Wait()
}

// play plays rounds and returns what can be seen.
func (w *twin) play(rounds int) view {
	w.net.watch = func(es []protocol.Envelope, m protocol.Checkpoint) {
		at := time.Since(w.start)
		for i := range es {
			w.view.sent = append(w.view.sent, fmt.Sprintf("%v to %d after %d records: %x", at, es[i].To, m.Records, es[i].Message.Frame()))
		}
	}
	var waiting []due
	reported := func(until time.Time) {
		slices.SortStableFunc(waiting, func(a, b due) int { return a.at.Compare(b.at) })
		for len(waiting) > 0 && waiting[0].at.Before(until) {
			w.until(waiting[0].at)
			w.s.Reward(w.t.Context(), waiting[0].reports)
			waiting = waiting[1:]
		}
	}
	w.start = time.Now().Add(every)
	w.rig.takes, w.kept = w.takes, make(map[string]bool)
	w.open()
	n := 0
	for t := range rounds {
		begin := w.start.Add(time.Duration(t) * every)
		at := begin.Add(-every / 5)
		reported(at)
		w.until(at)
		for _, d := range w.net.step(protocol.Round(t)) {
			w.net.inbox <- d
		}
		at = begin.Add(every / 3)
		reported(at)
		w.until(at)
		if t%4 == 1 && t < rounds-4 {
			for v := range w.visitors {
				for _, o := range w.decide(decision.Ask{ID: fmt.Sprint("visitor-", t, "-", v), Subject: fmt.Sprint("visitor-", v)}) {
					for n, r := range w.reports(v, o.Value.ID, 1) {
						waiting = append(waiting, due{at.Add(time.Duration(n+1) * time.Millisecond), []decision.Report{r}})
					}
				}
				if w.tables {
					if _, err := w.s.Table(w.t.Context()); err != nil {
						w.t.Fatal(err)
					}
				}
			}
		}
		if w.secret != nil && !w.world && t < rounds-4 {
			waiting = w.guests(waiting, at, t)
		}
		if !w.world && !w.lonely && t < rounds-4 {
			n = w.decisions(n, func(i int, ids ...string) {
				for k, id := range ids {
					waiting = w.pays(waiting, at, i+k, id, k > 0)
				}
			})
		}
		at = begin.Add(3 * every / 4)
		reported(at)
		w.until(at)
		st := w.status()
		w.view.status = append(w.view.status, fmt.Sprintf("%+v", st))
		w.view.commits = append(w.view.commits, w.commits.Load())
		if t%8 == 7 {
			w.view.status = append(w.view.status, pages(w.t, w.page)...)
		}
		if t == rounds/2 && w.left == 0 {
			w.crash()
			w.open()
		}
	}
	w.keep()
	for _, l := range w.lines() {
		w.view.ledger = append(w.view.ledger, string(l))
	}
	w.stop()
	_ = w.s.store.Close() // a snapshot would be from the middle of a replay
	return w.view
}

// due is what is reported at a time.
type due struct {
	at      time.Time
	reports []decision.Report
}

// pays adds the reports of decision i to what is to be reported, in the newest request or in one more.
func (w *twin) pays(waiting []due, at time.Time, i int, id string, with bool) []due {
	a := &w.tale
	if w.kept[id] && w.secret != nil {
		a = w.secret
	}
	value, after := a.of(i)
	if after == never {
		return waiting
	}
	if a.best != "" {
		c, err := w.s.stored([]byte(id))
		if err != nil {
			w.t.Fatal(err)
		}
		value = float64(protocoltest.Count(c.name(w.arms) == a.best))
	}
	r := a.reports(i, id, value)
	when := at.Add(after)
	for n, more := range r[1:] {
		waiting = append(waiting, due{when.Add(time.Duration(n+1) * time.Millisecond), []decision.Report{more}})
	}
	r = r[:1]
	if a.batches && with {
		waiting[len(waiting)-1].reports = append(waiting[len(waiting)-1].reports, r[0])
		return waiting
	}
	waiting = append(waiting, due{when, r})
	if a.twice {
		waiting = append(waiting, due{when.Add(time.Millisecond), r}, due{when.Add(every), []decision.Report{{ID: id, Value: bandit.Reward(1 - value)}}})
	}
	return waiting
}

// reports returns what is reported of decision i, in order.
func (a *tale) reports(i int, id string, value float64) (all []decision.Report) {
	how, more := "", 0
	if a.ends != nil {
		how = a.ends(i)
	}
	if a.more != nil {
		more = a.more(i)
	}
	if how == "empty" {
		return []decision.Report{{ID: id, End: true, Empty: true}}
	}
	for n := range 1 + more {
		r := decision.Report{ID: id, Value: bandit.Reward(value), End: n == 0 && how == "with"}
		if a.adding == Sum {
			r.Part = fmt.Sprint(n)
		}
		all = append(all, r)
		value = (1 - value) / 2
	}
	if how == "after" {
		all = append(all, decision.Report{ID: id, End: true, Empty: true})
	}
	return all
}

// decisions asks for one decision, and for three in a batch, two of them of one subject. It
// returns the number of the next one, and calls then with the ids of each request.
func (w *twin) decisions(n int, then func(i int, ids ...string)) int {
	w.t.Helper()
	for _, size := range []int{1, 3} {
		var asks []decision.Ask
		var ids []string
		for k := range size {
			a := decision.Ask{ID: fmt.Sprint("visit-", n+k)}
			if w.others && (n+k)%7 == 0 {
				a.Features = w.described(-float64(n + k))
			}
			if w.known[a.ID] && w.secret.lonely {
				continue
			}
			if w.known[a.ID] && w.secret.others && w.describes {
				a.Features = w.described(-float64(n + k))
			}
			if w.left > 0 && w.secret == nil {
				a.ID += strings.Repeat("-", 2000) // the store checks the disk now and then
			}
			if k > 0 {
				a.Subject = fmt.Sprint("subject-", n/12)
			}
			asks, ids = append(asks, a), append(ids, a.ID)
		}
		for k, o := range w.decide(asks...) {
			if w.describes && (n+k)%7 == 0 {
				w.view.seventh = append(w.view.seventh, o.Value.Action+o.Value.Proposed)
				o.Value.Action, o.Value.Propensity, o.Value.Proposed = "", 0, "" // that user may see another one
			}
			if w.keeps(&o) {
				continue
			}
			if w.rules.Shadow.shadows() {
				o.Value.Action, o.Value.Propensity = "", 0 // the application's own
			}
			w.view.status = append(w.view.status, fmt.Sprintf("%+v %v", o.Value, o.Err))
		}
		then(n, ids...)
		n += size
	}
	if w.tables && n%12 == 0 {
		id := fmt.Sprint("visit-", n)
		t, err := w.s.Table(w.t.Context())
		w.view.status = append(w.view.status, fmt.Sprint(t, err))
		for _, o := range w.decide(decision.Ask{ID: id, Table: t.Version}) {
			w.view.status = append(w.view.status, fmt.Sprintf("%+v %v", o.Value, o.Err))
		}
		then(n, id)
		n += 4
	}
	return n
}

// TestHistoriesLookTheSame: two sites with the same decisions and different rewards, reported or
// not, at any time, in any form, show the same, byte for byte and at the same times, if the
// second one gets the nodes that the first one drew: frames, checkpoints, ledger, status, answers
// to decisions, and the number of commits. Every message leaves at the time that the round sets.
// Both crash once. It plays every protocol in all histories, and every learner with every protocol in some.
func TestHistoriesLookTheSame(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Concat(protocols(), byFeatures()) {
		for _, world := range []bool{false, true} {
			if world && slices.Contains(byFeatures(), name) {
				continue // it pays without features
			}
			t.Run(fmt.Sprintf("%s/world=%v", name, world), func(t *testing.T) {
				for _, d := range differences(t, usual(name, AtWindow), world, tales()) {
					t.Error(d)
				}
			})
		}
	}
	for _, world := range []bool{false, true} {
		t.Run(fmt.Sprintf("sites are weighed/world=%v", world), func(t *testing.T) {
			x := usual(nameOf(rows.PhasesParams{}), AtWindow)
			x.learner = bandit.PersonalizedParams{Price: 20}
			for _, d := range differences(t, x, world, tales()) {
				t.Error(d)
			}
		})
	}
	all, histories := pairs(), tales()
	if os.Getenv("PEERD_LONG") == "" {
		histories = slices.DeleteFunc(histories, func(a tale) bool {
			return !slices.Contains([]string{"unreported", "fractions", "other features"}, a.name)
		})
	}
	for _, x := range all {
		for _, explore := range []float64{0, .3} {
			x.explore = explore
			t.Run(fmt.Sprintf("%s/%s/%v/explore=%v", x.protocol, x.learner.Words().Name, x.adjacency, explore), func(t *testing.T) {
				for _, d := range differences(t, x, false, histories) {
					t.Error(d)
				}
			})
		}
	}
	if samplers := slices.DeleteFunc(slices.Clone(all), func(x setting) bool { return x.adjacency != dp.AddOrRemove || !samples(x.learner) }); len(all) < 30 || len(samplers) == 0 {
		t.Errorf("%d pairs, %d of noised counts and a learner that samples: this shows little", len(all), len(samplers))
	}
}

// pairs returns sites with every learner and every protocol that takes it, with public counts and, if it takes those,
// with noised ones.
func pairs() (all []setting) {
	for _, name := range slices.Concat(protocols(), byFeatures()) {
		for _, l := range learner.All() {
			for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddOrRemove} {
				x := usual(name, AtWindow)
				x.learner, x.adjacency = bandit.Small(l), adjacency
				if spec := x.spec(); spec.Check() == nil {
					all = append(all, x)
				}
			}
		}
	}
	return all
}

func samples(l bandit.Params) bool {
	learner, err := bandit.New(l, bandit.Config{Arms: 3, Peers: 3, Horizon: 4096, Epsilon: 1})
	_, is := learner.(bandit.Sampler)
	return err == nil && is
}

// differences plays histories and returns how they can be distinguished from the first one.
func differences(t *testing.T, x setting, world bool, histories []tale) (found []string) {
	t.Helper()
	var want view
	var nodes []dp.Release
	for i, a := range histories {
		x := x
		if world && (a.batches || a.twice || a.adding != "" || a.ends != nil) || a.others && !x.describes {
			continue
		}
		running(t, func(t *testing.T) {
			x.world, x.seed = world, 1
			x.rules.Adding = cmp.Or(a.adding, First)
			w := &twin{rig: newRig(t, x), tale: a, given: nodes, tables: x.tables}
			got := w.play(24)
			if a.others && slices.Equal(want.seventh, got.seventh) {
				t.Fatal("other features lead to no other action: this shows little")
			}
			if i > 0 {
				found = append(found, want.differences(a.name, &got)...)
				return
			}
			want, nodes = got, w.drawn
			if len(nodes) < 6 || len(want.sent) < 10 || len(want.ledger) < 6 {
				t.Fatalf("%d nodes, %d frames and %d ledger lines: this shows little", len(nodes), len(want.sent), len(want.ledger))
			}
		})
	}
	return append(found, want.unpunctual(t)...)
}

// reserve is the free space to keep on a disk that fills.
const reserve = 1 << 20

// TestAFullDiskShowsNoReports: in histories with rewards, reported in any way, and without,
// decisions are refused from the same one on, and rounds continue until the same one. If a report
// came twice, the store writes a little more.
func TestAFullDiskShowsNoReports(t *testing.T) {
	t.Parallel()
	names := protocols()
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		for _, room := range []int64{200 << 10, 300 << 10, 400 << 10} {
			found, stopped := diskDifferences(t, name, reserve+room)
			for _, d := range found {
				t.Errorf("%s, %d KiB: %s", name, room>>10, d)
			}
			if !stopped {
				t.Errorf("%s, %d KiB: the disk did not fill", name, room>>10)
			}
		}
	}
}

// diskDifferences plays all histories on a disk that fills; it also reports whether decisions
// were refused.
func diskDifferences(t *testing.T, name string, left int64) (found []string, refused bool) {
	t.Helper()
	var want view
	var nodes []dp.Release
	for i, a := range tales() {
		if a.twice || a.others || a.more != nil || a.ends != nil {
			continue
		}
		running(t, func(t *testing.T) {
			x := usual(name, AtWindow)
			x.seed = 1
			w := &twin{rig: newRig(t, x), tale: a, given: nodes, left: left}
			got := w.play(40)
			if i > 0 {
				found = append(found, want.differences(a.name, &got)...)
				return
			}
			want, nodes = got, w.drawn
			refused = slices.ContainsFunc(got.status, func(s string) bool { return strings.Contains(s, "disk is full") })
		})
	}
	return found, refused
}

func (v *view) differences(name string, got *view) (found []string) {
	for _, c := range []struct {
		what      string
		want, got []string
	}{{"frame", v.sent, got.sent}, {"status or answer", v.status, got.status}, {"ledger line", v.ledger, got.ledger}} {
		for i := range min(len(c.want), len(c.got)) {
			if c.want[i] != c.got[i] {
				found = append(found, fmt.Sprintf("%s: %s %d is\n%s, without reports\n%s", name, c.what, i, c.got[i], c.want[i]))
				break
			}
		}
		if len(c.want) != len(c.got) {
			found = append(found, fmt.Sprintf("%s: %d of what is a %s, without reports %d", name, len(c.got), c.what, len(c.want)))
		}
	}
	if !slices.Equal(v.commits, got.commits) {
		found = append(found, fmt.Sprintf("%s: commits are counted as %v, without reports as %v", name, got.commits, v.commits))
	}
	return found
}

// unpunctual returns the messages that leave at another time of a round than the set one.
// Messages that a restart sends again leave when it starts.
func (v *view) unpunctual(t *testing.T) (found []string) {
	t.Helper()
	others := make(map[time.Duration]bool)
	for _, s := range v.sent {
		at, err := time.ParseDuration(strings.Fields(s)[0])
		if err != nil {
			t.Fatal(err)
		}
		if at%every != maxOffset {
			others[at] = true
		}
	}
	if len(others) > 1 {
		found = append(found, fmt.Sprintf("messages leave at %v, want %v after the beginning of a round", others, maxOffset))
	}
	return found
}

// TestAClaimEndsTheRound: a round that a neighbour's claim interrupts draws nothing, whether an
// application or a simulated world plays, even though its messages would not leave.
func TestAClaimEndsTheRound(t *testing.T) {
	for _, name := range protocols() {
		for _, world := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/world=%v", name, world), func(t *testing.T) {
				if drawn := afterAClaim(t, name, world); drawn != "" {
					t.Error(drawn)
				}
			})
		}
	}
}

// afterAClaim returns what a site does in a round in which it learns that it is an old copy.
func afterAClaim(t *testing.T, name string, world bool) string {
	t.Helper()
	x := usual(name, AtWindow)
	x.world = world
	r := newRig(t, x)
	r.start()
	for i := range 8 {
		if !world {
			r.ask(decision.Ask{ID: fmt.Sprint(i)})
		}
		r.round()
	}
	before, lines, round := r.s.step, len(r.lines()), r.s.state.Round
	r.s.OnRemembered(left, protocol.Checkpoint{Records: 1 << 20}, true)
	for t := round; t < round+4; t++ {
		if err := r.s.Round(protocol.Round(t), nil); err != nil {
			return err.Error()
		}
	}
	defer func() { _ = r.s.store.Close() }()
	if r.s.step != before || len(r.lines()) != lines {
		return fmt.Sprintf("%d steps and %d ledger records follow the claim", r.s.step-before, len(r.lines())-lines)
	}
	return ""
}
