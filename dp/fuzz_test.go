package dp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"runtime"
	"slices"
	"testing"
)

// Nothing that comes off the wire, out of the store or from a configuration makes a
// panic, a number that is not finite, or a cost or noise that is less than was meant.
// FuzzQuantize and FuzzLoad stand beside what they test.

// words returns b as numbers of eight bytes.
func words(b []byte) []uint64 {
	var list []uint64
	for ; len(b) >= 8; b = b[8:] {
		list = append(list, binary.LittleEndian.Uint64(b))
	}
	return list
}

// packed is the inverse of words.
func packed[T int64 | uint64 | float64](list ...T) (b []byte) {
	b, _ = binary.Append(nil, binary.LittleEndian, list) // never fails on numbers
	return b
}

func finite(t *testing.T, what string, xs ...float64) {
	t.Helper()
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: %v", what, xs)
		}
	}
}

// wellFormed checks what everybody may rely on in a Release.
func wellFormed(t *testing.T, r Release) {
	t.Helper()
	v, b := r.Noise()
	finite(t, "noise", v, b)
	if v < 0 || b < 0 || (r.scale == 0) != (r.terms == 0) {
		t.Fatalf("noise %v of scale %v: %+v", v, b, r)
	}
	if r.e > maxExponent || r.e < -maxExponent || r.span.From > r.span.To {
		t.Fatalf("out of range: %+v", r)
	}
	for i := range r.Len() {
		finite(t, "entry", r.At(i))
		if !within(r.Value(i)) {
			t.Fatalf("entry %d out of range: %+v", i, r)
		}
	}
}

// FuzzReceived: what is taken off the wire can be mixed, averaged and put together with
// anything without leaving the range of values.
func FuzzReceived(f *testing.F) {
	f.Add(uint32(1), uint64(0), uint64(4), packed[uint64](3), packed[int64](-7), int8(GridExponent), uint64(1<<20), uint32(1))
	f.Add(uint32(0), uint64(9), uint64(9), packed[uint64](0, math.MaxUint64), packed[int64](MaxValue, -MaxValue), int8(maxExponent), uint64(MaxValue), uint32(math.MaxUint32))
	f.Add(uint32(0), uint64(0), uint64(0), packed[uint64](2), packed[int64](1), int8(MeanExponent), uint64(0), uint32(0))
	// Each of these is refused for one reason.
	f.Add(uint32(0), uint64(2), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(1), uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](MaxValue+1), int8(0), uint64(1), uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](math.MinInt64), int8(0), uint64(1), uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(maxExponent+1), uint64(1), uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(-128), uint64(1), uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(1), uint32(0))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(0), uint32(1))
	f.Fuzz(func(t *testing.T, stream uint32, from, to uint64, count, value []byte, e int8, scale uint64, terms uint32) {
		fields := Fields{Stream: StreamID(stream), Span: Span{from, to}, Count: words(count), Exponent: e, Scale: scale, Terms: terms}
		for _, w := range words(value) {
			fields.Value = append(fields.Value, int64(w))
		}
		r, refused := Received(fields)
		if refused != nil {
			if !errors.Is(refused, ErrMalformed) || !r.Equal(Release{}) {
				t.Fatalf("%+v, %v", r, refused)
			}
			return
		}
		wellFormed(t, r)
		// Sums are on fine lattices; on those from 2^32 on, Mean would shift all out.
		if m, err := Mean(r); err == nil && e < 32 {
			wellFormed(t, m)
		}
		if both, err := Concat([]Release{r, r}); err != nil || both.Len() != 2*r.Len() || both.Counts() != 2*r.Counts() {
			t.Fatalf("%+v twice is %+v, %v", r, both, err)
		}
		m, c := NewMixed(r.Len(), e), NewCounts(r.Counts())
		d, err := m.HalfDifference(r)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, d)
		for range 3 { // the limit lies at half the range
			_ = m.Add(r)
			_ = m.Sub(d)
			wellFormed(t, m.Release())
		}
		if r.Len() == 1 {
			_ = m.Replace(0, r)
			wellFormed(t, m.Release())
			if v, b, err := m.ReplaceByMean(0, r); err == nil {
				finite(t, "noise of the mean", v, b)
			}
			wellFormed(t, m.Release())
		}
		if err := c.RaiseToMax(r); err != nil || !slices.Equal(c.Release().count, r.count) {
			t.Fatalf("counts %v, %v after those of %+v", c, err, r)
		}
		c.RaiseToRank([]Release{r, {}, r}, 1)
		_, _ = m.HalfDifferenceAlike(r, r, c)
	})
}

func FuzzReceivedSealed(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("sealed"))
	f.Add(make([]byte, MaxSealed+1))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReceivedSealed(b)
		if (err == nil) != (1 <= len(b) && len(b) <= MaxSealed) || err != nil && !errors.Is(err, ErrMalformed) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		if err == nil && !bytes.Equal(s.Bytes(), b) {
			t.Fatalf("%x became %x", b, s.Bytes())
		}
	})
}

// loader is a public state of package dp.
type loader interface {
	Load(saved []byte) error
	Save() []byte
	Release() Release
}

// checkLoad: what is refused changes nothing; what is taken is written in its one form,
// which no other one is shorter than.
func checkLoad(t *testing.T, l loader, b []byte) {
	before := l.Save()
	if err := l.Load(b); err != nil {
		if !errors.Is(err, ErrState) || !bytes.Equal(l.Save(), before) {
			t.Fatalf("refused with %v, and now %x instead of %x", err, l.Save(), before)
		}
		return
	}
	wellFormed(t, l.Release())
	if l.Load(append(slices.Clone(b), 0)) == nil {
		t.Fatalf("%x is taken, and so with a byte more", b)
	}
	saved := l.Save()
	if err := l.Load(saved); err != nil || len(saved) > len(b) || !bytes.Equal(l.Save(), saved) {
		t.Fatalf("%x is saved as %x and then as %x, %v", b, saved, l.Save(), err)
	}
}

func FuzzMixedLoad(f *testing.F) {
	m := NewMixed(2, MeanExponent)
	if err := m.Add(Release{v: []int64{MaxValue / 2, -5}, e: MeanExponent}); err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(2), int8(MeanExponent), m.Save())
	f.Add(uint8(0), int8(0), NewMixed(0, 0).Save())
	f.Add(uint8(2), int8(MeanExponent), append(m.Save(), 0))
	f.Add(uint8(2), int8(0), m.Save())
	f.Add(uint8(1), int8(0), binary.AppendVarint([]byte{stateVersion, 0, 0}, MaxValue+1))
	f.Add(uint8(1), int8(0), binary.AppendVarint([]byte{stateVersion, 0, 0}, math.MinInt64))
	f.Add(uint8(1), int8(0), append([]byte{stateVersion, 0}, bytes.Repeat([]byte{0xff}, 20)...))
	f.Fuzz(func(t *testing.T, n uint8, e int8, b []byte) { checkLoad(t, NewMixed(int(n), e), b) })
}

func FuzzCountsLoad(f *testing.F) {
	c := NewCounts(2)
	if err := c.RaiseToMax(Release{count: []uint64{1, math.MaxUint64}}); err != nil {
		f.Fatal(err)
	}
	f.Add(uint8(2), c.Save())
	f.Add(uint8(1), []byte{stateVersion, 0x80, 0})
	f.Add(uint8(2), append(c.Save(), 0))
	f.Fuzz(func(t *testing.T, n uint8, b []byte) { checkLoad(t, NewCounts(int(n)), b) })
}

// FuzzLoadIsCheap: a state of a door takes no more memory than in proportion to its
// length, whatever it claims of what is to come.
func FuzzLoadIsCheap(f *testing.F) {
	charged := func(s Spec) []byte {
		c, err := s.charge(0)
		if err != nil {
			f.Fatal(err)
		}
		b := []byte{stateVersion, byte(Lockstep)}
		b = binary.AppendUvarint(b, uint64(Infinite))
		return c.append(append(b, 0, 1))
	}
	wide := spec(MaxLeaves, None)
	wide.Streams, wide.Dim = MaxLen, MaxLen
	f.Add(charged(wide))
	f.Add(append(charged(wide), make([]byte, 500)...))
	many := spec(1, None)
	many.Streams = MaxLen
	f.Add(append(charged(many), make([]byte, 500)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := NewDoor(Lockstep, Infinite, NewSecureSource())
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = d.Load(NewSecret(b))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20+100*uint64(len(b)) {
			t.Fatalf("%d bytes allocated for %d, %v", n, len(b), err)
		}
	})
}

// FuzzEpsilon: a cost is the number that was asked for, up to its own rounding and one
// of floats, and never more than finite unless that was asked for.
func FuzzEpsilon(f *testing.F) {
	for _, x := range []float64{0, .3, 1, 1e9, math.Nextafter(1e9, 2e9), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), -1, 1e-300} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, epsilon float64) {
		c, err := Epsilon(epsilon)
		infinite := math.IsInf(epsilon, 1)
		if (err == nil) != (infinite || 0 <= epsilon && epsilon <= Nano) {
			t.Fatalf("ε = %v costs %v, %v", epsilon, c, err)
		}
		if err != nil || infinite {
			if c != 0 && !infinite || infinite && c != Infinite {
				t.Fatalf("ε = %v costs %v, %v", epsilon, c, err)
			}
			return
		}
		asked := new(big.Rat).Mul(new(big.Rat).SetFloat64(epsilon), big.NewRat(Nano, 1))
		slack := new(big.Rat).Mul(asked, big.NewRat(1, 1<<53))
		least := new(big.Rat).Sub(asked, slack)
		cost := new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(c)))
		if cost.Cmp(new(big.Rat).Add(asked, slack)) > 0 || cost.Cmp(least.Sub(least, big.NewRat(1, 1))) < 0 {
			t.Fatalf("ε = %v costs %v", epsilon, c)
		}
	})
}

// checkNoise computes with integers of any size whether a charge has the noise that its
// streams need, and no more.
func checkNoise(t *testing.T, c Charge) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if c.Lo >= c.Hi {
		t.Fatalf("%+v: bounds", c)
	}
	product := func(factors ...uint64) *big.Int {
		p := big.NewInt(1)
		for _, x := range factors {
			p.Mul(p, new(big.Int).SetUint64(x))
		}
		return p
	}
	switch c.Mechanism {
	case Tree:
		need := product(c.RecordsPerUser, levels(c.Leaves), uint64(c.Hi-c.Lo), uint64(c.Dim), Nano)
		if c.Scale < 1 || c.Scale > MaxScale || c.Cost == Infinite ||
			product(c.Scale, uint64(c.Cost)).Cmp(need) < 0 || product(c.Scale-1, uint64(c.Cost)).Cmp(need) >= 0 {
			t.Fatalf("%+v: noise", c)
		}
	case None:
		if c.Scale != 0 || c.Cost != Infinite {
			t.Fatalf("%+v: no noise for a price", c)
		}
	default:
		t.Fatalf("%+v: a mechanism that this test does not know", c)
	}
}

// FuzzOpen: what a door charges is what its noise is worth, and what it refuses costs
// nothing.
func FuzzOpen(f *testing.F) {
	f.Add(1, 1, 0., 1., uint64(400), uint64(1), uint8(Tree), uint64(Nano), uint64(2*Nano))
	f.Add(1, 1, 0., 1., uint64(400), uint64(1), uint8(Tree), uint64(7*Nano), uint64(7*Nano)) // a scale that is rounded
	f.Add(3, 2, -1., 1., uint64(8), uint64(2), uint8(None), uint64(0), uint64(Infinite))
	f.Add(1, 1, 0., 1., uint64(1), uint64(1), uint8(None), uint64(0), uint64(Nano))
	f.Add(MaxLen, MaxLen, -256., 256., uint64(MaxLeaves), uint64(1<<20), uint8(Tree), uint64(math.MaxUint64-1), uint64(math.MaxUint64))
	f.Add(-1, -1, math.NaN(), math.Inf(1), uint64(0), uint64(0), uint8(9), uint64(0), uint64(0))
	f.Add(1, 1, math.SmallestNonzeroFloat64, 1e-9, uint64(math.MaxUint64), uint64(math.MaxUint64), uint8(Tree), uint64(minCost), uint64(1))
	f.Fuzz(func(t *testing.T, streams, dim int, lo, hi float64, leaves, records uint64, mechanism uint8, epsilon, budget uint64) {
		s := Spec{
			What: "fuzz", Streams: streams, Dim: dim, Lo: lo, Hi: hi, Leaves: leaves,
			RecordsPerUser: records, Mechanism: Mechanism(mechanism), Epsilon: Cost(epsilon),
		}
		want, err := s.charge(0)
		if err == nil {
			checkNoise(t, want)
			if uint64(streams)*uint64(dim)*levels(leaves) > 1<<12 {
				return // a door allocates them all
			}
		}
		d, doorErr := NewDoor(Lockstep, Cost(budget), seeded(1))
		if doorErr != nil {
			t.Fatal(doorErr)
		}
		_, openErr := d.Open(s)
		charges := d.Charges()
		var short *BudgetError
		switch {
		case openErr != nil:
			if len(charges) > 0 || d.Left() != Cost(budget) || (err == nil) != errors.As(openErr, &short) {
				t.Fatalf("%+v with %v: charged %v, left %v, %v", s, Cost(budget), charges, d.Left(), openErr)
			}
			if err == nil && short.Asked <= short.Left {
				t.Fatalf("%v, though it is enough", short)
			}
		case err != nil || len(charges) != 1 || charges[0] != want:
			t.Fatalf("%+v: charged %v, want %v, %v", s, charges, want, err)
		case Cost(budget) == Infinite:
			if d.Left() != Infinite {
				t.Fatalf("%v left of everything", d.Left())
			}
		case want.Cost > Cost(budget) || d.Left() != Cost(budget)-want.Cost:
			t.Fatalf("%+v with %v: left %v", s, Cost(budget), d.Left())
		}
	})
}

// FuzzCharge: a charge that passes has its noise, and covers nothing with another one or
// past its horizon.
func FuzzCharge(f *testing.F) {
	good, err := spec(8, Tree).charge(0)
	if err != nil {
		f.Fatal(err)
	}
	add := func(c Charge, from, to uint64, scale uint64, terms uint32) {
		f.Add(uint32(c.Stream), c.Streams, c.Dim, c.Lo, c.Hi, c.Leaves, c.RecordsPerUser, uint8(c.Mechanism), uint8(c.Mode), uint64(c.Cost), c.Scale,
			uint32(c.Stream), from, to, 1, scale, terms)
	}
	add(good, 0, 8, good.Scale, 1)
	add(good, 4, 6, good.Scale-1, 1)
	add(good, 8, 9, good.Scale, 1)
	less := good
	less.Scale--
	add(less, 0, 8, less.Scale, 1)
	good.Mode++
	add(good, 0, 1, good.Scale, 1)
	none, err := spec(MaxLeaves, None).charge(math.MaxUint32)
	if err != nil {
		f.Fatal(err)
	}
	add(none, MaxLeaves-1, MaxLeaves, 0, 0)
	f.Fuzz(func(t *testing.T, stream uint32, streams, dim int, lo, hi int64, leaves, records uint64, mechanism, mode uint8, cost, scale uint64,
		of uint32, from, to uint64, values int, noise uint64, terms uint32,
	) {
		c := Charge{
			Stream: StreamID(stream), Streams: streams, Dim: dim, Lo: lo, Hi: hi, Leaves: leaves, RecordsPerUser: records,
			Mechanism: Mechanism(mechanism), Mode: ChargeMode(mode), Cost: Cost(cost), Scale: scale,
		}
		r, err := Received(Fields{
			Stream: StreamID(of), Span: Span{from, to}, Count: make([]uint64, 1), Value: make([]int64, uint64(values)%(MaxLen+1)),
			Exponent: GridExponent, Scale: noise, Terms: terms,
		})
		if err != nil {
			return
		}
		err = c.Covers(r)
		if err != nil && !errors.Is(err, ErrUnpaid) {
			t.Fatal(err)
		}
		if c.Check() != nil {
			return
		}
		checkNoise(t, c)
		if last := uint64(c.Stream) + uint64(c.Streams); err == nil &&
			(uint64(of) < uint64(c.Stream) || uint64(of) >= last || to > c.Leaves || noise != c.Scale || r.Len() != c.Dim) {
			t.Fatalf("%+v covers %+v", c, r)
		}
	})
}

// FuzzRecords gives a door any numbers: those that are none are refused and leave it as
// it was; without noise the sums are those of the others, clipped; with noise they are
// in range.
func FuzzRecords(f *testing.F) {
	f.Add(uint8(None), uint8(1), 0., 1., packed(.3, 2, -1, math.NaN(), 1, math.Inf(1), math.SmallestNonzeroFloat64))
	f.Add(uint8(Tree), uint8(2), -256., 256., packed(1e308, -1e308, math.Inf(-1), 1, 256, 255.9999999, -0.1, 3))
	f.Add(uint8(None), uint8(3), -.3, .3, bytes.Repeat(packed(math.Copysign(0, -1), 1e-7, -1e-7), 9))
	f.Fuzz(func(t *testing.T, mechanism, dim uint8, lo, hi float64, records []byte) {
		s := spec(64, Mechanism(mechanism))
		s.Lo, s.Hi, s.Dim = lo, hi, int(dim%4)+1
		if _, err := s.charge(0); err != nil {
			return
		}
		d := open(t, s, seeded(1))
		d.Charges()
		save := func() []byte {
			state, err := d.Save()
			if err != nil {
				t.Fatal(err)
			}
			return state.Bytes()
		}
		sum, n := make([]int64, s.Dim), uint64(0)
		for w := words(records); len(w) >= s.Dim && n < s.Leaves; w = w[s.Dim:] {
			x, q, ok := make([]float64, s.Dim), make([]int64, s.Dim), true
			for i := range x {
				x[i] = math.Float64frombits(w[i])
				ok = ok && !math.IsNaN(x[i]) && !math.IsInf(x[i], 0)
				q[i], _ = Quantize(x[i], s.Lo, s.Hi)
			}
			before := save()
			if err := d.Add(0, x); err != nil {
				if ok || !errors.Is(err, ErrNotFinite) || !bytes.Equal(save(), before) {
					t.Fatalf("%v: %v", x, err)
				}
				continue
			}
			if !ok {
				t.Fatalf("%v was taken in", x)
			}
			n++
			l, err := d.Leaf(0, n)
			if err != nil {
				t.Fatal(err)
			}
			d.Drawn()
			wellFormed(t, l.Node)
			wellFormed(t, l.Sum)
			for i := range sum {
				sum[i] += q[i]
				if s.Mechanism == None && l.Sum.Value(i) != sum[i] {
					t.Fatalf("sum %v, want %v", l.Sum, sum)
				}
			}
			if l.Sum.Count(0) != n || l.Sum.scale != d.charged[0].Scale {
				t.Fatalf("%+v after %d records", l.Sum, n)
			}
		}
	})
}

// FuzzReplay gives a door nodes that it never drew: it takes one as it is or stops.
func FuzzReplay(f *testing.F) {
	c, err := spec(8, Tree).charge(0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), uint64(0), uint64(1), uint64(0), int64(5), uint8(1), c.Scale, uint32(1))
	f.Add(uint32(0), uint64(0), uint64(1), uint64(0), int64(MaxValue), uint8(1), c.Scale, uint32(1))
	f.Add(uint32(1), uint64(1), uint64(2), uint64(1), int64(0), uint8(0), uint64(1), uint32(2))
	f.Fuzz(func(t *testing.T, stream uint32, from, to, count uint64, value int64, n uint8, scale uint64, terms uint32) {
		r, err := Received(Fields{
			Stream: StreamID(stream), Span: Span{from, to}, Count: []uint64{count}, Value: slices.Repeat([]int64{value}, int(n)),
			Exponent: GridExponent, Scale: scale, Terms: terms,
		})
		if err != nil {
			return
		}
		for _, src := range []*Source{NewSecureSource(), seeded(1)} {
			d := open(t, spec(8, Tree), src)
			d.Replay([]Release{r})
			l, err := d.Leaf(0, 1)
			if err != nil {
				if !errors.Is(err, ErrReplay) || d.Replayed() == nil {
					t.Fatalf("%+v: %v, and then %v", r, err, d.Replayed())
				}
				continue
			}
			if !l.Node.Equal(r) || d.Replayed() != nil {
				t.Fatalf("replayed %+v for %+v, %v", l.Node, r, d.Replayed())
			}
			wellFormed(t, l.Sum)
		}
	})
}

// FuzzDraw gives the samplers any first words.
func FuzzDraw(f *testing.F) {
	f.Add(uint64(1), packed[uint64](0, 0, math.MaxUint64))
	f.Add(uint64(MaxSigma), packed[uint64](math.MaxUint64, 0, 0, 0))
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
		if refused != (scale < 1 || scale > MaxSigma) || x <= -(1<<31+MaxSigma) || x >= 1<<31+MaxSigma {
			t.Fatalf("Gaussian(%d) = %d, %v", scale, x, refused)
		}
	})
}
