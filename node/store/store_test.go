package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

const dir = "/store"

func open(t testing.TB, fs vfs.FS) *store.Store {
	t.Helper()
	return require.Value(store.Open(dir, store.Options{FS: fs, Fatal: func(err error) { panic(err) }}))(t)
}

func put(t testing.TB, s *store.Store, table store.Table, key, value string) {
	t.Helper()
	b := s.Batch()
	b.Set(table, []byte(key), []byte(value))
	require.NoError(t, b.Commit())
}

// rows lists a range of a table.
func rows(t testing.TB, s *store.Store, table store.Table, from, below []byte) (all []string) {
	t.Helper()
	for e, err := range s.Scan(table, from, below) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s=%s", e.Key, e.Value))
	}
	return all
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	s := open(t, vfs.NewMem())
	put(t, s, store.Log, "b", "1")
	put(t, s, store.Log, "a", "2")
	put(t, s, store.Log, "c", "")
	put(t, s, store.Log, "", "3")
	put(t, s, store.Log, "\xff\xff", "4")
	put(t, s, store.Meta, "\xff\xff", "of the table before")
	put(t, s, store.Snapshot, "", "of the table after")
	for _, c := range []struct{ from, below, want string }{
		{"", "-", "=3 a=2 b=1 c= \xff\xff=4"},
		{"a", "-", "a=2 b=1 c= \xff\xff=4"},
		{"a", "c", "a=2 b=1"},
		{"aa", "b\x00", "b=1"},
		{"x", "y", ""},
		{"b", "a", ""},
	} {
		below := []byte(c.below)
		if c.below == "-" {
			below = nil
		}
		if got := strings.Join(rows(t, s, store.Log, []byte(c.from), below), " "); got != c.want {
			t.Errorf("from %q below %q: %q, want %q", c.from, c.below, got, c.want)
		}
	}
	if v, err := s.Get(store.Log, []byte("c")); v == nil || len(v) > 0 || err != nil {
		t.Errorf("an empty value is %v (%v): it is there", v, err)
	}
	if v, err := s.Get(store.Log, []byte("d")); v != nil || err != nil {
		t.Errorf("what was never written is %v (%v)", v, err)
	}
	if e, ok, err := s.Last(store.Log); string(e.Key) != "\xff\xff" || string(e.Value) != "4" || !ok || err != nil {
		t.Errorf("the last is %q=%q %v %v", e.Key, e.Value, ok, err)
	}
	if _, ok, err := s.Last(store.Peer); ok || err != nil {
		t.Errorf("an empty table has a last entry (%v)", err)
	}
	b := s.Batch()
	b.Set(store.Log, []byte("aa"), []byte("written in the batch"))
	b.DeleteBelow(store.Log, []byte("b"))
	b.Delete(store.Log, []byte("c"))
	b.Set(store.Log, []byte("ab"), []byte("after"))
	require.NoError(t, b.Commit())
	if got, want := strings.Join(rows(t, s, store.Log, nil, nil), " "), "ab=after b=1 \xff\xff=4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := len(rows(t, s, store.Meta, nil, nil)) + len(rows(t, s, store.Snapshot, nil, nil)); got != 3 {
		t.Errorf("%d entries in the tables beside, want 3", got)
	}
	require.NoError(t, s.Close())
}

// TestAScanSeesOneMoment: a scan does not see later writes, and it may stop early.
func TestAScanSeesOneMoment(t *testing.T) {
	s := open(t, vfs.NewMem())
	for i := range uint64(10) {
		put(t, s, store.Log, string(store.Number(i)), "x")
	}
	n := uint64(0)
	for e, err := range s.Scan(store.Log, nil, nil) {
		if err != nil || store.ReadNumber(e.Key) != n {
			t.Fatalf("%x at place %d (%v)", e.Key, n, err)
		}
		n++
		put(t, s, store.Log, string(store.Number(100+n)), "y")
		b := s.Batch()
		b.DeleteBelow(store.Log, store.Number(50))
		require.NoError(t, b.Commit())
	}
	if n != 10 {
		t.Errorf("%d entries, want the 10 of its beginning", n)
	}
	for range s.Scan(store.Log, nil, nil) {
		break
	}
	if err := s.Close(); err != nil { // fails if a scan is left open
		t.Error(err)
	}
}

func TestNumbersAreInOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.Uint64().Draw(r, "a"), rapid.Uint64().Draw(r, "b")
		if (a < b) != (bytes.Compare(store.Number(a), store.Number(b)) < 0) || store.ReadNumber(append(store.Number(a), 1, 2)) != a {
			r.Fatal("not in order, or read as another")
		}
	})
	if store.ReadNumber([]byte{1, 2, 3}) != 0 {
		t.Error("three bytes are a number")
	}
}

// TestTheStoreIsAMap: random batches change the store as they change a map, through restarts and
// crashes that lose nothing.
func TestTheStoreIsAMap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fs := vfs.NewCrashableMem()
		s := open(t, fs)
		model := make(map[string]string)
		key := rapid.SampledFrom([]string{"", "a", "ab", "b", "c", "\xff"})
		table := rapid.SampledFrom([]store.Table{store.Log, store.Due, store.Peer})
		r.Repeat(map[string]func(*rapid.T){
			"batch": func(r *rapid.T) {
				b := s.Batch()
				for range rapid.IntRange(1, 4).Draw(r, "n") {
					at, k := table.Draw(r, "table"), key.Draw(r, "key")
					switch rapid.IntRange(0, 3).Draw(r, "what") {
					case 0:
						b.Delete(at, []byte(k))
						delete(model, string(rune(at))+k)
					case 1:
						b.DeleteBelow(at, []byte(k))
						maps.DeleteFunc(model, func(x, _ string) bool { return x[0] == byte(at) && x[1:] < k })
					default:
						v := rapid.StringN(0, 5, 20).Draw(r, "value")
						b.Set(at, []byte(k), []byte(v))
						model[string(rune(at))+k] = v
					}
				}
				if b.Empty() {
					r.Fatal("the batch says that it is empty")
				}
				require.NoError(r, b.Commit())
			},
			"dropped": func(r *rapid.T) {
				b := s.Batch()
				b.Set(table.Draw(r, "table"), []byte(key.Draw(r, "key")), []byte("never"))
				b.Drop()
			},
			"restart": func(r *rapid.T) {
				require.NoError(r, s.Close())
				s = open(t, fs)
			},
			"crash": func(*rapid.T) {
				fs = fs.CrashClone(vfs.CrashCloneCfg{})
				_ = s.Close()
				s = open(t, fs)
			},
			"": func(r *rapid.T) {
				var got, want []string
				for _, at := range []store.Table{store.Log, store.Due, store.Peer} {
					for _, row := range rows(t, s, at, nil, nil) {
						got = append(got, string(rune(at))+row)
					}
				}
				for k, v := range model {
					want = append(want, k+"="+v)
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					r.Fatalf("%q, want %q", got, want)
				}
			},
		})
		_ = s.Close()
	})
}

// TestAnotherVersionIsLeftAlone: a store of a newer peerd is refused with its own error, and is
// not changed.
func TestAnotherVersionIsLeftAlone(t *testing.T) {
	fs := vfs.NewMem()
	if _, err := store.Open(dir, store.Options{FS: fs, ReadOnly: true}); err == nil {
		t.Fatal("a store that is not there is read")
	}
	s := open(t, fs)
	put(t, s, store.Log, "a", "1")
	for _, version := range []string{"\x02", "\xff", "", "\x01\x01"} {
		put(t, s, store.Meta, "format", version)
		require.NoError(t, s.Close())
		for _, readOnly := range []bool{false, true} {
			if _, err := store.Open(dir, store.Options{FS: fs, ReadOnly: readOnly}); !errors.Is(err, store.ErrNewer) {
				t.Errorf("version %q, read only %v: %v", version, readOnly, err)
			}
		}
		s = reopen(t, fs)
	}
	if got := rows(t, s, store.Log, nil, nil); !slices.Equal(got, []string{"a=1"}) {
		t.Errorf("%q is left", got)
	}
	require.NoError(t, s.Close())
	r := require.Value(store.Open(dir, store.Options{FS: fs, ReadOnly: true}))(t)
	if got := rows(t, r, store.Log, nil, nil); !slices.Equal(got, []string{"a=1"}) {
		t.Errorf("%q is read", got)
	}
	require.NoError(t, r.Close())
}

func TestOneOpensAtATime(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, fs)
	if other, err := store.Open(dir, store.Options{FS: fs}); err == nil {
		_ = other.Close()
		t.Error("opened twice")
	}
	require.NoError(t, s.Close())
	require.NoError(t, open(t, fs).Close())
}
