package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// reopen writes a store's format again and opens it.
func reopen(t testing.TB, fs vfs.FS) *store.Store {
	t.Helper()
	db := require.Value(pebble.Open(dir, &pebble.Options{FS: fs, FormatMajorVersion: pebble.FormatTableFormatV6, Logger: quiet{}}))(t)
	require.NoError(t, db.Set([]byte("\x01format"), []byte{1}, pebble.Sync))
	require.NoError(t, db.Close())
	return open(t, fs)
}

type quiet struct{}

func (quiet) Infof(string, ...any)         {}
func (quiet) Errorf(string, ...any)        {}
func (quiet) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }

// TestACrashLeavesABeginning: no matter which unsynced data is on the disk after a crash, the
// store holds the batches up to some number, in the order of Apply and each completely, among
// them all for which Wait has returned.
func TestACrashLeavesABeginning(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	lost, kept := 0, 0
	runs := 150
	if testing.Short() {
		runs = 30
	}
	for range runs {
		fs := vfs.NewCrashableMem()
		s := open(t, fs)
		n := 1 + rng.IntN(60)
		pad := make([]byte, []int{10, 1000, 300_000}[rng.IntN(3)]) // the last makes many memtables
		if len(pad) > 1000 {
			n = 1 + rng.IntN(20)
		}
		var applied, waited atomic.Int64
		var all sync.WaitGroup
		next := make(chan store.Pending, n)
		all.Go(func() {
			for p := range next {
				if err := p.Wait(); err != nil {
					t.Error(err)
				}
				waited.Add(1)
			}
		})
		clone := make(chan *vfs.MemFS, 1)
		var least int64
		at := int64(rng.IntN(n + 1))
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 100, rng.IntN(101)}[rng.IntN(3)], RNG: rng}
		take := sync.OnceFunc(func() {
			least = waited.Load()
			clone <- fs.CrashClone(cfg)
		})
		for i := range uint64(n) {
			if applied.Load() >= at {
				take()
			}
			b := s.Batch()
			b.Set(store.Log, store.Number(i), pad)
			b.Set(store.Outbox, store.Number(i), pad[:min(len(pad), 100)])
			if i > 0 {
				b.Delete(store.Outbox, store.Number(i-1))
			}
			p := b.Apply()
			applied.Add(1)
			next <- p
			for patient := rng.IntN(3) == 0; patient && waited.Load() < applied.Load(); {
				runtime.Gosched()
			}
		}
		take()
		close(next)
		all.Wait()
		require.NoError(t, s.Close())
		left := open(t, <-clone)
		got := uint64(0)
		for e, err := range left.Scan(store.Log, nil, nil) {
			if err != nil || store.ReadNumber(e.Key) != got || len(e.Value) != len(pad) {
				t.Fatalf("batch %x at place %d (%v)", e.Key, got, err)
			}
			got++
		}
		if got < uint64(least) {
			t.Fatalf("%d batches are left, and %d were durable", got, least)
		}
		out := rows(t, left, store.Outbox, nil, nil)
		if e, ok, _ := left.Last(store.Outbox); len(out) > 1 || ok != (got > 0) || ok && store.ReadNumber(e.Key) != got-1 {
			t.Fatalf("after %d batches %d entries are in the outbox: one is there by half", got, len(out))
		}
		lost += n - int(got)
		kept += int(got)
		require.NoError(t, left.Close())
	}
	if lost < runs || kept < runs {
		t.Errorf("%d batches kept and %d lost: this shows nothing", kept, lost)
	}
	t.Logf("%d batches kept, %d lost", kept, lost)
}

// TestASyncThatFailsIsFatal: this holds for any sync, and no batch is reported as durable after
// it.
func TestASyncThatFailsIsFatal(t *testing.T) {
	for nth := range int64(12) {
		var syncs atomic.Int64
		var on, failed atomic.Bool
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			sync := op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData || op.Kind == errorfs.OpFileSyncTo
			if sync && on.Load() && syncs.Add(1) > nth {
				failed.Store(true)
				return errorfs.ErrInjected
			}
			return nil
		}))
		fatal := make(chan error, 1000)
		s := require.Value(store.Open(dir, store.Options{FS: fs, Fatal: func(err error) {
			fatal <- err
			select {}
		}}))(t)
		on.Store(true)
		durable := make(chan bool, 1000)
		go func() {
			for i := range uint64(100) {
				b := s.Batch()
				b.Set(store.Log, store.Number(i), make([]byte, 200_000)) // fills memtables
				before := failed.Load()
				if b.Commit() == nil {
					durable <- before
				}
			}
		}()
		select {
		case err := <-fatal:
			if !errors.Is(err, errorfs.ErrInjected) {
				t.Errorf("sync %d: %v", nth, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("sync %d failed without an error", nth)
		}
		for range 100 { // time for calls that must not come
			runtime.Gosched()
		}
		for range len(durable) {
			if <-durable {
				t.Errorf("sync %d: a batch that began after the failure is called durable", nth)
			}
		}
	}
}

// TestRoomIsLookedAt: less free space than the reserve, or than an eighth of a small disk, is too
// little.
func TestRoomIsLookedAt(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		free, total, reserve uint64
		low, full            bool
	}{
		{65 * mib, 1000 * mib, 64 * mib, false, false},
		{63 * mib, 1000 * mib, 64 * mib, true, false},
		{31 * mib, 1000 * mib, 64 * mib, true, true},
		{63 * mib, 400 * mib, 64 * mib, false, false}, // an eighth is 50
		{49 * mib, 400 * mib, 64 * mib, true, false},
		{mib / 2, 2 * mib, 64 * mib, true, false}, // never less than 1 MiB
		{mib/2 - 1, 2 * mib, 64 * mib, true, true},
		{2 * mib, 2 * mib, 64 * mib, false, false},
		{0, 1000 * mib, 0, false, false}, // no reserve, so no look
		{1, 1000 * mib, 1 << 60, true, true},
	} {
		fs := vfs.NewMem()
		fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: c.free, TotalBytes: c.total})
		s := require.Value(store.Open(dir, store.Options{FS: fs, Reserve: c.reserve}))(t)
		if s.Low() != c.low || s.Full() != c.full {
			t.Errorf("%d of %d free, reserve %d: low=%v, full=%v", c.free, c.total, c.reserve, s.Low(), s.Full())
		}
		require.NoError(t, s.Close())
	}
}

// TestRoomIsSeenInTime: the store looks again after at most 64 KiB of writes, and at every call
// while there is too little room.
func TestRoomIsSeenInTime(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40})
	s := require.Value(store.Open(dir, store.Options{FS: fs, Reserve: 1 << 30}))(t)
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 20, TotalBytes: 1 << 40})
	written := 0
	for s.Look(); !s.Full(); s.Look() {
		put(t, s, store.Log, fmt.Sprint(written), string(make([]byte, 1000)))
		written += 1000
	}
	if written > 70_000 {
		t.Errorf("seen after %d bytes", written)
	}
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40})
	if s.Look(); s.Full() || s.Low() {
		t.Error("room is not seen")
	}
	require.NoError(t, s.Close())
}

// TestRoomThatIsReservedIsNotFree: bytes set aside for later batches count as written.
func TestRoomThatIsReservedIsNotFree(t *testing.T) {
	fs := vfs.NewMem()
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 33 << 20, TotalBytes: 1 << 40})
	s := require.Value(store.Open(dir, store.Options{FS: fs, Reserve: 64 << 20}))(t)
	if s.Reserve(0); s.Full() {
		t.Error("full with more than half of the reserve free")
	}
	if s.Reserve(2 << 20); !s.Full() {
		t.Error("room that is reserved counts as free")
	}
	if s.Reserve(-2 << 20); s.Full() {
		t.Error("room that is given back does not count")
	}
	require.NoError(t, s.Close())
}
