package store

import (
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"peerd.dev/internal/require"
)

// BenchmarkCommit measures the time until a batch of two keys is durable, here and in the bare
// database, alternately on the same disk. It reports both medians and their ratio.
func BenchmarkCommit(b *testing.B) {
	s := require.Value(Open(b.TempDir()+"/store", Options{}))(b)
	bare := require.Value(pebble.Open(b.TempDir(), &pebble.Options{
		FormatMajorVersion: pebble.FormatTableFormatV6, MemTableSize: memTable, CacheSize: cache, Levels: levels(), Logger: &logger{s.log, s},
	}))(b)
	value := make([]byte, 150)
	var ours, theirs []time.Duration
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		x := s.Batch()
		x.Set(Log, Number(uint64(i)), value)
		x.Set(Decision, Number(uint64(i)), value)
		require.NoError(b, x.Commit())
		half := time.Now()
		y := bare.NewBatch()
		for _, t := range []Table{Log, Decision} {
			require.NoError(b, y.Set(append([]byte{byte(t)}, Number(uint64(i))...), value, nil))
		}
		require.NoError(b, y.Commit(pebble.Sync))
		ours, theirs = append(ours, half.Sub(begin)), append(theirs, time.Since(half))
	}
	for _, all := range [][]time.Duration{ours, theirs} {
		slices.Sort(all)
	}
	at := func(all []time.Duration, percent int) float64 {
		return float64(all[len(all)*percent/100]) / float64(time.Microsecond)
	}
	b.ReportMetric(at(ours, 50), "µs-p50")
	b.ReportMetric(at(ours, 50)/at(theirs, 50), "ratio-p50")
	b.ReportMetric(at(ours, 99)/at(theirs, 99), "ratio-p99")
	require.NoError(b, s.Close())
	require.NoError(b, bare.Close())
}
