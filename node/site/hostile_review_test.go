package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node/decision"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// A neighbour that was away remembers less than another; the first to speak silences the site.
func TestReviewRecoverWithTwoMemories(t *testing.T) {
	x := usual("average", AtWindow)
	x.arms = x.arms[:2]
	x.rules.PerSubject = 1 << 20
	r := newRig(t, x)
	r.start()
	play := func(n int) {
		for i := range n {
			d := r.ask(decision.Ask{Exclude: r.arms[1:]})
			r.pay(d.ID, float64(i%2))
			r.rounds(5)
		}
	}
	play(6)
	r.stop()
	backup := r.disk.CrashClone(vfsAll)
	r.start()
	play(1)
	r.net.peers[left].deaf = true // left is cut off
	play(4)
	lost := map[string]bool{}
	for _, l := range r.lines() {
		lost[key(l)] = true
	}
	nLost := len(lost)
	r.stop()
	// the disk is lost, the backup restored
	r.disk = backup
	r.open()
	t.Logf("here %d; left remembers %d, right %d; lost life had %d", r.s.chain.Next, r.net.memory(left).Records, r.net.memory(right).Records, nLost)
	r.s.Told(left, r.net.memory(left)) // the alarm: the daemon leaves the network
	<-r.alarms
	a, err := r.s.Adopt()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(a)
	r.s.Close()
	r.net.peers[left].deaf = false
	r.start() // both tell all they remember
	if r.s.Behind() || r.s.holding() {
		t.Fatal("held, as it should be: ", r.s.held.why())
	}
	t.Logf("not held although right remembers %d records, of which the recovered knew %d", r.net.memory(right).Records, a.Claimed)
	play(3)
	for _, l := range r.lines() {
		if k := key(l); k != "" && !had(backup, l) && lost[k] {
			t.Errorf("drawn twice: %s", k)
		}
	}
}

var vfsAll = vfs.CrashCloneCfg{}

func key(l []byte) string {
	var r struct {
		Kind     string
		Stream   int
		From, To uint64
		Values   []int64
	}
	if json.Unmarshal(l, &r) != nil || r.Kind != "release" {
		return ""
	}
	return fmt.Sprintf("stream %d node (%d,%d]", r.Stream, r.From, r.To)
}

func had(d *vfs.MemFS, l []byte) bool {
	st, err := store.Open(dir, store.Options{FS: d.CrashClone(vfsAll)})
	if err != nil {
		return false
	}
	defer st.Close()
	for line := range Records(st, 0, 1<<62) {
		if bytes.Equal(line, l) {
			return true
		}
	}
	return false
}

func TestReviewClockJump(t *testing.T) {
	r := newRig(t, usual("average", AtWindow))
	r.start()
	r.rounds(3)
	d := r.ask(decision.Ask{})
	r.clock.add(3 * 365 * 24 * time.Hour)
	r.round()
	_, err := r.report(d.ID, 1)
	t.Log("reward of a decision asked a moment ago:", err)
	r.clock.add(-3 * 365 * 24 * time.Hour)
	d = r.ask(decision.Ask{})
	st := r.status()
	t.Logf("round %d now, slot by the clock %d; hold %q full %v ready %v skipped %d; decision expires %v", r.s.state.Round, r.s.slot(r.clock.Now()), st.Hold, st.Full, r.s.Ready(t.Context()), st.Skipped, d.ExpiresAt)
	next := r.s.c.Slots.Start.Add(time.Duration(r.s.state.Round) * r.s.c.Slots.Every)
	t.Logf("next round in %v", next.Sub(r.clock.Now()))
}

// What is not durable is shown by the ledger and the arms.
func TestReviewUndurableShown(t *testing.T) {
	x := usual("average", AtWindow)
	r := newRig(t, x)
	r.wrap = func(fs vfs.FS) vfs.FS { return slowFS{fs, nil} }
	r.start()
	d := r.ask(decision.Ask{})
	r.pay(d.ID, 1)
	r.clock.add(4 * slot)
	hold.Store(true) // syncs do not come back
	in := r.net.step(protocol.Round(5))
	if err := r.s.Round(5, in); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for l := range r.s.Ledger(t.Context(), 0, 100) {
		shown = append(shown, string(l))
	}
	st := r.status()
	t.Logf("before any sync: %d records over the API, means %v, released %d", len(shown), st.Means, st.Released)
	clone := r.disk.CrashClone(vfsAll)
	hold.Store(false)
	r.pump()
	stt, err := store.Open(dir, store.Options{FS: clone})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(ledgerOf(t, stt)); n < len(shown) {
		t.Errorf("after a power cut the ledger has %d records, but %d were shown and could be exported, signed: the last is %s", n, len(shown), shown[len(shown)-1])
	}
}

var hold atomic.Bool

type slowFS struct {
	vfs.FS
	_ *bool
}

func (f slowFS) Create(n string, c vfs.DiskWriteCategory) (vfs.File, error) {
	x, err := f.FS.Create(n, c)
	return slowFile{x}, err
}
func (f slowFS) ReuseForWrite(o, n string, c vfs.DiskWriteCategory) (vfs.File, error) {
	x, err := f.FS.ReuseForWrite(o, n, c)
	return slowFile{x}, err
}

type slowFile struct{ vfs.File }

func wait() {
	for hold.Load() {
		time.Sleep(time.Millisecond)
	}
}
func (f slowFile) Sync() error     { wait(); return f.File.Sync() }
func (f slowFile) SyncData() error { wait(); return f.File.SyncData() }
func (f slowFile) SyncTo(l int64) (bool, error) {
	wait()
	return f.File.SyncTo(l)
}
