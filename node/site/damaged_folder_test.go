package site

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
	"peerd.dev/node/store"
)

// TestADamagedFolderIsNoSmallerOne flips bits of a site's files and cuts them: a start continues
// with everything that was acknowledged, or is refused with a sentence and changes nothing. The
// same holds for a folder that was emptied or lacks a file. PEERD_DAMAGES sets how many.
func TestADamagedFolderIsNoSmallerOne(t *testing.T) {
	t.Parallel()
	n := 60
	if testing.Short() {
		n = 10
	}
	if s := os.Getenv("PEERD_DAMAGES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, clean := range []bool{true, false} {
		t.Run(fmt.Sprint("clean=", clean), func(t *testing.T) {
			v := newVandal(t, clean)
			rng := rand.New(rand.NewPCG(5, 5))
			for range n {
				name := v.files[rng.IntN(len(v.files))]
				if size := v.size(name); size > 0 {
					at, bit := rng.Int64N(size), rng.IntN(8)
					v.try(fmt.Sprintf("bit %d of byte %d of %s", bit, at, name), func(fs *vfs.MemFS) { rewrite(t, fs, name, func(b []byte) []byte { b[at] ^= 1 << bit; return b }) })
				}
				to := rng.Int64N(max(1, v.size(name)))
				v.try(fmt.Sprintf("%s cut to %d", name, to), func(fs *vfs.MemFS) { rewrite(t, fs, name, func(b []byte) []byte { return b[:to] }) })
			}
			for _, name := range v.files {
				v.try(name+" removed", func(fs *vfs.MemFS) { remove(t, fs, name) })
			}
			v.try("emptied", func(fs *vfs.MemFS) {
				for _, name := range v.files {
					if strings.HasPrefix(name, dir+"/") {
						remove(t, fs, name)
					}
				}
			})
			t.Logf("%v", v.tally)
			if v.tally["goes on"] == 0 || v.tally["refused"] == 0 {
				t.Error("these damages show little")
			}
		})
	}
}

// A vandal damages copies of a site's disk.
type vandal struct {
	*rig
	files []string
	acks  map[string]choice
	tally map[string]int
}

func newVandal(t *testing.T, clean bool) *vandal {
	t.Helper()
	x := usual(averaged, OnArrival)
	x.rules.Keep = 1e6 * every
	x.alone = true
	v := &vandal{rig: newRig(t, x), acks: make(map[string]choice), tally: make(map[string]int)}
	v.start()
	for i := range 600 {
		d := v.ask(decision.Ask{ID: fmt.Sprint("d", i)})
		if i%2 == 0 {
			v.pay(d.ID, .5)
		}
		switch i {
		case 250:
			v.stop()
			v.start()
		case 400:
			v.crash()
			v.start()
		}
		if i%50 == 0 {
			v.round()
		}
	}
	for i := range 600 {
		id := fmt.Sprint("d", i)
		c, ok, err := (&tx{site: v.s}).find(id)
		if err != nil || !ok {
			t.Fatal(err)
		}
		v.acks[id] = c
	}
	if clean {
		v.stop()
	} else { // killed: what was written is there, synced or not
		was := v.s
		v.disk = v.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
		_ = was.store.Close()
	}
	v.files = files(t, v.disk, "/")
	for _, f := range v.files {
		t.Logf("%s: %d bytes", f, v.size(f))
	}
	return v
}

// files lists all files except locks.
func files(t testing.TB, fs vfs.FS, in string) (all []string) {
	t.Helper()
	names := require.Value(fs.List(in))(t)
	slices.Sort(names)
	for _, n := range names {
		path := fs.PathJoin(in, n)
		if info, err := fs.Stat(path); err != nil {
			t.Fatal(err)
		} else if info.IsDir() {
			all = append(all, files(t, fs, path)...)
		} else if n != "LOCK" {
			all = append(all, path)
		}
	}
	return all
}

func (v *vandal) size(name string) int64 {
	info, err := v.disk.Stat(name)
	if err != nil {
		v.t.Fatal(err)
	}
	return info.Size()
}

func contents(t testing.TB, fs vfs.FS, name string) []byte {
	t.Helper()
	f := require.Value(fs.Open(name))(t)
	b, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return b
}

func rewrite(t testing.TB, fs vfs.FS, name string, change func([]byte) []byte) {
	t.Helper()
	b := change(contents(t, fs, name))
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(b)
	require.NoError(t, errors.Join(err, f.Sync(), f.Close()))
}

func remove(t testing.TB, fs vfs.FS, name string) {
	t.Helper()
	require.NoError(t, fs.Remove(name))
}

// try opens the site on a damaged copy of its disk.
func (v *vandal) try(what string, do func(fs *vfs.MemFS)) {
	v.t.Helper()
	disk := v.disk
	defer func() { v.disk = disk }()
	v.disk = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	do(v.disk)
	before := v.print()
	s, err := Open(v.config())
	verdict := "refused"
	if err == nil {
		verdict = v.lost(s)
		if verdict == "" {
			verdict = "goes on"
		}
		if err = s.Close(); err != nil {
			v.t.Logf("%s: closing: %v", what, err)
		}
	} else {
		v.t.Logf("%s: %v", what, err)
		if text := err.Error(); len(text) < 20 || len(text) > 1000 || strings.Contains(text, "\n") || strings.Contains(text, "panic") {
			verdict = "refused without a sentence: " + text
		} else if d := new(store.DamagedError); errors.As(err, &d) && strings.HasSuffix(d.Path, ".sst") {
			verdict = "refused" // found by a read after opening
		} else if after := v.print(); after != before {
			verdict = "refused and changed"
		}
	}
	v.tally[verdict]++
	if verdict != "goes on" && verdict != "refused" {
		v.t.Errorf("%s: %s", what, verdict)
	}
}

// print returns the names and sizes of the files.
func (v *vandal) print() string {
	var b strings.Builder
	for _, f := range files(v.t, v.disk, "/") {
		_, _ = fmt.Fprintf(&b, "%s %d\n", f, v.size(f))
	}
	return b.String()
}

// lost returns what the site lacks of everything that was acknowledged, or "". A table that
// cannot be read is reported.
func (v *vandal) lost(s *Site) string {
	n := 0
	for id, want := range v.acks {
		c, ok, err := (&tx{site: s}).find(id)
		if err != nil {
			if d := new(store.DamagedError); errors.As(err, &d) {
				return ""
			}
			return err.Error()
		}
		if !ok || c.arm != want.arm || c.rewarded != want.rewarded || c.value != want.value {
			n++
		}
	}
	if n > 0 {
		return fmt.Sprintf("%d decisions of %d are lost", n, len(v.acks))
	}
	return ""
}
