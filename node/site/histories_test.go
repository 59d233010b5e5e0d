package site

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/node/store/storetest"
	"peerd.dev/protocol"
)

// TestLedgerNeverBelowReleased plays random histories of decisions, rewards, rounds, full disks,
// stops, crashes, changed settings, neighbours that come and go, restored backups, wiped disks
// and recoveries, with some neighbours away. Before every message that leaves, the ledger of that
// life is checked as others would check it; all of the message's content must be in it, no node
// may have left before with other noise, and no record may be in two leaves, in any life. One
// history in 32 is played on the real store, the others on one in memory. PEERD_HISTORIES sets
// the number of histories, PEERD_HISTORIES_FROM the first one.
func TestLedgerNeverBelowReleased(t *testing.T) {
	t.Parallel()
	n, from := number(t, "PEERD_HISTORIES", 400), number(t, "PEERD_HISTORIES_FROM", 1)
	if testing.Short() {
		n = min(n, 200)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // few objects live long
	workers := runtime.GOMAXPROCS(0)
	var next atomic.Int64
	next.Store(int64(from) - 1)
	sums := make([]tally, workers)
	t.Run("histories", func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				for seed := next.Add(1); seed < int64(from+n) && !t.Failed(); seed = next.Add(1) {
					history(t, uint64(seed), &sums[w])
				}
			})
		}
	})
	var all tally
	for i := range sums {
		v, sum := reflect.ValueOf(sums[i]), reflect.ValueOf(&all).Elem()
		for k := range v.NumField() {
			sum.Field(k).SetInt(sum.Field(k).Int() + v.Field(k).Int())
		}
	}
	t.Logf("%d histories: %+v", n, all)
	if n < 200 || t.Failed() {
		return
	}
	v := reflect.ValueOf(all)
	for k := range v.NumField() {
		if v.Field(k).Int() < int64(n)/100 {
			t.Errorf("these histories show little: %s %d", v.Type().Field(k).Name, v.Field(k).Int())
		}
	}
}

// number reads a number from the environment.
func number(t *testing.T, name string, usual int) int {
	t.Helper()
	if s := os.Getenv(name); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return usual
}

// tally counts what happened.
type tally struct {
	Sends, Nodes, Records, Stops, Crashes, Restores, Wipes, Recovered, Without, Again, Blocked, Spent, Joined, Removed, Changed, Full, Worlds, Spreads int
}

// past is a history under way.
type past struct {
	*rig
	seed    uint64
	rng     *rand.Rand
	books   *books
	draft   *draft
	backups []backup
	ids     []string
	notes   []string // of what happened
	tally   *tally
	spoken  bool                // peers have exchanged what they remember
	older   bool                // the folder was restored or wiped
	resent  bool                // what was left in the outbox was sent
	left    uint64              // records of the longest ledger that has left
	third   protocol.Checkpoint // the checkpoint that the joined neighbour remembers; nothing cuts it off
}

// backup is a copy of a folder.
type backup struct {
	disk    *vfs.MemFS
	memory  *storetest.Memory
	records uint64   // in the ledger
	knew    []string // ids of its witnesses
}

// joined is the neighbour that comes later.
const joined protocol.Peer = 3

func (p *past) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func history(t *testing.T, seed uint64, sum *tally) {
	rng := rand.New(rand.NewPCG(seed, 0))
	names := slices.Concat(protocols(), byFeatures())
	x := usual(names[rng.IntN(len(names))], []Settle{AtWindow, OnArrival}[rng.IntN(2)])
	x.rules.Window = every
	x.rules.PerSubject = 1 << 20
	x.horizon = []uint64{64, 200, 800}[rng.IntN(3)]
	x.saveEvery = 1 + rng.Uint64N(40)
	x.seed = seed
	x.pinned = []Pinned{{Key: "setting", Value: "one"}}
	x.neighbours = []protocol.Peer{left, right}
	if rng.IntN(4) == 0 && !x.describes {
		x.worlds = func() bandit.World { return newDeck(len(x.arms), 1000) }
		sum.Worlds++
	}
	p := &past{rig: newRig(t, x), seed: seed, rng: rng, books: newBooks(t), tally: sum}
	if seed%32 != 0 {
		p.memory = storetest.NewMemory()
		p.memory.Watch = p.watch
		p.books.names = p.names
	}
	p.net.watch = p.leaves
	p.net.outrun = func() bool { return rng.IntN(16) == 0 }
	failed := true
	defer func() {
		if failed {
			t.Logf("history %d:\n%s", seed, strings.Join(p.notes, "\n"))
		}
	}()
	p.begin()
	for range 30 + rng.IntN(50) {
		p.act()
	}
	p.net.watch = nil
	sum.Nodes += len(p.books.nodes)
	sum.Records += len(p.books.leafs)
	_ = p.s.store.Close()
	failed = t.Failed()
}

// begin starts or continues a life, and makes the neighbours that are present report.
func (p *past) begin() {
	p.t.Helper()
	p.open()
	p.reread()
	p.resent = false
	ends := slices.Clone(p.c.Neighbours)
	p.rng.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	hasty := p.rng.IntN(2) == 0
	for _, n := range ends {
		if p.report1(n); hasty && p.s.OldCopy() {
			break // the daemon leaves the network after the alarm, so no other report is heard
		}
	}
	if p.rng.IntN(2) == 0 {
		p.clock.add(2 * standing.Grace)
	}
	p.note("a life begins with %d records of the ledger, incarnation %d; peers remember %d and %d, away: %v and %v: %s",
		p.s.chain.Next, p.s.life.Incarnation, p.net.memory(left).Records, p.net.memory(right).Records, p.net.peers[left].deaf, p.net.peers[right].deaf, p.s.standing.Reason())
	p.send()
}

// report1 makes a neighbour report what it remembers, if it is present.
func (p *past) report1(n protocol.Peer) {
	switch {
	case !slices.Contains(p.c.Neighbours, n):
	case n == joined:
		p.s.OnRemembered(n, p.third, true)
	case !p.net.peers[n].deaf:
		p.s.OnRemembered(n, p.net.memory(n), true)
	}
}

// send sends what was left in the outbox, once the site is not blocked.
func (p *past) send() {
	p.t.Helper()
	if !p.resent && !p.s.isBlocked() {
		p.resent = true
		p.again()
	}
}

// reread reads the ledger with which a life begins: only new lines, if it continues the last one.
func (p *past) reread() {
	p.t.Helper()
	if d := p.draft; d != nil {
		last := len(d.lines) - 1
		line, err := p.s.store.Get(store.Ledger, store.Number(d.seqs[last]))
		if err != nil || !bytes.Equal(line, d.lines[last]) {
			p.draft = nil
		}
	}
	if p.draft == nil {
		p.draft = newDraft()
	}
	p.refresh()
}

// refresh reads new lines of the ledger.
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
	if p.s.standing.Reason() != "" {
		p.t.Fatal("something is sent by a site that is blocked")
	}
	p.tally.Sends++
	p.refresh()
	if slices.ContainsFunc(es, p.reaches) {
		p.books.leaves(p.draft, m)
		p.left = max(p.left, m.Records)
		if slices.Contains(p.c.Neighbours, joined) {
			p.third = m
		}
	}
	for i := range es {
		covered(p.t, &p.setting, p.draft, es[i].Message)
	}
}

// reaches reports whether a peer receives a message.
func (p *past) reaches(e protocol.Envelope) bool {
	for _, n := range []protocol.Peer{left, right} {
		if (e.To == n || e.To == protocol.Everyone) && !p.net.peers[n].deaf && !p.net.peers[n].gone {
			return true
		}
	}
	return false
}

// namesTable is where a store in memory keeps the names of records: of those in a leaf, and of
// those that wait in a stream's open leaf. Names written with a step are lost or restored with
// it.
const namesTable store.Table = 15

func leafKey(s dp.StreamID, leaf uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{byte(s)}, leaf)
}

func openKey(s dp.StreamID) []byte { return []byte{byte(s)} }

func (p *past) names(s dp.StreamID, leaf uint64) []string {
	return split(p.memory.Get(namesTable, leafKey(s, leaf)))
}

func split(b []byte) []string { return strings.Fields(string(b)) }

// watch adds the names of records to the batch that writes them: a decision's id, or the record
// of its world that a site played.
func (p *past) watch(b *store.Batch) {
	for _, line := range storetest.Written(b, store.Ledger) {
		if bytes.Contains(line, []byte(`"kind":"gap"`)) { // the open leaves are abandoned
			for s := range p.c.Streams {
				b.Set(namesTable, openKey(dp.StreamID(s)), nil)
			}
		}
	}
	for _, v := range storetest.Written(b, store.Log) {
		e, err := parseLogRecord(v, p.c.shape())
		if err != nil {
			p.t.Fatal(err)
		}
		p.assign(b, &e)
	}
}

// assign assigns the records of a step to leaves.
func (p *past) assign(b *store.Batch, e *logRecord) {
	open := make(map[dp.StreamID][]string)
	waiting := func(s dp.StreamID) []string {
		if _, ok := open[s]; !ok {
			open[s] = split(p.memory.Get(namesTable, openKey(s)))
		}
		return open[s]
	}
	i := 0
	for _, id := range storetest.Written(b, store.Past) {
		c, err := parseChoice(p.memory.Get(store.Decision, id), p.c.shape())
		if err != nil {
			p.t.Fatal(err)
		}
		if c.counted && c.route.In {
			s := e.observations[i].route.Stream
			open[s] = append(waiting(s), string(id))
			i++
		}
	}
	if i != len(e.observations) {
		p.t.Fatalf("%d of %d rewards have a name", i, len(e.observations))
	}
	if e.played != nil {
		s := dp.StreamID(e.played.Arm)
		open[s] = append(waiting(s), fmt.Sprintf("%d/%v", e.played.Arm, float64(e.played.Reward)))
	}
	leaves := make(map[string][]string)
	for i := range e.drawn {
		r := &e.drawn[i]
		s, over := r.Stream(), r.Span()
		n := int(r.Count(0))
		for k := over.From + 1; k < over.To; k++ {
			names, ok := leaves[string(leafKey(s, k))]
			if !ok {
				names = p.names(s, k)
			}
			n -= len(names)
		}
		all := waiting(s)
		if n < 0 || n > len(all) {
			p.t.Fatalf("leaf %d of stream %d has %d records, and %d have names", over.To, s, n, len(all))
		}
		leaves[string(leafKey(s, over.To))] = all[:n]
		open[s] = all[n:]
	}
	for s, names := range open {
		b.Set(namesTable, openKey(s), []byte(strings.Join(names, " ")))
	}
	for k, names := range leaves {
		b.Set(namesTable, []byte(k), []byte(strings.Join(names, " ")))
	}
}

func (p *past) act() {
	switch x := p.rng.IntN(120); {
	case x < 30 && p.worlds == nil:
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
	case x < 50 && p.worlds == nil:
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
	case x < 86:
		n := []protocol.Peer{left, right}[p.rng.IntN(2)]
		if p.net.peers[n].deaf = !p.net.peers[n].deaf; !p.s.OldCopy() {
			p.report1(n)
			p.send()
		}
	case x < 90:
		p.tally.Stops++
		behind := p.s.OldCopy()
		p.stop()
		p.begin()
		p.upright(behind)
	case x < 94:
		p.fall()
	case x < 98 && p.left == p.net.memory(left).Records && p.left <= p.s.chain.Next && !p.s.isBlocked(): // otherwise no neighbour remembers what left
		p.stop()
		p.backups = append(p.backups, backup{p.cloneDisk(), p.cloneMemory(), p.s.chain.Next, p.s.standing.Witnesses()})
		p.begin()
	case x < 104 && len(p.backups) > 0:
		p.restore(p.backups[p.rng.IntN(len(p.backups))])
	case x == 104 && p.witnessed(2) && p.byHalf(2, nil):
		p.tally.Wipes++
		p.older = true
		_ = p.s.store.Close()
		p.disk = vfs.NewCrashableMem()
		if p.memory != nil {
			p.memory = storetest.NewMemory()
			p.memory.Watch = p.watch
		}
		p.begin()
		p.recover()
	case x < 108:
		p.change()
	case x < 111 && !p.s.OldCopy():
		p.rewire()
	case x < 115 && p.memory != nil:
		p.fill()
	case x < 118:
		for _, n := range p.c.Neighbours {
			p.report1(n) // they are asked now and then
		}
	case x < 121:
		p.spread()
	}
}

// spread lets the peers hear from each other what they remember, as [gossip.Host.TradeMemories] does, and show it to the site.
func (p *past) spread() {
	p.tally.Spreads++
	p.spoken = true
	highest := p.third
	for _, n := range []protocol.Peer{left, right} {
		if m := p.net.memory(n); m.Records > highest.Records {
			highest = m
		}
	}
	for _, n := range []protocol.Peer{left, right} {
		if p.net.memory(n).Records < highest.Records {
			p.net.hear(n, highest)
		}
	}
	if p.third.Records < highest.Records {
		p.third = highest
	}
	if highest.Records == 0 {
		return
	}
	for _, n := range []protocol.Peer{left, right, joined} { // linked or not
		if p.rng.IntN(2) == 0 && (n == joined || !p.net.peers[n].deaf) {
			p.s.OnMemory(n, highest)
		}
	}
}

// witnessed reports whether any neighbour remembers what a folder of n records lacks: a message
// that left and that no neighbour stored cannot be detected.
func (p *past) witnessed(n uint64) bool {
	return p.left <= n || p.net.memory(left).Records > n || p.net.memory(right).Records > n || p.third.Records > n
}

// byHalf reports whether at least half of the neighbours for which a folder of n records waits
// remember more: its witnesses, or all neighbours if it has none. Fewer cannot detect the
// rollback.
func (p *past) byHalf(n uint64, ids []string) bool {
	if p.left <= n {
		return true
	}
	if len(ids) == 0 {
		for _, of := range p.neighbours {
			ids = append(ids, fmt.Sprint("peer ", of))
		}
	}
	know := 0
	for _, id := range ids {
		memory := p.third
		if of := protocol.Peer(slices.Index([]string{"peer 0", "peer 1", "peer 2"}, id)); id != "peer 3" {
			memory = p.net.memory(of)
		}
		if memory.Records > n {
			know++
		}
	}
	return 2*know >= len(ids)
}

func (p *past) cloneDisk() *vfs.MemFS { return p.disk.CrashClone(vfs.CrashCloneCfg{}) }

func (p *past) cloneMemory() *storetest.Memory {
	if p.memory == nil {
		return nil
	}
	return p.memory.Crash(0)
}

// restore replaces the folder by a backup.
func (p *past) restore(b backup) {
	if !p.witnessed(b.records) || !p.byHalf(b.records, b.knew) {
		return
	}
	p.tally.Restores++
	p.older = true
	_ = p.s.store.Close()
	p.disk = b.disk.CrashClone(vfs.CrashCloneCfg{})
	if b.memory != nil {
		p.memory = b.memory.Crash(0)
	}
	p.begin()
	p.recover()
}

// fall crashes, and continues with what is left on the disk.
func (p *past) fall() {
	p.tally.Crashes++
	behind := p.s.OldCopy()
	if p.memory != nil {
		p.memory = p.memory.Crash(p.rng.IntN(p.memory.Unsynced() + 1))
	} else {
		p.disk = p.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: p.rng.IntN(101), RNG: p.rng})
	}
	_ = p.s.store.Close()
	p.mute = false
	p.begin()
	p.upright(behind)
}

// change starts the site with another setting, which it refuses, and with the old one again.
func (p *past) change() {
	p.t.Helper()
	p.tally.Changed++
	behind := p.s.OldCopy()
	p.stop()
	p.pinned = []Pinned{{Key: "setting", Value: "two"}}
	s, err := Open(p.config())
	var changed *ChangedError
	if err == nil {
		_ = s.Close()
	}
	if !errors.As(err, &changed) {
		p.t.Fatalf("a setting is changed: %v", err)
	}
	p.pinned = []Pinned{{Key: "setting", Value: "one"}}
	p.begin()
	p.upright(behind)
}

// rewire removes a neighbour from the network file or adds it again, or lets a new one join.
func (p *past) rewire() {
	p.t.Helper()
	p.stop()
	switch has := slices.Contains(p.neighbours, right); {
	case p.rng.IntN(2) == 0:
		p.tally.Joined++
		if p.neighbours = []protocol.Peer{left, right}; p.rng.IntN(2) == 0 {
			p.neighbours = []protocol.Peer{left, right, joined}
		}
	case has:
		p.tally.Removed++
		p.neighbours = []protocol.Peer{left}
	default:
		p.neighbours = []protocol.Peer{left, right}
	}
	p.net.peers[right].gone = !slices.Contains(p.neighbours, right)
	p.begin()
}

// fill fills the disk for a while: nothing is accepted, and nothing leaves.
func (p *past) fill() {
	p.t.Helper()
	p.tally.Full++
	p.memory.NoRoom = true
	if p.worlds == nil {
		if out := p.decide(decision.Ask{ID: "full"}); refused(p.t, out[0].Err) != decision.Full {
			p.t.Fatalf("a full disk takes a decision: %v", out[0].Err)
		}
	}
	before := p.tally.Sends
	p.pump()
	if !p.s.isBlocked() {
		t := max(p.s.state.Round, p.s.roundAt(p.clock.Now()))
		if err := p.s.Round(protocol.Round(t), nil); !errors.Is(err, store.ErrFull) {
			p.t.Fatalf("a round with a full disk: %v", err)
		}
		p.pump()
	}
	if p.tally.Sends != before {
		p.t.Fatal("a round is sent that is not stored")
	}
	p.memory.NoRoom = false
}

// play ends rounds, as Run does.
func (p *past) play(n int) {
	for range n {
		if p.s.isBlocked() {
			p.clock.add(every)
			continue
		}
		p.send()
		p.round()
	}
	least := 1.
	if p.mechanism.Law() == dp.Gaussian {
		least = .998 // its noise is a thousandth too large; see dp
	}
	if got := p.status(); got.Spent < least || got.Spent > 1 || got.Left != 1-got.Spent {
		p.t.Fatalf("ε %v is charged and %v left, want %v to 1 and the rest", got.Spent, got.Left, least)
	}
}

// upright checks a site that was only stopped. If its folder was ever restored or wiped, what peers have exchanged may show
// only now that it is an old copy, such as when the neighbour that remembers more has left.
func (p *past) upright(behind bool) {
	p.t.Helper()
	if shown := p.older && p.spoken; p.s.OldCopy() != behind && !shown {
		p.t.Fatalf("a site that was stopped was taken for an old copy: %v; now %+v, and here are %d records", behind, p.s.standing.Evidence(), p.s.chain.Next)
	}
}

// recover continues after a restored backup or a wiped disk, mostly as an operator should.
// Sometimes it excludes neighbours that are away.
func (p *past) recover() {
	p.t.Helper()
	for i := range 8 {
		if !p.s.OldCopy() && !p.s.isBlocked() {
			return
		}
		if p.rng.IntN(8) == 0 {
			p.tally.Blocked++
			return // stays silent until all have reported
		}
		var without []string
		for _, id := range p.s.standing.Awaited() {
			if n := slices.Index([]string{"peer 0", "peer 1", "peer 2"}, id); n >= 0 && p.rng.IntN(2) == 0 && (p.net.peers[protocol.Peer(n)].deaf || !slices.Contains(p.neighbours, protocol.Peer(n))) {
				without = append(without, id)
			}
		}
		if !p.s.OldCopy() && len(without) == 0 {
			p.tally.Blocked++
			return
		}
		p.stop()
		p.clock.add(time.Second) // no two recoveries from one backup are in one second, which would be one incarnation
		p.open()
		a, err := p.s.Recover(without)
		if errors.Is(err, ErrFork) { // two lives went on from older backups, and one of them is here
			p.stop()
			p.begin()
			p.tally.Blocked++
			return
		}
		if err != nil {
			p.t.Fatalf("%v: peers remember %+v", err, p.s.standing.Evidence())
		}
		p.note("%+v", a)
		p.tally.Recovered++
		if len(without) > 0 {
			p.tally.Without++
		}
		if i > 0 {
			p.tally.Again++
		}
		if a.Spent {
			p.tally.Spent++
		}
		p.stop()
		p.begin()
	}
	p.t.Fatal("after eight recoveries the peer is still behind")
}
