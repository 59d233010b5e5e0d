package site

import (
	"crypto/sha256"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"peerd.dev/node/decision"
	"peerd.dev/protocol"
)

// TestNeighboursSeeTheDurableLedger: while a disk hangs, releases are drawn that a crash would undo.
// Checkpoint, on which hellos, confirmations and rotations rest, states none of these: what it states is in the ledger that a
// crash at this moment leaves.
func TestNeighboursSeeTheDurableLedger(t *testing.T) {
	t.Parallel()
	drawn, asked := 0, 0
	for _, name := range protocols() {
		r := newRig(t, usual(name, OnArrival))
		var hangs atomic.Bool
		free := make(chan struct{})
		r.wrap = func(fs vfs.FS) vfs.FS {
			return errorfs.Wrap(fs, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if hangs.Load() && (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo) {
					<-free
				}
				return nil
			}))
		}
		r.start()
		for i := range 12 {
			id := fmt.Sprint("early ", i)
			r.decide(decision.Ask{ID: id})
			r.pay(id, 1)
		}
		r.rounds(3)
		before, site := r.s.tip(), r.s
		hangs.Store(true)
		for i := range 200 { // each waits for the disk
			id := fmt.Sprint("late ", i)
			go func() {
				site.Decide(t.Context(), []decision.Ask{{ID: id}})
			}()
		}
		round := protocol.Round(r.s.state.Round)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 40 {
				if err := site.Round(round+protocol.Round(i), nil); err != nil {
					return
				}
			}
		}()
		for range 100 {
			time.Sleep(time.Millisecond)
			// A full memtable waits for the disk while the site is locked, so nothing here may wait for the lock.
			if !site.mu.TryLock() {
				continue
			}
			ahead := site.checkpoint().Records > before.Records
			site.mu.Unlock()
			if ahead {
				drawn++
				break
			}
		}
		states := make(chan protocol.Checkpoint, 1)
		go func() {
			c, _ := site.Checkpoint()
			states <- c
		}()
		select {
		case shown := <-states:
			if asked++; shown != before {
				t.Errorf("%s: Checkpoint states %v, durable is %v", name, shown, before)
			}
		case <-time.After(time.Second): // it waits for the lock, and so states nothing
		}
		disk := r.disk.CrashClone(vfs.CrashCloneCfg{})
		hangs.Store(false)
		close(free)
		<-done
		r.stop()
		r.disk, r.wrap = disk, nil
		r.open()
		if lines := r.lines(); uint64(len(lines)) != before.Records || sha256.Sum256(lines[len(lines)-1]) != before.Head {
			t.Errorf("%s: a crash leaves %d records, and %v was durable", name, len(lines), before)
		}
		r.stop()
	}
	if drawn == 0 || asked == 0 {
		t.Errorf("while the disk hung, %d sites had drawn, and %d were asked", drawn, asked)
	}
}
