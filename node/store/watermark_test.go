package store_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

const watermark = dir + ".watermark"

// kill returns the disk after a kill: everything that was written, synced or not.
func kill(fs *vfs.MemFS) *vfs.MemFS {
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
}

func tryOpen(fs vfs.FS, o store.Options) (*store.Store, error) {
	o.FS = fs
	o.Fatal = func(err error) { panic(err) }
	return store.Open(dir, o)
}

// refused opens a store that must be refused as damaged, and opens it again for reading only.
func refused(t *testing.T, fs *vfs.MemFS) *store.DamagedError {
	t.Helper()
	var d *store.DamagedError
	for _, readOnly := range []bool{true, false} {
		s, err := tryOpen(fs, store.Options{ReadOnly: readOnly})
		if err == nil {
			_ = s.Close()
		}
		if !errors.As(err, &d) {
			t.Fatalf("read only %v: %v, want a damaged store", readOnly, err)
		}
	}
	if text := d.Error(); strings.Contains(text, "\n") || !strings.Contains(text, dir) {
		t.Errorf("it is refused as %q", text)
	}
	return d
}

// lines is how many ledger records filled writes.
const lines = 2

// filled returns a disk with n batches in the store's log, after a kill.
func filled(t *testing.T, n int) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	s := open(t, fs)
	for i := range n {
		b := s.Batch()
		b.Set(store.Log, store.Number(uint64(i)), []byte("x"))
		if i < lines { // the others are not records
			b.Set(store.Ledger, store.Number(uint64(i)), fmt.Appendf(nil, "line %d", i))
		}
		require.NoError(t, b.Commit())
	}
	killed := kill(fs)
	require.NoError(t, s.Close())
	return killed
}

func change(t *testing.T, fs *vfs.MemFS, name string, how func([]byte) []byte) {
	t.Helper()
	f := require.Value(fs.Open(name))(t)
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	require.NoError(t, f.Close())
	f = require.Value(fs.Create(name, vfs.WriteCategoryUnspecified))(t)
	_, err = f.Write(how(b))
	require.NoError(t, errors.Join(err, f.Sync(), f.Close()))
}

// file returns the store's only file whose name has a part.
func file(t *testing.T, fs *vfs.MemFS, part string) string {
	t.Helper()
	names := require.Value(fs.List(dir))(t)
	found := ""
	for _, n := range names {
		if strings.Contains(n, part) {
			if found != "" {
				t.Fatalf("%s and %s", found, n)
			}
			found = dir + "/" + n
		}
	}
	if found == "" {
		t.Fatalf("no %s in %v", part, names)
	}
	return found
}

// TestALogThatEndsEarlyIsDamaged: a cut at any place, and a flipped bit, are refused if a durable
// batch is missing. With Accept, the store continues with the rest, and only AcceptLoss makes that its
// full content.
func TestALogThatEndsEarlyIsDamaged(t *testing.T) {
	const n = 40
	whole := filled(t, n)
	log := file(t, whole, ".log")
	info := require.Value(whole.Stat(log))(t)
	damaged := 0
	for i := range int64(60) {
		fs := kill(whole)
		at := i * info.Size() / 60
		change(t, fs, log, func(b []byte) []byte {
			if i%2 == 0 {
				return b[:at]
			}
			b[at] ^= 1 << (i % 8)
			return b
		})
		if s, err := tryOpen(kill(fs), store.Options{}); err == nil { // the cut changed nothing
			if got := len(rows(t, s, store.Log, nil, nil)); got != n || s.Close() != nil {
				t.Fatalf("place %d: opened with %d batches of %d", at, got, n)
			}
			continue
		}
		damaged++
		if d := refused(t, fs); !d.Usable {
			t.Fatalf("place %d: %v, want one that can be accepted", at, d)
		}
		accept := func() (*store.Store, int) {
			s, err := tryOpen(fs, store.Options{Accept: true})
			if err != nil {
				t.Fatalf("place %d: %v", at, err)
			}
			return s, len(rows(t, s, store.Log, nil, nil))
		}
		s, left := accept()
		had, lost := s.Lost()
		if !lost || left >= n || had.Records != lines || had.Batch != n+1 {
			t.Fatalf("place %d: %d batches are left, watermark %+v %v", at, left, had, lost)
		}
		require.NoError(t, s.Close())
		refused(t, fs) // the loss is not accepted
		s, again := accept()
		if again != left {
			t.Fatalf("%d batches are left, were %d", again, left)
		}
		require.NoError(t, errors.Join(s.AcceptLoss(), s.Close()))
		s = open(t, fs)
		put(t, s, store.Peer, "c", "d")
		if m := s.Mark(); m.Records != uint64(min(left, lines)) || m.Batch != uint64(left)+2 {
			t.Fatalf("mark %+v with %d batches left", m, left)
		}
		require.NoError(t, s.Close())
		require.NoError(t, open(t, fs).Close())
	}
	if damaged < 50 {
		t.Errorf("%d places of 60 are damaged", damaged)
	}
}

// TestAMissingMiddleIsDamaged: a manifest that ends early, so that a table is not listed whose
// log is gone, while newer batches stand in a newer log.
func TestAMissingMiddleIsDamaged(t *testing.T) {
	fs := filled(t, 20)
	s := open(t, fs) // makes a table of the log, and a manifest that lists it
	for i := range 20 {
		put(t, s, store.Log, fmt.Sprint("newer", i), "x")
	}
	end := s.Mark()
	running := s
	fs = kill(fs)
	require.NoError(t, running.Close())
	manifest, log := "", ""
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, n := range names {
		switch name := dir + "/" + n; {
		case strings.HasPrefix(n, "MANIFEST-"):
			manifest = name
		case strings.HasSuffix(n, ".log"):
			if log != "" { // its batches are in the table, and the database is about to remove it
				require.NoError(t, fs.Remove(log))
			}
			log = name
		}
	}
	d, err := fs.OpenDir(dir)
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	info := require.Value(fs.Stat(manifest))(t)
	for at := range info.Size() {
		cut := kill(fs)
		change(t, cut, manifest, func(b []byte) []byte { return b[:at] })
		s, err := tryOpen(cut, store.Options{})
		if err == nil {
			if s.Mark() != end || len(rows(t, s, store.Log, nil, nil)) != 40 {
				t.Fatalf("cut at %d: opened with less", at)
			}
			require.NoError(t, s.Close())
			continue
		}
		if d := refused(t, cut); strings.Contains(d.What, "missing") {
			seen++
			if d.Usable {
				t.Errorf("cut at %d: %v: a store with a hole cannot be used", at, d)
			}
		}
	}
	if seen == 0 {
		t.Errorf("no cut left a hole: %v", names)
	}
}

// TestTheWatermarkIsRead: any flipped bit of it leaves one whole entry, which lets an
// undamaged store open; a watermark without one, or of another store, is refused.
func TestTheWatermarkIsRead(t *testing.T) {
	whole := filled(t, 5)
	for bit := range 8 * 64 {
		for _, entry := range []int{0, 4096} {
			fs := kill(whole)
			change(t, fs, watermark, func(b []byte) []byte { b[entry+bit/8] ^= 1 << (bit % 8); return b })
			s, err := tryOpen(fs, store.Options{})
			if err != nil {
				t.Fatalf("bit %d of entry %d: %v", bit, entry, err)
			}
			require.NoError(t, s.Close())
		}
	}
	other := filled(t, 4)
	for what, damage := range map[string]func(fs *vfs.MemFS){
		"removed":  func(fs *vfs.MemFS) { _ = fs.Remove(watermark) },
		"cut":      func(fs *vfs.MemFS) { change(t, fs, watermark, func(b []byte) []byte { return b[:50] }) },
		"empty":    func(fs *vfs.MemFS) { change(t, fs, watermark, func([]byte) []byte { return nil }) },
		"of zeros": func(fs *vfs.MemFS) { change(t, fs, watermark, func(b []byte) []byte { clear(b); return b }) },
		"of another ledger": func(fs *vfs.MemFS) {
			s := open(t, other)
			b := s.Batch()
			b.Set(store.Ledger, store.Number(4), []byte("another line"))
			require.NoError(t, errors.Join(b.Commit(), s.Close()))
			change(t, fs, watermark, func([]byte) (b []byte) {
				change(t, other, watermark, func(o []byte) []byte { b = append(b, o...); return o })
				return b
			})
		},
	} {
		fs := kill(whole)
		damage(fs)
		if d := refused(t, fs); !d.Usable || !strings.Contains(d.Path, watermark) {
			t.Errorf("%s: %+v", what, d)
		}
		s, err := tryOpen(fs, store.Options{Accept: true})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		require.NoError(t, errors.Join(s.AcceptLoss(), s.Close()))
		if err := open(t, fs).Close(); err != nil {
			t.Errorf("%s: after AcceptLoss: %v", what, err)
		}
	}
}

// TestAFoundedFolderIsNotFoundedAgain: an empty store, and one that is gone.
func TestAFoundedFolderIsNotFoundedAgain(t *testing.T) {
	whole := filled(t, 5)
	for _, gone := range []bool{true, false} {
		fs := kill(whole)
		require.NoError(t, fs.RemoveAll(dir))
		if !gone {
			require.NoError(t, fs.MkdirAll(dir, 0o700))
		}
		if d := refused(t, fs); d.Usable {
			t.Errorf("%v: nothing is left", d)
		}
		if _, err := tryOpen(fs, store.Options{Accept: true}); err == nil {
			t.Error("what is left is accepted, and nothing is left")
		}
		s := require.Value(tryOpen(fs, store.Options{Accept: true, Replace: true}))(t)
		if had, lost := s.Lost(); !lost || had.Records != lines {
			t.Errorf("%+v %v", had, lost)
		}
		require.NoError(t, errors.Join(s.AcceptLoss(), s.Close()))
		if err := open(t, fs).Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFoundingMayBeCutShort: whatever of it is on the disk after a crash before any call, the
// next start founds the store or goes on with it.
func TestFoundingMayBeCutShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	calls := int64(1)
	for at := int64(0); at < calls; at++ {
		for range 3 {
			n := int64(0)
			fs := vfs.NewCrashableMem()
			var crashed *vfs.MemFS
			s, err := tryOpen(errorfs.Wrap(fs, errorfs.InjectorFunc(func(errorfs.Op) error {
				if atomic.AddInt64(&n, 1) == at {
					crashed = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
				}
				return nil
			})), store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			calls = atomic.LoadInt64(&n)
			require.NoError(t, s.Close())
			if crashed == nil {
				continue
			}
			if s, err = tryOpen(crashed, store.Options{}); err != nil {
				t.Fatalf("crash before call %d: %v", at, err)
			}
			require.NoError(t, s.Close())
		}
	}
	if calls < 50 {
		t.Errorf("founding takes %d calls: these are not all", calls)
	}
}

// TestWhatIsAcceptedIsReadWhole: a damaged block of a table is found before the rest is accepted.
func TestWhatIsAcceptedIsReadWhole(t *testing.T) {
	fs := filled(t, 2000)
	if err := open(t, fs).Close(); err != nil { // makes a table of the log
		t.Fatal(err)
	}
	table := file(t, fs, ".sst")
	info := require.Value(fs.Stat(table))(t)
	for i := range int64(40) {
		damaged := kill(fs)
		change(t, damaged, table, func(b []byte) []byte { b[i*info.Size()/40] ^= 1; return b })
		var d *store.DamagedError
		s, err := tryOpen(damaged, store.Options{Accept: true})
		if !errors.As(err, &d) || d.Usable {
			t.Errorf("place %d of 40: %v", i, err)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}
