//go:build unix

package durabletest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
)

// An app is a site's application that never gives up: it asks for decisions and reports their
// rewards, repeats unanswered requests with the same id, and checks all answers of the peer.
type app struct {
	s     *labSite
	lates bool // a window may end before a reward is accepted

	mu     sync.Mutex
	asks   []*appAsk
	undone []*appAsk // no longer in progress, and not answered
	faults []string
	again  int // answers that were asked for again and were the same

	stop chan struct{}
	all  sync.WaitGroup
}

type appAsk struct {
	id       string
	value    float64
	action   string // in the first answer
	decided  bool
	kept     bool // the decision is not given
	rewarded bool // the reward was accepted
	late     bool // it was not, because its window had ended
}

// newApp begins to ask from a number of goroutines.
func newApp(s *labSite, callers int, lates bool) *app {
	a := &app{s: s, lates: lates, stop: make(chan struct{})}
	for i := range callers {
		a.all.Go(func() { a.call(rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	return a
}

func (a *app) call(r *rand.Rand) {
	for {
		select {
		case <-a.stop:
			return
		default:
		}
		ask := a.next(r)
		if !a.try(ask) {
			a.giveBack(ask)
			time.Sleep(2 * time.Millisecond)
			continue
		}
		time.Sleep(time.Duration(r.IntN(2)) * time.Millisecond)
		if r.IntN(10) == 0 {
			a.check(a.pick(r))
		}
	}
}

func (a *app) next(r *rand.Rand) *appAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.undone); n > 0 {
		ask := a.undone[0]
		a.undone = a.undone[1:]
		return ask
	}
	return a.make(r.Float64())
}

func (a *app) make(value float64) *appAsk {
	ask := &appAsk{id: fmt.Sprintf("app-%d", len(a.asks)), value: value}
	a.asks = append(a.asks, ask)
	return ask
}

func (a *app) giveBack(ask *appAsk) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.undone = append(a.undone, ask)
}

// pick returns an ask that was answered, or nil.
func (a *app) pick(r *rand.Rand) *appAsk {
	a.mu.Lock()
	defer a.mu.Unlock()
	ask := a.asks[r.IntN(len(a.asks))]
	if !ask.rewarded {
		return nil
	}
	return ask
}

// try sends the requests that have no answer yet, and reports whether all have one now.
func (a *app) try(ask *appAsk) bool {
	if !a.decide(ask) {
		return false
	}
	_, status, text := a.s.reward(ask.id, ask.value)
	switch {
	case status == http.StatusOK:
		a.mu.Lock()
		ask.rewarded = true
		a.mu.Unlock()
	case status == http.StatusGone && a.lates:
		a.mu.Lock()
		ask.late = true
		a.mu.Unlock()
	case status == 0:
		return false
	default:
		a.fault("reward of %s: %d %s", ask.id, status, text)
	}
	return true
}

func (a *app) decide(ask *appAsk) bool {
	if ask.decided {
		return true
	}
	d, status, text := a.s.decide(ask.id)
	switch {
	case status == 0 || status == http.StatusServiceUnavailable:
		return false
	case status != http.StatusOK:
		a.fault("decision %s: %d %s", ask.id, status, text)
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	ask.decided, ask.action, ask.kept = true, d.Action, d.Kept
	return true
}

// check repeats answered requests.
func (a *app) check(ask *appAsk) {
	if ask == nil {
		return
	}
	d, status, text := a.s.decide(ask.id)
	if status == 0 {
		return
	}
	if status != http.StatusOK || !d.Repeated || d.Action != ask.action || d.Kept != ask.kept {
		a.fault("decision %s again: %d %s, was %s", ask.id, status, text, ask.action)
	}
	r, status, text := a.s.reward(ask.id, ask.value)
	if status == 0 {
		return
	}
	if status != http.StatusOK || !r.Duplicate {
		a.fault("reward of %s again: %d %s", ask.id, status, text)
		return
	}
	a.mu.Lock()
	a.again++
	a.mu.Unlock()
}

func (a *app) fault(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.faults) < 20 {
		a.faults = append(a.faults, fmt.Sprintf(format, args...))
	}
}

// acknowledged returns how many decisions and rewards were answered.
func (a *app) acknowledged() (decisions, rewards int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, ask := range a.asks {
		if ask.decided {
			decisions++
		}
		if ask.rewarded {
			rewards++
		}
	}
	return decisions, rewards
}

// end stops asking, repeats everything that was ever asked for, and fails the test if an answer
// differs. The peer must be running.
func (a *app) end(t *testing.T) {
	t.Helper()
	close(a.stop)
	a.all.Wait()
	for _, ask := range a.asks {
		if !ask.rewarded && !ask.late && !a.try(ask) {
			t.Fatalf("no answer to %s\n%s", ask.id, a.s.tail())
		}
	}
	for part := range slices.Chunk(a.asks, 500) {
		a.checkAll(t, part)
	}
	for _, f := range a.faults {
		t.Error(f)
	}
}

// checkAll is check for many asks.
func (a *app) checkAll(t *testing.T, part []*appAsk) {
	t.Helper()
	type item struct {
		Status   int
		Decision labDecision
		Receipt  labReceipt
	}
	ask := func(path string, doc any) []item {
		status, text := a.s.post(path, doc)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		return parsed[struct{ Outcomes []item }](text).Outcomes
	}
	ids, rewards := []labAsk{}, []map[string]any{}
	for _, k := range part {
		ids = append(ids, labAsk{k.id, a.s.features})
		rewards = append(rewards, map[string]any{"id": k.id, "value": k.value})
	}
	for i, o := range ask("/v1/decisions/batch", map[string]any{"decisions": ids}) {
		if k := part[i]; o.Status != http.StatusOK || !o.Decision.Repeated || o.Decision.Action != k.action {
			t.Errorf("decision %s is %+v in the end, was %s", k.id, o, k.action)
		}
	}
	for i, o := range ask("/v1/rewards/batch", map[string]any{"rewards": rewards}) {
		k := part[i]
		if k.rewarded && (o.Status != http.StatusOK || !o.Receipt.Duplicate) || k.late && o.Status != http.StatusGone {
			t.Errorf("reward of %s is %+v in the end, taken before: %v", k.id, o, k.rewarded)
		}
	}
}

// tally returns what the peer must have observed of given decisions, and of kept ones if these are asked for: by arm, decisions and the exact sum of
// rewards on the lattice.
func (a *app) tally(t *testing.T, arms []string, kept bool) (counts []uint64, sums []int64) {
	t.Helper()
	counts, sums = make([]uint64, len(arms)), make([]int64, len(arms))
	for _, ask := range a.asks {
		if ask.kept && !kept {
			continue
		}
		k := slices.Index(arms, ask.action)
		counts[k]++
		if !ask.rewarded {
			continue // the default is 0
		}
		q := require.Value(dp.Quantize(ask.value, 0, 1))(t)
		sums[k] += q
	}
	return counts, sums
}

// inside waits until the kept half has all rewards, and compares it with what was reported.
func (a *app) inside() {
	a.s.Helper()
	var in api.Inside
	a.s.await("all rewards are inside", time.Minute, func() bool {
		_, text := a.s.get("/v1/inside")
		in = parsed[api.Inside](text)
		return in.Pending == 0
	})
	counts, sums := a.tally(a.s.T, a.s.settings().Arms, true)
	for k, x := range in.Actions {
		if x.Decisions != counts[k] || x.Rewards != float64(counts[k]) || math.Abs(x.Mean*x.Rewards-float64(sums[k])/(1<<20)) > 1e-6*x.Rewards {
			a.s.Errorf("inside: %+v, made %d with exact sums of %d", x, counts[k], sums[k])
		}
	}
	given, _ := a.tally(a.s.T, a.s.settings().Arms, false)
	a.s.Logf("inside: %d given, %d kept, by action %d, of them given %d", in.Given, in.Kept, counts, given)
}

// settled waits until all rewards are observed, stops the peer, and compares what it observed and
// released with what was reported, and with what a neighbour received. It returns the ledger.
func settled(a *app, rec *recorder) *book {
	s := a.s
	s.Helper()
	s.await("all rewards are taken in", time.Minute, func() bool { return s.status().Pending == 0 })
	if s.settings().Privacy.Answers == config.Inside {
		a.inside()
	}
	mark, received := rec.mark(), rec.received() // before the ledger is read: rounds go on in between
	d, lines := s.status(), s.lines()
	s.stop()
	counts, sums := a.tally(s.T, s.settings().Arms, false)
	v := vault{counts: counts}
	if s.settings().Privacy.Answers != config.Inside { // whose agent has one value more
		v = openVault(s.T, s)
	}
	// With epochs, only rewards of exploring decisions are observed.
	taken := slices.Equal(v.counts, counts) && (!v.whole || slices.Equal(v.sums, sums))
	if s.settings().ProtocolParams().Cadence().Epochs > 0 {
		taken = slices.Max(v.counts) > 0 && !slices.ContainsFunc(v.counts, func(n uint64) bool { return n > slices.Max(counts) })
	}
	if s.features != nil { // it does not show which actions were chosen, and one stream is for all
		all := uint64(0)
		for _, n := range counts {
			all += n
		}
		taken, counts = slices.Equal(v.counts, []uint64{all}), nil
	}
	if !slices.Equal(d.Pulls, counts) || !taken {
		s.Errorf("taken in: %v decisions, %v rewards with exact sums %v\nmade: %v, reported: %v", d.Pulls, v.counts, v.sums, counts, sums)
	}
	b := require.Value(readBook(lines))(s)
	if b.size < mark.Records {
		s.Errorf("the ledger has %d records, %d were told the neighbour", b.size, mark.Records)
	}
	for _, m := range received {
		if err := b.explain(m.Message); err != nil {
			s.Errorf("left the peer and is not in the ledger: %v", err)
		}
	}
	for _, c := range rec.contradictions() {
		s.Errorf("left the peer with two values: %s", c)
	}
	return b
}
