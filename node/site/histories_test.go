package site

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node/decision"
	"peerd.dev/protocol"
)

// TestLedgerNeverBelowReleased plays random histories of decisions, rewards, rounds,
// stops, crashes, restored backups, wiped disks and recoveries. Before every message
// that leaves, the ledger of that life is checked as others would check it, all that
// the message says must stand in it, and no node may have left before with other noise,
// in any life. PEERD_HISTORIES says how many.
func TestLedgerNeverBelowReleased(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	if s := os.Getenv("PEERD_HISTORIES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	workers := runtime.GOMAXPROCS(0)
	var next atomic.Int64
	sums := make([]tally, workers)
	t.Run("histories", func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				for seed := next.Add(1); seed <= int64(n); seed = next.Add(1) {
					if !t.Run(fmt.Sprint(seed), func(t *testing.T) { history(t, uint64(seed), &sums[w]) }) {
						return
					}
				}
			})
		}
	})
	var all tally
	for _, s := range sums {
		all.sends += s.sends
		all.nodes += s.nodes
		all.stops += s.stops
		all.crashes += s.crashes
		all.restores += s.restores
		all.wipes += s.wipes
		all.recovered += s.recovered
		all.forks += s.forks
		all.spent += s.spent
	}
	t.Logf("%d histories: %+v", n, all)
	if n >= 100 && (all.recovered < n/4 || all.spent == 0 || all.sends < 10*n) {
		t.Error("these histories show little")
	}
}

// tally counts what happened.
type tally struct {
	sends, nodes, stops, crashes, restores, wipes, recovered, forks, spent int
}

// past is a history under way.
type past struct {
	*rig
	rng     *rand.Rand
	books   *books
	draft   *draft
	backups []*vfs.MemFS
	ids     []string
	notes   []string // of what happened
	tally   *tally
}

func (p *past) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func history(t *testing.T, seed uint64, sum *tally) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := usual(protocols()[rng.IntN(len(protocols()))], []Settle{AtWindow, OnArrival}[rng.IntN(2)])
	x.rules.Window = every
	x.rules.PerSubject = 1 << 20
	x.horizon = []uint64{24, 80, 400}[rng.IntN(3)]
	x.saveEvery = 1 + rng.Uint64N(40)
	x.seed = seed
	p := &past{rig: newRig(t, x), rng: rng, books: newBooks(t), tally: sum}
	p.net.watch = p.leaves
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(p.notes, "\n"))
		}
	})
	p.begin()
	for range 30 + rng.IntN(50) {
		p.act()
	}
	p.net.watch = nil
	sum.nodes += len(p.books.nodes)
	_ = p.s.store.Close()
}

// begin starts a life, or goes on with one.
func (p *past) begin() {
	p.t.Helper()
	p.open()
	p.draft = newDraft()
	p.refresh()
	ends := []protocol.Peer{left, right}
	p.rng.Shuffle(2, func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	hasty := p.rng.IntN(2) == 0
	for _, n := range ends {
		if p.s.OnRemembered(n, p.net.memory(n)); hasty && p.s.OldCopy() {
			break // the daemon leaves the network with the alarm, so that no other is heard
		}
	}
	p.again()
	p.note("a life begins with %d records of the ledger, incarnation %d; peers remember %d and %d: %s",
		p.s.chain.Next, p.s.life.Incarnation, p.net.memory(left).Records, p.net.memory(right).Records, p.s.reason())
}

// refresh takes new lines of the ledger in.
func (p *past) refresh() {
	p.t.Helper()
	from := uint64(0)
	if n := len(p.draft.seqs); n > 0 {
		from = p.draft.seqs[n-1] + 1
	}
	var lines [][]byte
	for line, err := range Records(p.s.store, from, 1<<62) {
		if err != nil {
			p.t.Fatal(err)
		}
		lines = append(lines, line)
	}
	p.draft.add(p.t, lines)
}

// leaves sees what is sent.
func (p *past) leaves(es []protocol.Envelope, m protocol.Checkpoint) {
	p.t.Helper()
	if p.s.blocked.evidence != nil || !p.s.blocked.open {
		p.t.Fatal("something is sent by a site that is blocked")
	}
	p.tally.sends++
	p.refresh()
	if slices.ContainsFunc(es, func(e protocol.Envelope) bool { return e.To != right || !p.net.peers[right].deaf }) {
		p.books.leaves(p.draft, m)
	}
	for i := range es {
		covered(p.t, &p.setting, p.draft, es[i].Message)
	}
}

func (p *past) act() {
	switch x := p.rng.IntN(100); {
	case x < 30:
		var asks []decision.Ask
		for range 1 + p.rng.IntN(4) {
			asks = append(asks, decision.Ask{ID: fmt.Sprint(p.rng.IntN(1 << 30))})
		}
		for _, o := range p.decide(asks...) {
			if o.Err != nil {
				p.t.Fatal(o.Err)
			}
			p.ids = append(p.ids, o.Value.ID)
		}
	case x < 50:
		for range 1 + p.rng.IntN(4) {
			if len(p.ids) > 0 {
				_, _ = p.report(p.ids[len(p.ids)-1-p.rng.IntN(min(len(p.ids), 8))], p.rng.Float64()) // may be forgotten with a life
			}
		}
	case x < 80:
		p.play(1 + p.rng.IntN(3))
		if p.mute = p.rng.IntN(10) == 0; p.mute { // a crash comes before it is sent
			p.play(1)
			p.fall()
		}
	case x < 84:
		p.net.peers[right].deaf = !p.net.peers[right].deaf
	case x < 88:
		p.tally.stops++
		behind := p.s.OldCopy()
		p.stop()
		p.begin()
		p.upright(behind)
	case x < 92:
		p.fall()
	case x < 95 && p.net.memory(left) == p.s.Checkpoint(): // see docs/proofs/skip.md, on what is assumed
		p.backups = append(p.backups, p.disk.CrashClone(vfs.CrashCloneCfg{}))
	case x < 98 && len(p.backups) > 0:
		p.tally.restores++
		_ = p.s.store.Close()
		p.disk = p.backups[p.rng.IntN(len(p.backups))].CrashClone(vfs.CrashCloneCfg{})
		p.begin()
		p.recover()
	case x == 98:
		p.tally.wipes++
		_ = p.s.store.Close()
		p.disk = vfs.NewCrashableMem()
		p.begin()
		p.recover()
	}
}

// fall crashes, and goes on with what is left on the disk.
func (p *past) fall() {
	p.tally.crashes++
	was, behind := p.disk, p.s.OldCopy()
	p.disk = was.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: p.rng.IntN(101), RNG: p.rng})
	_ = p.s.store.Close()
	p.mute = false
	p.begin()
	p.upright(behind)
}

// play ends rounds, as Run does.
func (p *past) play(n int) {
	for range n {
		if p.s.isBlocked() {
			p.clock.add(every)
			continue
		}
		p.round()
	}
	if got := p.status(); got.Spent != 1 || got.Left != 0 {
		p.t.Fatalf("ε %v is charged and %v left, want 1 and 0", got.Spent, got.Left)
	}
}

// upright holds a site to account that was only stopped.
func (p *past) upright(behind bool) {
	p.t.Helper()
	if p.s.OldCopy() != behind {
		p.t.Fatalf("a site that was stopped was taken for an old copy: %v; now %+v, and here are %d records", behind, p.s.blocked.evidence, p.s.chain.Next)
	}
}

// recover goes on after a restored backup or a wiped disk: mostly as an operator should.
func (p *past) recover() {
	for range 5 {
		if !p.s.OldCopy() {
			return
		}
		if p.rng.IntN(8) == 0 {
			return // stays silent
		}
		p.stop()
		p.open()
		a, err := p.s.Recover(nil)
		if err != nil {
			p.t.Fatalf("%v: peers remember %+v", err, p.s.blocked.evidence)
		}
		p.note("%+v", a)
		p.tally.recovered++
		if a.Spent {
			p.tally.spent++
		}
		p.stop()
		p.begin()
	}
	p.t.Fatal("after five recoveries the peer is still behind")
}
