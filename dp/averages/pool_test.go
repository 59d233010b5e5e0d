package averages

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
)

// TestPool compares with means over sites in floating point, directly and in two steps.
func TestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var sites, first, second []dp.Release
		var mean, inverse, v, b float64
		m := 2 + rng.IntN(8)
		for i := range m {
			n := 1 + rng.Uint64N(1000)
			f := dp.Fields{Stream: 3, Exponent: dp.GridExponent, Value: []int64{rng.Int64N(1<<30) - 1<<29}, Count: []uint64{n}}
			if rng.IntN(4) > 0 {
				f.Noise = dp.Noise{Scale: 1 + rng.Uint64N(1<<24), VarianceUnits: dp.VarianceScale * (1 + rng.Uint32N(20))}
			}
			sum := release(f)
			x := require.Value(SiteMean(sum))(t)
			sites = append(sites, x)
			if i%2 == 0 {
				first = append(first, x)
			} else {
				second = append(second, x)
			}
			mean += float64(sum.Value(0)) * 0x1p-20 / float64(n) / float64(m)
			inverse += 1 / float64(n) / float64(m*m)
			noise := sum.NoiseMoments().Over(float64(n) * float64(m))
			v, b = v+noise.LaplaceSumSq, max(b, noise.LaplaceMax)
		}
		one := require.Value(Pool(sites))(t)
		var parts []dp.Release
		for _, p := range [][]dp.Release{first, second} {
			part := require.Value(Pool(p))(t)
			parts = append(parts, part)
		}
		two := require.Value(Pool(parts))(t)
		for i, r := range []dp.Release{one, two} {
			noise := r.NoiseMoments()
			switch {
			case r.Stream() != 3 || r.Count(1) != uint64(m):
				t.Fatalf("stream %d of %d sites", r.Stream(), r.Count(1))
			case math.Abs(r.At(0)-mean) > 1e-8:
				t.Fatalf("mean %v, want %v", r.At(0), mean)
			case 1/float64(r.Count(0)) < inverse*(1-1e-9) || i == 0 && 1/float64(r.Count(0)+1) > inverse*(1+1e-9):
				t.Fatalf("%d records, want %v, rounded down", r.Count(0), 1/inverse)
			case noise.LaplaceSumSq < v*(1-1e-12) || noise.LaplaceSumSq > v*1.02+1e-15 || noise.LaplaceMax < b*(1-1e-12) || noise.LaplaceMax > b*1.01+1e-8:
				t.Fatalf("noise %+v, want %v, %v", noise, v, b)
			}
		}
	}
}

// TestPoolRefuses releases that are not means over sites.
func TestPoolRefuses(t *testing.T) {
	good := dp.Fields{Exponent: MeanExponent, Value: []int64{1}, Count: []uint64{1, 1}, Noise: dp.Noise{Scale: 1, VarianceUnits: dp.VarianceScale}}
	for name, bad := range map[string]func(f *dp.Fields){
		"lattice":    func(f *dp.Fields) { f.Exponent = dp.GridExponent },
		"no records": func(f *dp.Fields) { f.Count = []uint64{0, 1} },
		"no sites":   func(f *dp.Fields) { f.Count = []uint64{1, 0} },
		"one count":  func(f *dp.Fields) { f.Count = []uint64{1} },
		"two values": func(f *dp.Fields) { f.Value = []int64{1, 2} },
		"law":        func(f *dp.Fields) { f.Noise.Law = dp.Gaussian },
		"many sites": func(f *dp.Fields) { f.Count = []uint64{1, 1 << 40} },
		"much noise": func(f *dp.Fields) { f.Noise.VarianceUnits = math.MaxUint32 },
	} {
		f := good
		bad(&f)
		if _, err := Pool([]dp.Release{release(good), release(f)}); !errors.Is(err, dp.ErrShape) && !errors.Is(err, dp.ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Pool(nil); !errors.Is(err, dp.ErrShape) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := SiteMean(release(dp.Fields{Value: []int64{1}})); !errors.Is(err, dp.ErrShape) {
		t.Errorf("a sum without count: %v", err)
	}
}

// TestPoolCountsRecordsExactly if that is a whole number, also in pools of pools.
func TestPoolCountsRecordsExactly(t *testing.T) {
	pool := func(means ...dp.Release) dp.Release {
		return require.Value(Pool(means))(t)
	}
	site := func(n uint64) dp.Release {
		return release(dp.Fields{Exponent: MeanExponent, Value: []int64{1}, Count: []uint64{n, 1}})
	}
	for _, n := range []uint64{1, 3, 6, 7, 1e6 + 3, 1<<61 - 1} {
		three := pool(site(n), site(n), site(n))
		if one, six := pool(site(n)), pool(three, pool(site(n)), pool(site(n), site(n))); one.Count(0) != n || three.Count(0) != 3*n || six.Count(0) != 6*n {
			t.Errorf("sites of %d records: 1, 3 and 6 of them have %d, %d and %d", n, one.Count(0), three.Count(0), six.Count(0))
		}
	}
	if r := pool(site(2), site(3)); r.Count(0) != 4 { // 4/(1/2 + 1/3) = 4.8
		t.Errorf("sites of 2 and 3 records have %d, want 4", r.Count(0))
	}
}
