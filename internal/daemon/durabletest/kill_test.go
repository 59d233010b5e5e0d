//go:build unix

package durabletest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
)

// TestNothingIsLostWhenKilled kills a peer under load again and again, at random times and, with
// the tag failpoint, between commit and answer, and starts it on the same folder. No answer may
// be undone, no reward counted twice, no noise drawn twice, and nothing may have left that is not
// in the ledger. Without the tag, the ledger verifies at the end. PEERD_LONG makes more than 200
// kills with every protocol.
func TestNothingIsLostWhenKilled(t *testing.T) {
	random, exact := 3, 0
	if os.Getenv("PEERD_LONG") != "" {
		random, exact = 100, 70
	}
	if !failpoints {
		exact = 0
	}
	for _, e := range papers.All() {
		t.Run(e.Words().Name, func(t *testing.T) {
			changes, lates := smallProtocol(t, e), false
			if e.Words().Name == "average" { // with what a recorder that never answers can follow, and a window
				changes, lates = append(changes, "protocol.average.consistency", "max", "api.settle", "window", "api.window", "1s"), true
			}
			lab := newLab(t, 2, changes...)
			if protocol.TraitsOf(e).Wide { // its learner has three
				lab.features = [][]float64{{1, 0, 0}, {0, .6, .8}, {.5, .5, -.5}}
			}
			k := newKiller(lab, lates)
			r := rand.New(rand.NewPCG(7, uint64(random)))
			for range random {
				k.random(r)
			}
			for i := range exact {
				k.exact([]string{"decided", "rewarded"}[i%2], 1+r.IntN(60))
			}
			k.finish()
		})
	}
}

// TestKeptDecisionsSurviveKills does the same to a peer that keeps decisions: after each start no decision is missing inside, and in the end the kept half
// has each reward once.
func TestKeptDecisionsSurviveKills(t *testing.T) {
	random, exact := 3, 0
	if os.Getenv("PEERD_LONG") != "" {
		random = 100
		if exact = 70; !failpoints {
			exact = 0
		}
	}
	k := newKiller(newLab(t, 2, "learner.name", "personalized", "protocol.name", "phases", "privacy.mechanism", "each", "privacy.answers", "inside", "give.sites", "20",
		"privacy.horizon", "0", "api.min_exposures", "1"), false)
	r := rand.New(rand.NewPCG(8, uint64(random)))
	for i := range random + exact {
		before, _ := k.app.acknowledged()
		if i < random {
			k.random(r)
		} else {
			k.exact([]string{"decided", "rewarded"}[i%2], 1+r.IntN(60))
		}
		if status, text := k.s.get("/v1/inside"); status == http.StatusOK {
			if in := parsed[api.Inside](text); in.Given+in.Kept < uint64(before) || in.Given > 300 {
				t.Errorf("%d decisions were acknowledged before a kill, and inside are %d given and %d kept", before, in.Given, in.Kept)
			}
		}
	}
	k.finish()
}

// smallProtocol returns changes that choose a protocol with parameters that show everything in a
// few rounds.
func smallProtocol(t *testing.T, e protocol.Params) (changes []string) {
	t.Helper()
	s := plan.Schema().Zero()
	params := protocol.Among(protocol.Small(e, 5), 2) // the killed peer, the first of two, has arms
	s.SetProtocol(params)
	keys := append(plan.Schema().Under("protocol."+e.Words().Name), "protocol.name")
	for _, l := range learner.All() {
		weighs := l.Words().Name == "personalized-linear" && !protocol.TraitsOf(e).Sites
		if bandit.TraitsOf(l).Phased && e.Cadence().Epochs > 0 || bandit.TraitsOf(l).Contextual && protocol.TraitsOf(e).Wide && !weighs {
			s.SetLearner(bandit.Small(l))
			keys = append(append(keys, plan.Schema().Under("learner."+l.Words().Name)...), "learner.name")
		}
	}
	values := s.Values()
	for _, key := range keys {
		changes = append(changes, key, values[key])
	}
	law := dp.Laplace
	if protocol.TraitsOf(e).Wide {
		law, changes = dp.Gaussian, append(changes, "privacy.delta", "0.000001", "api.min_exposures", "0")
	}
	for _, m := range dp.Mechanisms() {
		if protocol.Suits(e, m) && m != dp.None && m.Law() == law {
			return append(changes, "privacy.mechanism", m.String())
		}
	}
	t.Fatalf("no mechanism suits protocol %s", e.Words().Name)
	return nil
}

// A killer kills peer 0 of a lab, whose peer 1 records.
type killer struct {
	*lab
	s        *labSite
	app      *app
	recorder *recorder
	last     []byte // newest ledger line that was seen
	seen     uint64 // its number plus one
	kills    int
	ready    []time.Duration // from exec to /readyz
	first    []time.Duration // from exec to the first durable answer
}

func newKiller(l *lab, lates bool) *killer {
	l.Helper()
	k := &killer{lab: l, s: l.sites[0], recorder: l.sites[1].record()}
	k.app = newApp(k.s, 4, lates)
	k.up(launch{})
	return k
}

// up starts the peer, waits until it answers and releases, and checks that the ledger has
// everything that was seen of it before.
func (k *killer) up(o launch) {
	k.Helper()
	had := k.recorder.mark()
	k.s.start(o)
	ask := func() *appAsk {
		k.app.mu.Lock()
		defer k.app.mu.Unlock()
		return k.app.make(.5)
	}()
	decided, ready := time.Duration(0), time.Duration(0)
	for decided == 0 || ready == 0 {
		if k.s.dead() { // because of a failpoint
			if decided == 0 {
				k.app.giveBack(ask)
			}
			return
		}
		if decided == 0 && k.app.decide(ask) {
			decided = time.Since(k.s.began)
			k.app.giveBack(ask) // for its reward
		}
		if status, _ := k.s.get("/readyz"); ready == 0 && status == http.StatusOK {
			ready = time.Since(k.s.began)
		}
		if time.Since(k.s.began) > 30*time.Second {
			k.Fatalf("not ready: first answer after %v\n%s", decided, k.s.tail())
		}
		time.Sleep(time.Millisecond)
	}
	k.first, k.ready = append(k.first, decided), append(k.ready, ready)
	if status, text := k.s.get("/v1/status"); status == http.StatusOK {
		if d := parsed[api.Status](text); d.LedgerRecords < had.Records {
			k.Errorf("the ledger has %d records after a kill, %d were told the neighbour", d.LedgerRecords, had.Records)
		}
	}
	k.look()
}

// look compares the ledger with what was seen of it, if the peer is alive.
func (k *killer) look() {
	k.Helper()
	if k.seen > 0 {
		status, text := k.s.get(fmt.Sprintf("/v1/ledger?from=%d&limit=1", k.seen-1))
		if status == http.StatusOK && text != string(k.last)+"\n" {
			k.Errorf("ledger record %d is %q, was %q", k.seen-1, text, k.last)
		}
	}
	status, text := k.s.get("/v1/status")
	if status != http.StatusOK {
		return
	}
	n := parsed[api.Status](text).LedgerRecords
	if status, text = k.s.get(fmt.Sprintf("/v1/ledger?from=%d&limit=1", n-1)); status == http.StatusOK {
		k.seen, k.last = n, []byte(text[:max(0, len(text)-1)])
	}
}

// random kills the running peer at a random time and starts it again; every third time it is
// killed again while it starts.
func (k *killer) random(r *rand.Rand) {
	k.Helper()
	time.Sleep(time.Duration(r.Int64N(int64(60 * time.Millisecond))))
	k.s.kill()
	k.kills++
	if k.kills%3 == 0 {
		k.s.start(launch{})
		time.Sleep(time.Duration(r.Int64N(int64(250 * time.Millisecond))))
		k.s.kill()
		k.kills++
	}
	k.up(launch{})
}

// exact kills the peer when it passes a place for the n-th time.
func (k *killer) exact(place string, n int) {
	k.Helper()
	k.s.stop()
	k.up(launch{env: []string{fmt.Sprintf("PEERD_FAILPOINT=%s:%d", place, n)}})
	k.s.ends(20 * time.Second)
	if k.s.cmd.ProcessState.Exited() {
		k.Fatalf("ended by itself: %v\n%s", k.s.cmd.ProcessState, k.s.tail())
	}
	k.kills++
	k.up(launch{})
}

// finish makes all checks.
func (k *killer) finish() {
	k.Helper()
	k.app.end(k.T)
	b := settled(k.app, k.recorder)
	if !failpoints { // with them, the ledger's program differs from the published one, and it is refused
		k.s.verified()
	}
	decisions, rewards := k.app.acknowledged()
	k.Logf("%d kills, %d decisions and %d rewards acknowledged; %d asked for again meanwhile, all in the end", k.kills, decisions, rewards, k.app.again)
	k.Logf("%d messages recorded by the neighbour, %d records in the ledger", len(k.recorder.received()), b.size)
	if !k.Failed() {
		k.Log("0 lost, 0 counted twice; all that left follows from the ledger, and nothing came with two values")
	}
	k.speed("exec to /readyz", k.ready)
	k.speed("exec to first durable answer", k.first)
}

// speed reports times and fails if they are too long.
func (k *killer) speed(what string, ds []time.Duration) {
	k.Helper()
	slices.Sort(ds)
	n := len(ds)
	p99 := ds[min(n-1, n*99/100)]
	k.Logf("%s: p50 %v, p99 %v, max %v (%d starts)", what, ds[n/2].Round(time.Millisecond), p99.Round(time.Millisecond), ds[n-1].Round(time.Millisecond), n)
	if p99 >= time.Second && os.Getenv("PEERD_LONG") != "" {
		k.Errorf("%s: p99 %v, want under 1 s", what, p99)
	}
}
