// Package state writes and reads saved states: a version byte followed by numbers and parts, in
// an order that saving and loading share. Nothing is optional and nothing has a default, so a
// state of another form is refused and never read partially.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrState is wrapped by the errors of [Load].
var ErrState = errors.New("saved state does not fit")

// A Visitor writes the fields of a state to save, and reads the fields of a state to load. One
// function visits the fields for both, in one order:
//
//	func (c *counter) fields(v *state.Visitor) {
//		v.Uint(&c.n)
//		v.Bool(&c.over)
//		v.Check(c.n <= limit, "%d counted, at most %d", c.n, limit)
//	}
//
//	func (c *counter) Save() []byte            { return state.Save(1, c.fields) }
//	func (c *counter) Load(saved []byte) error { return state.Load(saved, 1, c.fields) }
//
// Saving changes no field. After the first error a load reads zeros and empty lists, and [Load]
// returns that error.
type Visitor struct {
	b       []byte // what is written, or not read yet
	err     error
	loading bool
	version byte
}

// Save returns a state of a version with the fields that the function visits.
func Save(version byte, fields func(*Visitor)) []byte {
	v := &Visitor{b: append(make([]byte, 0, 128), version), version: version}
	fields(v)
	return v.b
}

// Load reads a state, which must have a version, into the fields that the function visits. Its
// errors wrap [ErrState]; the fields must then not be used.
func Load(saved []byte, version byte, fields func(*Visitor)) error {
	if len(saved) == 0 || saved[0] != version {
		return fmt.Errorf("%w: version %x, want %02x: it was written by another release of peerd", ErrState, saved[:min(len(saved), 1)], version)
	}
	v := &Visitor{b: saved[1:], version: version, loading: true}
	fields(v)
	if len(v.b) > 0 {
		v.Fail("%d bytes too long", len(v.b))
	}
	return v.err
}

// Loading reports whether fields are read rather than written.
func (v *Visitor) Loading() bool { return v.loading }

// Version returns the version of the state.
func (v *Visitor) Version() byte { return v.version }

// OK reports whether there was no error so far. Saving never has one.
func (v *Visitor) OK() bool { return v.err == nil }

// Fail refuses the state that is being loaded. Only the first call counts.
func (v *Visitor) Fail(format string, args ...any) {
	if !v.loading {
		return
	}
	if v.err == nil {
		v.err = fmt.Errorf("%w: %w", ErrState, fmt.Errorf(format, args...))
	}
	v.b = nil
}

// Check refuses the state that is being loaded unless ok.
func (v *Visitor) Check(ok bool, format string, args ...any) {
	if !ok {
		v.Fail(format, args...)
	}
}

// take returns the next n bytes to read; nil if there are fewer.
func (v *Visitor) take(n int) []byte {
	if n > len(v.b) || v.err != nil {
		v.Fail("cut short")
		return nil
	}
	x := v.b[:n:n]
	v.b = v.b[n:]
	return x
}

// Byte visits a byte.
func (v *Visitor) Byte(x *byte) {
	if !v.loading {
		v.b = append(v.b, *x)
	} else if *x = 0; len(v.b) == 0 {
		v.Fail("cut short")
	} else {
		*x, v.b = v.b[0], v.b[1:]
	}
}

// Bool visits a truth value, which takes a byte.
func (v *Visitor) Bool(x *bool) { v.Flags(x) }

// Flags visits up to 8 truth values, which share a byte: the first is its lowest bit.
func (v *Visitor) Flags(bits ...*bool) {
	var all byte
	if !v.loading {
		for i, bit := range bits {
			if *bit {
				all |= 1 << i
			}
		}
		v.b = append(v.b, all)
		return
	}
	v.Byte(&all)
	if all>>len(bits) != 0 {
		v.Fail("%d in place of %d truth values", all, len(bits))
		all = 0
	}
	for i, bit := range bits {
		*bit = all>>i&1 != 0
	}
}

// Uint visits a number, in as few bytes as it needs, 7 bits in each.
func (v *Visitor) Uint(x *uint64) {
	if !v.loading {
		v.b = binary.AppendUvarint(v.b, *x)
		return
	}
	var n int
	*x, n = binary.Uvarint(v.b)
	v.pass(n)
}

// Int visits a number like Uint; small negative ones are short as well.
func (v *Visitor) Int(x *int64) {
	if !v.loading {
		v.b = binary.AppendVarint(v.b, *x)
		return
	}
	var n int
	*x, n = binary.Varint(v.b)
	v.pass(n)
}

// pass skips a number of n bytes; n ≤ 0 means that there was none.
func (v *Visitor) pass(n int) {
	if n <= 0 {
		v.Fail("cut short")
		return
	}
	v.b = v.b[n:]
}

// Uint64 visits a number in 8 bytes, big-endian.
func (v *Visitor) Uint64(x *uint64) {
	if !v.loading {
		v.b = binary.BigEndian.AppendUint64(v.b, *x)
	} else if *x = 0; len(v.b) < 8 {
		v.Fail("cut short")
	} else {
		*x, v.b = binary.BigEndian.Uint64(v.b), v.b[8:]
	}
}

// Float visits a float, bit for bit.
func (v *Visitor) Float(x *float64) {
	bits := math.Float64bits(*x)
	if v.Uint64(&bits); v.loading {
		*x = math.Float64frombits(bits)
	}
}

// Array visits bytes in place, without their number.
func (v *Visitor) Array(x []byte) {
	if !v.loading {
		v.b = append(v.b, x...)
		return
	}
	clear(x)
	copy(x, v.take(len(x)))
}

// Vector visits numbers in place, without their number. When loading, they must be within ±most.
func (v *Visitor) Vector(x []int64, most int64) {
	for i := range x {
		if v.Int(&x[i]); x[i] > most || x[i] < -most {
			v.Fail("%d, at most %d either way", x[i], most)
		}
	}
}

// Bytes visits bytes with their number. When loading, they share the state's memory.
func (v *Visitor) Bytes(x *[]byte) {
	n := v.Len(len(*x))
	if !v.loading {
		v.b = append(v.b, *x...)
		return
	}
	*x = v.take(n)
}

// String visits a string with its length.
func (v *Visitor) String(x *string) {
	n := v.Len(len(*x))
	if !v.loading {
		v.b = append(v.b, *x...)
		return
	}
	*x = string(v.take(n))
}

// Part visits a state within this one, with its length: for x, call Part(x.Save, x.Load).
func (v *Visitor) Part(save func() []byte, load func([]byte) error) {
	var b []byte
	if !v.loading {
		b = save()
	}
	if v.Bytes(&b); v.loading && v.err == nil {
		if err := load(b); err != nil {
			v.Fail("%w", err)
		}
	}
}

// Uints visits a list in place, with its length, which must equal the loaded length. For lists of any length there is [List].
func (v *Visitor) Uints(x []uint64) { inPlace(v, x, v.Uint) }

// Floats is like Uints.
func (v *Visitor) Floats(x []float64) { inPlace(v, x, v.Float) }

// Bools is like Uints.
func (v *Visitor) Bools(x []bool) { inPlace(v, x, v.Bool) }

func inPlace[T any](v *Visitor, x []T, visit func(*T)) {
	if n := v.Len(len(x)); n != len(x) {
		v.Fail("%d of what are %d", n, len(x))
	}
	for i := range x {
		visit(&x[i])
	}
}

// Len visits the length of a list whose items are visited one by one, each of at least a byte. It
// returns n when saving, and the length that was read when loading.
func (v *Visitor) Len(n int) int {
	all := uint64(n)
	if v.Uint(&all); v.loading && all > uint64(len(v.b)) {
		v.Fail("cut short")
		return 0
	}
	return int(all)
}

// More reports whether a load has something left to read.
func (v *Visitor) More() bool { return v.loading && len(v.b) > 0 }

// List visits a list of any length, with its length, item by item: List(v, &names, v.String).
func List[T any](v *Visitor, x *[]T, visit func(*T)) {
	n := v.Len(len(*x))
	if v.loading {
		*x = nil
	}
	for i := 0; i < n && v.err == nil; i++ {
		if v.loading {
			var item T
			*x = append(*x, item)
		}
		visit(&(*x)[i])
	}
	if v.loading && v.err != nil {
		*x = nil
	}
}

// Number visits a number of any unsigned type like [Visitor.Uint], and refuses one that its type
// cannot hold.
func Number[T integer](v *Visitor, x *T) {
	all := uint64(*x)
	if v.Uint(&all); !v.loading {
		return
	}
	if *x = T(all); uint64(*x) != all || *x < 0 {
		v.Fail("%d is out of range", all)
		*x = 0
	}
}

type integer interface {
	~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}
