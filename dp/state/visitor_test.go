package state_test

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"peerd.dev/dp/state"
)

// part is a state within another.
type part struct{ name string }

func (p *part) fields(v *state.Visitor) { v.String(&p.name) }

func (p *part) Save() []byte { return state.Save(7, p.fields) }

func (p *part) Load(saved []byte) error { return state.Load(saved, 7, p.fields) }

// all has a field of every kind.
type all struct {
	small       byte
	on, off, up bool
	number      uint64
	signed      int64
	wide        uint64
	ratio       float64
	key         [3]byte
	sums        [2]int64
	frame       []byte
	name        string
	part        part
	counts      [2]uint64
	floats      [2]float64
	bools       [3]bool
	names       []string
	peer        uint32
	arm         int
}

func (x *all) fields(v *state.Visitor) {
	v.Byte(&x.small)
	v.Bool(&x.on)
	v.Flags(&x.off, &x.up)
	v.Uint(&x.number)
	v.Int(&x.signed)
	v.Uint64(&x.wide)
	v.Float(&x.ratio)
	v.Array(x.key[:])
	v.Vector(x.sums[:], 5)
	v.Bytes(&x.frame)
	v.String(&x.name)
	v.Part(x.part.Save, x.part.Load)
	v.Uints(x.counts[:])
	v.Floats(x.floats[:])
	v.Bools(x.bools[:])
	state.List(v, &x.names, v.String)
	state.Number(v, &x.peer)
	state.Number(v, &x.arm)
	v.Check(x.arm < 10, "arm %d of 10", x.arm)
}

func example() all {
	return all{
		200, true, false, true, 300, -2, 1, 0.5,
		[3]byte{1, 2, 3},
		[2]int64{-5, 5},
		[]byte("ab"), "c",
		part{"d"},
		[2]uint64{1, 128},
		[2]float64{0, math.Inf(1)},
		[3]bool{true, false, true},
		[]string{"", "e"},
		math.MaxUint32, 9,
	}
}

// saved is the example's form on disk.
var saved = []byte("\x05" + "\xc8" + "\x01" + "\x02" + "\xac\x02" + "\x03" + "\x00\x00\x00\x00\x00\x00\x00\x01" +
	"\x3f\xe0\x00\x00\x00\x00\x00\x00" + "\x01\x02\x03" + "\x09\x0a" + "\x02ab" + "\x01c" + "\x03\x07\x01d" + "\x02\x01\x80\x01" +
	"\x02\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xf0\x00\x00\x00\x00\x00\x00" + "\x03\x01\x00\x01" + "\x02\x00\x01e" +
	"\xff\xff\xff\xff\x0f" + "\x09")

func TestVisitor(t *testing.T) {
	want := example()
	b := state.Save(5, want.fields)
	if !bytes.Equal(b, saved) {
		t.Fatalf("saved as\n%q, want\n%q", b, saved)
	}
	if !reflect.DeepEqual(want, example()) {
		t.Error("saving has changed a field")
	}
	var got all
	if err := state.Load(b, 5, got.fields); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v, %v, want %+v", got, err, want)
	}
}

// Every prefix of a state, an extended state and one of another version are refused.
func TestVisitorRefuses(t *testing.T) {
	for n := range saved {
		var x all
		if err := state.Load(saved[:n], 5, x.fields); !errors.Is(err, state.ErrState) {
			t.Errorf("of %d bytes: %v", n, err)
		}
	}
	var x all
	if err := state.Load(append(bytes.Clone(saved), 0), 5, x.fields); !errors.Is(err, state.ErrState) {
		t.Errorf("too long: %v", err)
	}
	if err := state.Load(saved, 6, x.fields); !errors.Is(err, state.ErrState) {
		t.Errorf("of another version: %v", err)
	}
}

func TestVisitorRefusesValues(t *testing.T) {
	cause := errors.New("cause")
	var (
		peer  uint32
		arm   int
		is    bool
		bits  [2]bool
		list  [2]uint64
		names []string
	)
	for name, c := range map[string]struct {
		saved  string
		fields func(*state.Visitor)
	}{
		"a number that its type does not hold": {"\xff\xff\xff\xff\x1f", func(v *state.Visitor) { state.Number(v, &peer) }},
		"a number below 0":                     {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", func(v *state.Visitor) { state.Number(v, &arm) }},
		"a number above 64 bits":               {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", func(v *state.Visitor) { v.Uint(&list[0]) }},
		"no truth value":                       {"\x02", func(v *state.Visitor) { v.Bool(&is) }},
		"too many truth values":                {"\x04", func(v *state.Visitor) { v.Flags(&bits[0], &bits[1]) }},
		"a number out of range":                {"\x0c", func(v *state.Visitor) { v.Vector(make([]int64, 1), 5) }},
		"a negative one":                       {"\x0b", func(v *state.Visitor) { v.Vector(make([]int64, 1), 5) }},
		"a list of another length":             {"\x01\x01", func(v *state.Visitor) { v.Uints(list[:]) }},
		"a list longer than the state":         {"\xff\x01\x00", func(v *state.Visitor) { state.List(v, &names, v.String) }},
		"a check":                              {"", func(v *state.Visitor) { v.Check(false, "") }},
		"a failure":                            {"", func(v *state.Visitor) { v.Fail("%w", cause) }},
	} {
		err := state.Load([]byte("\x01"+c.saved), 1, c.fields)
		if !errors.Is(err, state.ErrState) || name == "a failure" && !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		if peer != 0 || arm != 0 || is || bits[1] || len(names) != 0 {
			t.Errorf("%s: not zero", name)
		}
	}
	if got := state.Save(1, func(v *state.Visitor) { v.Fail("a failure"); v.Check(false, "a check") }); len(got) != 1 {
		t.Errorf("saved %q", got)
	}
}
