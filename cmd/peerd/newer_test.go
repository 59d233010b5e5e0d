//go:build linux

package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/require"
	"peerd.dev/node/store"
)

// aStoppedSite returns the folder of a peer that ran and was stopped.
func aStoppedSite(t *testing.T, set ...string) (dir string) {
	t.Helper()
	dir = aSite(t, append([]string{"arms=red,green", "api.window=2s"}, set...)...)
	if !t.Run("started", func(t *testing.T) { served(t, dir) }) {
		t.FailNow()
	}
	return dir
}

// TestALaterFolderIsLeftAlone: whatever a later release has written in another form, every command names the way on, which is
// that release; no command speaks of damage or recovery, and all values stay what they were.
func TestALaterFolderIsLeftAlone(t *testing.T) {
	dir := aStoppedSite(t)
	at, out := filepath.Join(dir, daemon.StoreDir), filepath.Join(t.TempDir(), "out")
	lines := slices.Concat(readers(out)[8:], [][]string{{"run"}, {"doctor"}, {"recover"}, {"recover", "--new-store"}, {"audit", "bundle", "-o", out}, {"decisions", "evaluate"}})
	change := func(table store.Table, key, value []byte) (was []byte) {
		t.Helper()
		st, err := store.Open(at, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		was = require.Value(st.Get(table, key))(t)
		if value == nil && was != nil {
			value = slices.Clone(was)
			value[0]++
		}
		b := st.Batch()
		b.Set(table, key, value)
		require.NoError(t, errorsOf(b.Commit(), st.Close()))
		return was
	}
	all := func() (values []store.KV) {
		t.Helper()
		st := require.Value(store.Open(at, store.Options{ReadOnly: true}))(t)
		for _, table := range []store.Table{store.Meta, store.Snapshot, store.Log, store.Ledger, store.Outbox} {
			for kv, err := range st.Scan(table, nil, nil) {
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, store.KV{Key: slices.Clone(kv.Key), Value: slices.Clone(kv.Value)})
			}
		}
		require.NoError(t, st.Close())
		return values
	}
	refused := func(what string) {
		t.Helper()
		for _, args := range lines {
			c, stdout, stderr := peerd(t, append(args, "--dir", dir)...)
			said := stdout + stderr
			if c != exitConfig || !strings.Contains(said, "written by a later release (form ") || !strings.Contains(said, "): start that release again; nothing was changed") {
				t.Errorf("%s, %v: code %d:\n%s", what, args, c, said)
			}
			for _, wrong := range []string{"recover", "damaged", "disk failed"} {
				if strings.Contains(said, wrong) {
					t.Errorf("%s, %v speaks of %q:\n%s", what, args, wrong, said)
				}
			}
			if _, err := os.Lstat(out); err == nil {
				t.Errorf("%s, %v wrote a file", what, args)
			}
		}
	}
	for what, c := range map[string]struct {
		table store.Table
		key   []byte
	}{"life": {store.Meta, []byte("life")}, "snapshot": {store.Snapshot, nil}} {
		was := change(c.table, c.key, nil)
		before := all()
		refused(what)
		if !reflect.DeepEqual(before, all()) {
			t.Errorf("%s: the store is another", what)
		}
		change(c.table, c.key, was)
	}
	change(store.Meta, []byte("format"), []byte{2})
	refused("format")
	markers, err := filepath.Glob(filepath.Join(at, "marker.format-version.*"))
	if err != nil || len(markers) != 1 {
		t.Fatal(markers, err)
	}
	newer := markers[0][:strings.LastIndex(markers[0], ".")] + ".999"
	require.NoError(t, os.Rename(markers[0], newer))
	refused("database")
}
