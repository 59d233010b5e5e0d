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

	"peerd.dev/dp/account"
	"peerd.dev/dp/factor"
	"peerd.dev/dp/sample"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
)

// Nothing that comes off the wire, out of the store or from a configuration causes a panic, a
// number that is not finite, or a cost or noise below the intended one. FuzzQuantize and FuzzLoad
// are next to what they test.

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

// wellFormed checks what holds for every Release.
func wellFormed(t *testing.T, r Release) {
	t.Helper()
	n := r.NoiseMoments()
	finite(t, "noise", n.LaplaceSumSq, n.LaplaceMax, n.GaussVar)
	if n.LaplaceSumSq < 0 || n.LaplaceMax < 0 || n.GaussVar < 0 || (r.noise.Scale == 0) != (r.noise.VarianceUnits == 0) {
		t.Fatalf("noise %+v: %+v", n, r)
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

// FuzzReceived: what comes off the wire can be combined with anything without leaving the range
// of values.
func FuzzReceived(f *testing.F) {
	f.Add(uint32(1), uint64(0), uint64(4), packed[uint64](3), packed[int64](-7), int8(GridExponent), uint64(1<<20), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(9), uint64(9), packed[uint64](0, math.MaxUint64), packed[int64](MaxValue, -MaxValue), int8(maxExponent), uint64(MaxValue), uint32(math.MaxUint32), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(0), packed[uint64](2), packed[int64](1), int8(-32), uint64(0), uint32(0), uint8(Laplace))
	// Each of these is refused for one reason.
	f.Add(uint32(0), uint64(2), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(1), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](MaxValue+1), int8(0), uint64(1), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](math.MinInt64), int8(0), uint64(1), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(maxExponent+1), uint64(1), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(-128), uint64(1), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(1), uint32(0), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(0), uint32(1), uint8(Laplace))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(9), uint32(VarianceScale), uint8(Gaussian))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(9), uint32(VarianceScale), uint8(Gaussian+1))
	f.Add(uint32(0), uint64(0), uint64(1), packed[uint64](1), packed[int64](1), int8(0), uint64(0), uint32(0), uint8(Gaussian))
	f.Fuzz(func(t *testing.T, stream uint32, from, to uint64, count, value []byte, e int8, scale uint64, terms uint32, law uint8) {
		fields := Fields{Stream: StreamID(stream), Span: Span{From: from, To: to}, Count: words(count), Exponent: e, Noise: Noise{Law: Law(law), Scale: scale, VarianceUnits: terms}}
		for _, w := range words(value) {
			fields.Value = append(fields.Value, int64(w))
		}
		r, refused := Received(vouch.For(fields))
		if refused != nil {
			if !errors.Is(refused, ErrMalformed) || !r.Equal(Release{}) {
				t.Fatalf("%+v, %v", r, refused)
			}
			return
		}
		wellFormed(t, r)
		if both, err := Concat([]Release{r, r}); err != nil || both.Len() != 2*r.Len() || both.Counts() != 2*r.Counts() {
			t.Fatalf("%+v twice is %+v, %v", r, both, err)
		}
	})
}

func FuzzReceivedSealed(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("sealed"))
	f.Add(make([]byte, MaxSealed+1))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReceivedSealed(vouch.For(b))
		if (err == nil) != (1 <= len(b) && len(b) <= MaxSealed) || err != nil && !errors.Is(err, ErrMalformed) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		if err == nil && !bytes.Equal(s.Bytes(), b) {
			t.Fatalf("%x became %x", b, s.Bytes())
		}
	})
}

// FuzzLoadIsCheap: a state of a curator takes memory at most in proportion to its length,
// whatever lengths it claims.
func FuzzLoadIsCheap(f *testing.F) {
	charged := func(s Spec) []byte {
		c := require.Value(s.charge(0))(f)
		b := []byte{stateVersion, byte(Lockstep)}
		b = append(binary.AppendUvarint(b, uint64(Infinite)), 0)
		return append(append(b, 0, 1), chargeBytes(&c)...)
	}
	wide := spec(MaxLeaves, None)
	wide.Streams, wide.Dim = maxSums/MaxLen, MaxLen
	f.Add(charged(wide))
	f.Add(append(charged(wide), make([]byte, 500)...))
	many := spec(1, None)
	many.Streams = MaxLen
	f.Add(append(charged(many), make([]byte, 500)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := NewCurator(Lockstep, vouch.For(account.Unlimited), NewSecureSource())
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = d.Load(NewSecret(vouch.For(b)))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20+100*uint64(len(b)) {
			t.Fatalf("%d bytes allocated for %d, %v", n, len(b), err)
		}
	})
}

// FuzzEpsilon: a cost is the requested number, up to its own rounding and one rounding of floats,
// and infinite only if that was requested.
func FuzzEpsilon(f *testing.F) {
	for _, x := range []float64{0, .3, 1, 1e9, math.Nextafter(1e9, 2e9), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), -1, 1e-300} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, epsilon float64) {
		c, err := account.Epsilon(epsilon)
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

// checkNoise computes with big integers whether a charge has the noise that its streams require
// and, for Laplace noise, not more.
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
	d := design(c.Mechanism)
	switch {
	case c.Mechanism == None:
		if c.Scale != 0 || c.Loss.Pure != Infinite {
			t.Fatalf("%+v: no noise for a price", c)
		}
	case d.Law == Laplace:
		need := product(c.RecordsPerUser, d.L1(c.Leaves), c.Change(), uint64(c.Dim), Nano)
		if c.Scale < 1 || c.Scale > sample.MaxScale || c.Loss.Pure == Infinite || c.Loss.Square != 0 ||
			product(c.Scale, uint64(c.Loss.Pure)).Cmp(need) < 0 || product(c.Scale-1, uint64(c.Loss.Pure)).Cmp(need) >= 0 {
			t.Fatalf("%+v: noise", c)
		}
	default:
		mu := c.norm(&d) / float64(c.Scale)
		if c.Scale < minSigma || c.Scale > sample.MaxSigma || c.Loss.Pure != 0 || float64(c.Loss.Square) < mu*mu*Nano*(1-1e-12) {
			t.Fatalf("%+v: noise", c)
		}
	}
}

// FuzzOpen: a curator charges what its noise costs, and what it refuses costs nothing.
func FuzzOpen(f *testing.F) {
	add := func(streams, dim int, lo, hi float64, leaves, records uint64, m Mechanism, epsilon, budget uint64, delta float64) {
		f.Add(streams, dim, lo, hi, leaves, records, uint8(m), uint8(Box), uint8(ReplaceOne), uint8(0), epsilon, budget, delta)
	}
	add(1, 1, 0., 1., 400, 1, Tree, Nano, 2*Nano, 0)
	add(1, 1, 0., 1., 400, 1, Tree, 7*Nano, 7*Nano, 0) // a scale that is rounded
	add(3, 2, -1., 1., 8, 2, None, 0, uint64(Infinite), 0)
	add(1, 1, 0., 1., 1, 1, None, 0, Nano, 0)
	add(MaxLen, MaxLen, -256., 256., MaxLeaves, 1<<20, Tree, math.MaxUint64-1, math.MaxUint64, 0)
	add(-1, -1, math.NaN(), math.Inf(1), 0, 0, 99, 0, 0, math.NaN())
	add(1, 1, math.SmallestNonzeroFloat64, 1e-9, math.MaxUint64, math.MaxUint64, Tree, minCost, 1, 0)
	for _, m := range Mechanisms() {
		add(1, 2, 0., 1., 64, 1, m, Nano, Nano, 1e-6)
		add(1, 2, -1., 1., 64, 3, m, Nano, 2*Nano, 1e-3)
	}
	f.Add(1, 3, -1., 1., uint64(400), uint64(1), uint8(TreeGaussian), uint8(Linear), uint8(ZeroOut), uint8(33), uint64(Nano), uint64(Nano), 1e-5)
	f.Add(1, 3, -1., 1., uint64(400), uint64(1), uint8(EachGaussian), uint8(Corner), uint8(ReplaceOne), uint8(0), uint64(Nano), uint64(Nano), 1e-5)
	f.Fuzz(func(t *testing.T, streams, dim int, lo, hi float64, leaves, records uint64, mechanism, kind, adjacency, sigma uint8, epsilon, pays uint64, delta float64) {
		s := Spec{
			What: "fuzz", Streams: streams, Shape: Shape(kind), Dim: dim, Lo: lo, Hi: hi, Leaves: leaves,
			RecordsPerUser: records, Adjacency: Adjacency(adjacency), Mechanism: Mechanism(mechanism),
			Epsilon: Cost(epsilon), Delta: delta, Sigma: float64(sigma),
		}
		want, err := s.charge(0)
		if err == nil {
			checkNoise(t, want)
			if uint64(streams)*uint64(want.Width())*uint64(factor.TreeLevels(leaves)) > 1<<12 {
				return // a curator allocates them all
			}
		}
		budget := account.Budget{Epsilon: Cost(pays)}
		if small, deltaErr := account.DeltaOf(delta); deltaErr == nil && budget.Epsilon != Infinite {
			budget.Delta = small
		}
		d, curatorErr := NewCurator(Lockstep, vouch.For(budget), seeded(1))
		if curatorErr != nil {
			if budget.Check() == nil {
				t.Fatal(curatorErr)
			}
			return
		}
		_, openErr := d.Open(s)
		charges := d.TakeCharges()
		var short *BudgetError
		switch {
		case openErr != nil:
			if len(charges) > 0 || d.Spent() != (account.Loss{}) || (err == nil) != errors.As(openErr, &short) {
				t.Fatalf("%+v with %v: charged %v, spent %v, %v", s, budget, charges, d.Spent(), openErr)
			}
			if ok, _ := budget.Covers(want.Loss); err == nil && ok {
				t.Fatalf("%v, though it is enough", short)
			}
		case err != nil || len(charges) != 1 || charges[0] != want:
			t.Fatalf("%+v: charged %v, want %v, %v", s, charges, want, err)
		case d.Spent() != want.Loss:
			t.Fatalf("%+v with %v: spent %v", s, budget, d.Spent())
		}
	})
}

// FuzzCharge: a charge that passes has its noise, and covers nothing with other noise or beyond
// its horizon.
func FuzzCharge(f *testing.F) {
	add := func(c Charge, from, to uint64, noise Noise) {
		f.Add(uint32(c.Stream), c.Streams, uint8(c.Shape), c.Dim, c.Lo, c.Hi, c.Leaves, c.RecordsPerUser, uint8(c.Adjacency), uint8(c.Mechanism), uint8(c.Mode),
			uint64(c.Loss.Pure), uint64(c.Loss.Square), c.Scale, uint32(c.Stream), from, to, 1, uint8(noise.Law), noise.Scale, noise.VarianceUnits)
	}
	for _, m := range Mechanisms() {
		good := require.Value(mechanismSpec(m, 8).charge(0))(f)
		noise := good.noise()
		add(good, 0, 8, noise)
		add(good, 8, 9, noise)
		noise.Scale--
		add(good, 4, 6, noise)
		less := good
		less.Scale--
		add(less, 0, 8, less.noise())
		good.Mode++
		add(good, 0, 1, good.noise())
	}
	none := require.Value(spec(MaxLeaves, None).charge(math.MaxUint32))(f)
	add(none, MaxLeaves-1, MaxLeaves, Noise{})
	f.Fuzz(func(t *testing.T, stream uint32, streams int, kind uint8, dim int, lo, hi int64, leaves, records uint64, adjacency, mechanism, mode uint8, pure, square, scale uint64,
		of uint32, from, to uint64, values int, law uint8, noise uint64, terms uint32,
	) {
		c := Charge{
			Stream: StreamID(stream), Streams: streams, Shape: Shape(kind), Dim: dim, Lo: lo, Hi: hi, Leaves: leaves, RecordsPerUser: records,
			Adjacency: Adjacency(adjacency), Mechanism: Mechanism(mechanism), Mode: ChargeMode(mode),
			Loss: account.Loss{Pure: Cost(pure), Square: account.Square(square)}, Scale: scale,
		}
		if c.Check() != nil {
			return
		}
		checkNoise(t, c)
		r, err := Received(vouch.For(Fields{
			Stream: StreamID(of), Span: Span{From: from, To: to}, Count: make([]uint64, 1), Value: make([]int64, uint64(values)%(MaxLen+1)),
			Exponent: GridExponent, Noise: Noise{Law: Law(law), Scale: noise, VarianceUnits: terms},
		}))
		if err != nil {
			return
		}
		err = c.Covers(r.Fields())
		if err != nil && !errors.Is(err, ErrUnpaid) && !errors.Is(err, ErrNoise) {
			t.Fatal(err)
		}
		if last := uint64(c.Stream) + uint64(c.Streams); err == nil &&
			(uint64(of) < uint64(c.Stream) || uint64(of) >= last || to > c.Leaves || noise < c.Scale || r.Len() < c.Width()) {
			t.Fatalf("%+v covers %+v", c, r)
		}
	})
}

// FuzzRecords gives a curator any numbers: it refuses NaN and infinities without any change;
// without noise the sums are the sums of the others, clipped; with noise they are in range.
func FuzzRecords(f *testing.F) {
	f.Add(uint8(Hybrid), uint8(0), 2.7, 132.3, bytes.Repeat([]byte("0"), 40))
	f.Add(uint8(TreeGaussian), uint8(2), -256., 256., packed(1e308, -1e308, 1, 256))
	f.Add(uint8(None), uint8(1), 0., 1., packed(.3, 2, -1, math.NaN(), 1, math.Inf(1), math.SmallestNonzeroFloat64))
	f.Add(uint8(Tree), uint8(2), -256., 256., packed(1e308, -1e308, math.Inf(-1), 1, 256, 255.9999999, -0.1, 3))
	f.Add(uint8(None), uint8(3), -.3, .3, bytes.Repeat(packed(math.Copysign(0, -1), 1e-7, -1e-7), 9))
	f.Fuzz(func(t *testing.T, mechanism, dim uint8, lo, hi float64, records []byte) {
		s := mechanismSpec(Mechanism(mechanism), 64)
		s.Lo, s.Hi, s.Dim = lo, hi, int(dim%4)+1
		if _, err := s.charge(0); err != nil {
			return
		}
		d := open(t, s, seeded(1))
		d.TakeCharges()
		save := func() []byte {
			state := require.Value(d.Save())(t)
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
			l := require.Value(d.Leaf(0, n))(t)
			d.TakeDrawn()
			wellFormed(t, l.Node)
			wellFormed(t, l.Sum)
			for i := range sum {
				sum[i] += q[i]
				if s.Mechanism == None && l.Sum.Value(i) != sum[i] {
					t.Fatalf("sum %v, want %v", l.Sum, sum)
				}
			}
			if s.Mechanism.Running() && l.Sum.Count(0) != n || l.Sum.noise != d.charged[0].SumNoise(n) {
				t.Fatalf("%+v after %d records", l.Sum, n)
			}
		}
	})
}

// FuzzReplay gives a curator nodes that it never drew: it takes one unchanged or stops.
func FuzzReplay(f *testing.F) {
	c := require.Value(spec(8, Tree).charge(0))(f)
	f.Add(uint32(0), uint64(0), uint64(1), uint64(0), int64(5), uint8(1), c.Scale, uint32(VarianceScale))
	f.Add(uint32(0), uint64(0), uint64(1), uint64(0), int64(MaxValue), uint8(1), c.Scale, uint32(VarianceScale))
	f.Add(uint32(1), uint64(1), uint64(2), uint64(1), int64(0), uint8(0), uint64(1), uint32(2))
	f.Fuzz(func(t *testing.T, stream uint32, from, to, count uint64, value int64, n uint8, scale uint64, terms uint32) {
		r, err := Received(vouch.For(Fields{
			Stream: StreamID(stream), Span: Span{From: from, To: to}, Count: []uint64{count}, Value: slices.Repeat([]int64{value}, int(n)),
			Exponent: GridExponent, Noise: Noise{Scale: scale, VarianceUnits: terms},
		}))
		if err != nil {
			return
		}
		for _, src := range []*Source{NewSecureSource(), seeded(1)} {
			d := open(t, spec(8, Tree), src)
			d.Replay([]Release{r}, Secret{})
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
