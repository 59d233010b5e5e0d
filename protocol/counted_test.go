package protocol

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"peerd.dev/internal/vouch"
)

// TestNoListOfAFrameTakesMuch: every field of a message that can be repeated, and every list in a release, filled with the
// smallest elements of both types, up to the length of a frame.
func TestNoListOfAFrameTakesMuch(t *testing.T) {
	const most = 4 << 20
	part := func(n protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
	}
	begin := slices.Concat([]byte{1 << 3, 100}, part(2, nil)) // of a content: a kind and a label
	greatest := uint64(0)
	for n := range protowire.Number(15) {
		for _, element := range [][]byte{{byte(n+1)<<3 | list, 0}, {byte(n+1)<<3 | list, 1, 0}, {byte(n+1)<<3 | number, 1}, {byte(n+1)<<3 | number, 0}} {
			many := bytes.Repeat(element, (MaxFrame-64)/len(element))
			packed := part(4, part(n+1, bytes.Repeat([]byte{1}, MaxFrame-64)))
			for _, frame := range [][]byte{many, part(1, many), part(1, slices.Concat(begin, many)), part(1, slices.Concat(begin, part(4, many))), part(1, slices.Concat(begin, packed))} {
				var was, is runtime.MemStats
				runtime.ReadMemStats(&was)
				_, _ = Decode(vouch.For(frame))
				runtime.ReadMemStats(&is)
				took := is.TotalAlloc - was.TotalAlloc
				if greatest = max(greatest, took); took > most || len(frame) > MaxFrame {
					t.Errorf("field %d, % x: a frame of %d bytes takes %d, want at most %d", n+1, element, len(frame), took, most)
				}
			}
		}
	}
	t.Logf("at most %d bytes", greatest)
}
