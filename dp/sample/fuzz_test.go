package sample

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// words returns b as numbers of eight bytes.
func words(b []byte) []uint64 {
	var list []uint64
	for ; len(b) >= 8; b = b[8:] {
		list = append(list, binary.LittleEndian.Uint64(b))
	}
	return list
}

// packed is the inverse of words.
func packed(list ...uint64) (b []byte) {
	b, _ = binary.Append(nil, binary.LittleEndian, list) // never fails on numbers
	return b
}

// FuzzDraw gives the samplers arbitrary first words.
func FuzzDraw(f *testing.F) {
	f.Add(uint64(1), packed(0, 0, math.MaxUint64))
	f.Add(uint64(MaxSigma), packed(math.MaxUint64, 0, 0, 0))
	f.Add(uint64(MaxSigma+1), bytes.Repeat([]byte{0xff}, 64))
	f.Add(uint64(MaxScale), make([]byte, 160))
	f.Add(uint64(MaxScale+1), []byte(nil))
	f.Add(uint64(0), []byte(nil))
	f.Fuzz(func(t *testing.T, scale uint64, script []byte) {
		draw := func(from func(*Source, uint64) int64) (x int64, refused bool) {
			defer func() { refused = recover() != nil }()
			s := scripted(words(script[:min(len(script), 4096)])...)
			return from(s, scale), false
		}
		x, refused := draw((*Source).Laplace)
		if refused != (scale < 1 || scale > MaxScale) || x <= -1<<60 || x >= 1<<60 {
			t.Fatalf("Laplace(%d) = %d, %v", scale, x, refused)
		}
		x, refused = draw((*Source).Gaussian)
		if refused != (scale < 1 || scale > MaxSigma) || x <= -1<<60 || x >= 1<<60 {
			t.Fatalf("Gaussian(%d) = %d, %v", scale, x, refused)
		}
	})
}
