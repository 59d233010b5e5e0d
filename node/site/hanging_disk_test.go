package site

import (
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
// No checkpoint that a neighbour may see is of these, whenever it is asked for, and the one that is
// shown is in the ledger after the crash.
func TestNeighboursSeeTheDurableLedger(t *testing.T) {
	drawn := 0
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
		if shown := site.durable.Load().ledger; shown != before { // what Checkpoint returns
			t.Errorf("%s: %v is shown, durable is %v", name, shown, before)
		}
		hangs.Store(false)
		close(free)
		<-done
		r.stop()
	}
	if drawn == 0 {
		t.Error("nothing was drawn while the disk hung")
	}
}
