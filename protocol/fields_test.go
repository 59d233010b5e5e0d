package protocol

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/vouch"
)

// TestPackedReadsWhatProtobufWrites: packed accepts a list exactly if protowire reads it
// and writes the same bytes, with the same numbers.
func TestPackedReadsWhatProtobufWrites(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		var b []byte
		for range rapid.IntRange(1, 20).Draw(r, "numbers") {
			b = protowire.AppendVarint(b, rapid.Uint64().Draw(r, "number")>>rapid.IntRange(0, 63).Draw(r, "shift"))
		}
		if rapid.Bool().Draw(r, "changed") {
			at := rapid.IntRange(0, len(b)-1).Draw(r, "at")
			b[at] = rapid.SampledFrom([]byte{0, 1, 2, 0x7f, 0x80, 0x81, 0xff}).Draw(r, "byte")
		}
		want, canonical := packedByProtobuf(b)
		got, err := packed[uint64](nil, "list", b, false)
		if (err == nil) != canonical || canonical && !slices.Equal(got, want) {
			r.Fatalf("%x: %v (%v), want %v (%t)", b, got, err, want, canonical)
		}
		if err == nil {
			accepted++
		} else {
			refused++
		}
	})
	if !testing.Short() && (accepted == 0 || refused == 0) { // a short run may have none
		t.Errorf("%d lists accepted, %d refused", accepted, refused)
	}
}

// packedByProtobuf returns the numbers of b and whether each has its shortest form.
func packedByProtobuf(b []byte) (numbers []uint64, canonical bool) {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 || n != protowire.SizeVarint(v) {
			return nil, false
		}
		numbers, b = append(numbers, v), b[n:]
	}
	return numbers, true
}

func TestPackedAtTheEdges(t *testing.T) {
	for bytes := range 10 {
		for _, v := range []uint64{1 << (7 * bytes), 1<<(7*bytes) | 1, 1<<(7*bytes+7) - 1} {
			list := protowire.AppendVarint(nil, v)
			got, err := packed[uint64](nil, "list", slices.Repeat(list, 3), false)
			if err != nil || !slices.Equal(got, []uint64{v, v, v}) {
				t.Errorf("%d in %d bytes: %v (%v)", v, len(list), got, err)
			}
			list[len(list)-1] |= 0x80
			if got, err := packed[uint64](nil, "list", append(list, 0), false); err == nil {
				t.Errorf("%d in %d bytes: %v, want an error", v, len(list)+1, got)
			}
		}
	}
	for name, list := range map[string][]byte{
		"65 bits":       append(slices.Repeat([]byte{0xff}, 9), 2),
		"70 bits":       append(slices.Repeat([]byte{0xff}, 9), 0x7f),
		"11 bytes":      append(slices.Repeat([]byte{0x80}, 10), 1),
		"20 bytes":      append(slices.Repeat([]byte{0xff}, 19), 1),
		"no last byte":  {1, 2, 0x80},
		"nothing":       {},
		"none complete": {0xff, 0xff},
	} {
		if got, err := packed[int64](nil, "list", list, true); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}

// TestNumbersAreAllocatedOnce: of a release of a usual length, only the numbers that it
// keeps are allocated.
func TestNumbersAreAllocatedOnce(t *testing.T) {
	for _, n := range []int{1, 10, usualLen} {
		release := dptest.Received(t, dp.Fields{Count: make([]uint64, n), Value: make([]int64, n)})
		b := AppendRelease(nil, release)
		if got := testing.AllocsPerRun(100, func() { _, _ = ParseRelease(vouch.For(b)) }); got != 2 {
			t.Errorf("%d values: %v allocations, want 2", n, got)
		}
	}
}
