package spread

import (
	"math"
	"testing"

	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/internal/dptest"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/protocol"
)

// TestAnHonestSumIsPlausible, whatever the mechanism and at every leaf: it says at least the
// noise that plausible asks for.
func TestAnHonestSumIsPlausible(t *testing.T) {
	for _, mechanism := range dp.Mechanisms() {
		s := dp.Spec{
			What: "rewards", Streams: 2, Dim: 1, Lo: 0, Hi: 1, Leaves: 200, RecordsPerUser: 1, Mechanism: mechanism, Epsilon: dp.Nano,
		}
		if mechanism.Law() == dp.Gaussian {
			s.Delta = 1e-6
		}
		c, err := s.Charge()
		if err != nil {
			t.Fatal(err)
		}
		for leaf := range c.Leaves {
			r := dptest.Received(t, dp.Fields{
				Count: []uint64{3, 0}, Value: []int64{2 << 20, 0}, Exponent: dp.GridExponent,
				Span: dp.Span{To: leaf + 1}, Noise: c.SumNoise(leaf + 1),
			})
			m := protocoltest.Draft{Kind: protocol.FirstFree, Body: []dp.Release{r}}.Message()
			if err := Plausible(&c, &m, &r); err != nil {
				t.Fatalf("%v, leaf %d: %v", mechanism, leaf+1, err)
			}
		}
	}
}

// TestALieIsRefused: values that no rewards and no such noise give, and less noise than charged, or
// more than as many leaves can have.
func TestALieIsRefused(t *testing.T) {
	c := dp.Charge{Mechanism: dp.Tree, Scale: 5 << 20, Hi: 1 << 20, Leaves: 10}
	noise := dp.Noise{Scale: 5 << 20, VarianceUnits: 3 * dp.VarianceScale}
	most := int64(belief.NoiseTail(3*25, 5, 0, math.Log(2/improbable))) // of three terms of scale 5, in rewards
	for name, x := range map[string]struct {
		count  uint64
		reward int64
		noise  dp.Noise
		lie    bool
	}{
		"as much as there is":      {100, 100 + most - 2, noise, false},
		"more":                     {100, 100 + most + 1, noise, true},
		"as little as there is":    {100, -most + 2, noise, false},
		"less":                     {100, -most - 1, noise, true},
		"a sum of nothing":         {0, most + 1, noise, true},
		"a smaller scale":          {100, 50, dp.Noise{Scale: 5<<20 - 1, VarianceUnits: 3 * dp.VarianceScale}, true},
		"one term":                 {100, 50, dp.Noise{Scale: 5 << 20, VarianceUnits: dp.VarianceScale}, false},
		"less than a term":         {100, 50, dp.Noise{Scale: 5 << 20, VarianceUnits: dp.VarianceScale - 1}, true},
		"no noise":                 {100, 50, dp.Noise{}, true},
		"another law":              {100, 50, dp.Noise{Law: dp.Gaussian, Scale: 5 << 20, VarianceUnits: 3 * dp.VarianceScale}, true},
		"a term for each leaf":     {100, 50, dp.Noise{Scale: 5 << 20, VarianceUnits: 7 * dp.VarianceScale}, false},
		"more terms than leaves":   {100, 50, dp.Noise{Scale: 5 << 20, VarianceUnits: 7*dp.VarianceScale + 1}, true},
		"a greater scale":          {100, 50, dp.Noise{Scale: 5<<20 + 1, VarianceUnits: 3 * dp.VarianceScale}, true},
		"more pulls than possible": {1 << 63, 50, noise, true},
	} {
		r := dptest.Received(t, dp.Fields{Count: []uint64{x.count}, Value: []int64{x.reward << 20}, Exponent: dp.GridExponent, Span: dp.Span{To: 7}, Noise: x.noise})
		m := protocoltest.Draft{Kind: protocol.FirstFree, Body: []dp.Release{r}}.Message()
		if err := Plausible(&c, &m, &r); (err != nil) != x.lie {
			t.Errorf("%s: %v", name, err)
		}
	}
	none := protocol.NoMessage()
	c.Shape = dp.Counted
	for value, lie := range map[int64]bool{-most + 2: false, -most - 1: true, 1 << 30: false} {
		r := dptest.Received(t, dp.Fields{Value: []int64{value << 20}, Exponent: dp.GridExponent, Span: dp.Span{To: 7}, Noise: noise})
		if err := Plausible(&c, &none, &r); (err != nil) != lie {
			t.Errorf("counted, %d: %v", value, err)
		}
	}
	c.Shape = dp.Box
	for exponent, lie := range map[int8]bool{dp.GridExponent: false, dp.GridExponent - 1: true, dp.GridExponent + 1: true} {
		r := dptest.Received(t, dp.Fields{Count: []uint64{100}, Value: []int64{0}, Exponent: exponent, Span: dp.Span{To: 7}, Noise: noise})
		if err := Plausible(&c, &none, &r); (err != nil) != lie {
			t.Errorf("a lattice of 2^%d: %v", exponent, err)
		}
	}
	r := dptest.Received(t, dp.Fields{Count: []uint64{100}, Value: []int64{0}, Exponent: dp.GridExponent, Span: dp.Span{To: 1 << 40}, Noise: dp.Noise{Scale: 5 << 20, VarianceUnits: 11 * dp.VarianceScale}})
	if Plausible(&c, &none, &r) == nil {
		t.Error("a sum over more leaves than the horizon has their noise")
	}
	free := dp.Charge{Hi: 1 << 20}
	r = dptest.Received(t, dp.Fields{Count: []uint64{1}, Value: []int64{1 << 19}, Exponent: dp.GridExponent, Noise: noise})
	if Plausible(&free, &none, &r) == nil {
		t.Error("noise where the policy is none is accepted")
	}
}
