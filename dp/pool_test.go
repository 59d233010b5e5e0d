package dp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPool compares with means over sites in floating point, directly and in two steps.
func TestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var sites, first, second []Release
		var mean, inverse, v, b float64
		m := 2 + rng.IntN(8)
		for i := range m {
			n := 1 + rng.Uint64N(1000)
			sum := Release{stream: 3, e: GridExponent, v: []int64{rng.Int64N(1<<30) - 1<<29}, count: []uint64{n}}
			if rng.IntN(4) > 0 {
				sum.noise = Noise{Scale: 1 + rng.Uint64N(1<<24), VarianceUnits: VarianceScale * (1 + rng.Uint32N(20))}
			}
			x, err := SiteMean(sum)
			if err != nil {
				t.Fatal(err)
			}
			sites = append(sites, x)
			if i%2 == 0 {
				first = append(first, x)
			} else {
				second = append(second, x)
			}
			mean += float64(sum.v[0]) * 0x1p-20 / float64(n) / float64(m)
			inverse += 1 / float64(n) / float64(m*m)
			noise := sum.noise.Moments(unit(GridExponent)).Over(float64(n) * float64(m))
			v, b = v+noise.LaplaceSumSq, max(b, noise.LaplaceMax)
		}
		one, err := Pool(sites)
		if err != nil {
			t.Fatal(err)
		}
		var parts []Release
		for _, p := range [][]Release{first, second} {
			part, wrong := Pool(p)
			if wrong != nil {
				t.Fatal(wrong)
			}
			parts = append(parts, part)
		}
		two, err := Pool(parts)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []Release{one, two} {
			noise := r.NoiseMoments()
			switch {
			case r.stream != 3 || r.count[1] != uint64(m):
				t.Fatalf("stream %d of %d sites", r.stream, r.count[1])
			case math.Abs(r.At(0)-mean) > 1e-8:
				t.Fatalf("mean %v, want %v", r.At(0), mean)
			case 1/float64(r.count[0]) < inverse*(1-1e-9) || i == 0 && 1/float64(r.count[0]+1) > inverse*(1+1e-9):
				t.Fatalf("%d records, want %v, rounded down", r.count[0], 1/inverse)
			case noise.LaplaceSumSq < v*(1-1e-12) || noise.LaplaceSumSq > v*1.02+1e-15 || noise.LaplaceMax < b*(1-1e-12) || noise.LaplaceMax > b*1.01+1e-8:
				t.Fatalf("noise %+v, want %v, %v", noise, v, b)
			}
		}
	}
}

// TestPoolRefuses releases that are not means over sites.
func TestPoolRefuses(t *testing.T) {
	good := Release{e: MeanExponent, v: []int64{1}, count: []uint64{1, 1}, noise: Noise{Scale: 1, VarianceUnits: VarianceScale}}
	for name, bad := range map[string]func(r *Release){
		"lattice":    func(r *Release) { r.e = GridExponent },
		"no records": func(r *Release) { r.count = []uint64{0, 1} },
		"no sites":   func(r *Release) { r.count = []uint64{1, 0} },
		"one count":  func(r *Release) { r.count = []uint64{1} },
		"two values": func(r *Release) { r.v = []int64{1, 2} },
		"law":        func(r *Release) { r.noise.Law = Gaussian },
		"many sites": func(r *Release) { r.count = []uint64{1, 1 << 40} },
		"much noise": func(r *Release) { r.noise.VarianceUnits = math.MaxUint32 },
	} {
		r := good
		bad(&r)
		if _, err := Pool([]Release{good, r}); !errors.Is(err, ErrShape) && !errors.Is(err, ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Pool(nil); !errors.Is(err, ErrShape) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := SiteMean(Release{v: []int64{1}}); !errors.Is(err, ErrShape) {
		t.Errorf("a sum without count: %v", err)
	}
}

// TestPoolCountsRecordsExactly if that is a whole number, also in pools of pools.
func TestPoolCountsRecordsExactly(t *testing.T) {
	pool := func(means ...Release) Release {
		r, err := Pool(means)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	site := func(n uint64) Release { return Release{e: MeanExponent, v: []int64{1}, count: []uint64{n, 1}} }
	for _, n := range []uint64{1, 3, 6, 7, 1e6 + 3, 1<<61 - 1} {
		three := pool(site(n), site(n), site(n))
		if one, six := pool(site(n)), pool(three, pool(site(n)), pool(site(n), site(n))); one.count[0] != n || three.count[0] != 3*n || six.count[0] != 6*n {
			t.Errorf("sites of %d records: 1, 3 and 6 of them have %d, %d and %d", n, one.count[0], three.count[0], six.count[0])
		}
	}
	if n := pool(site(2), site(3)).count[0]; n != 4 { // 4/(1/2 + 1/3) = 4.8
		t.Errorf("sites of 2 and 3 records have %d, want 4", n)
	}
}
