package store_test

import (
	"testing"
	"github.com/cockroachdb/pebble/v2/vfs"
	"peerd.dev/node/store"
)

func BenchmarkOpenClose(b *testing.B) {
	fs := vfs.NewCrashableMem()
	for b.Loop() {
		s, err := store.Open("/x", store.Options{FS: fs})
		if err != nil { b.Fatal(err) }
		s.Close()
	}
}
func BenchmarkCloneOpenClose(b *testing.B) {
	fs := vfs.NewCrashableMem()
	s, err := store.Open("/x", store.Options{FS: fs})
	if err != nil { b.Fatal(err) }
	for i := range 100 {
		bb := s.Batch(); bb.Set(store.Log, store.Number(uint64(i)), make([]byte, 500)); bb.Commit()
	}
	for b.Loop() {
		s, err := store.Open("/x", store.Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
		if err != nil { b.Fatal(err) }
		s.Close()
	}
}
func BenchmarkCommit(b *testing.B) {
	fs := vfs.NewCrashableMem()
	s, err := store.Open("/x", store.Options{FS: fs})
	if err != nil { b.Fatal(err) }
	i := uint64(0)
	for b.Loop() {
		i++
		bb := s.Batch(); bb.Set(store.Log, store.Number(i), make([]byte, 500)); bb.Commit()
	}
}
