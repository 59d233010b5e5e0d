// A struct that looks like a Release: unexported fields of two packages differ.
package leak

import "peerd.dev/dp"

type release struct {
	stream dp.StreamID
	span   dp.Span
	count  []uint64
	v      []int64
	e      int8
	scale  uint64
	terms  uint32
}

func leak(reward int64) dp.Release {
	return dp.Release(release{v: []int64{reward}})
}

// to type dp.Release
