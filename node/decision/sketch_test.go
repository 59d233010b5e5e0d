package decision

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSketchesNeverChange: peers of all versions learn one parameter, so a feature's index is
// fixed.
func TestSketchesNeverChange(t *testing.T) {
	context := []Named{Names().Under("timeOfDay").Text("Morning"), Names().Under("device").Under("mobile").Bool(true)}
	named := []Named{Names().Under("type").Text("News"), Names().Under("length").Number(3), Names().Under("scores").Place(1).Number(-.25)}
	for _, c := range []struct {
		named []Named
		d     int
		want  string
	}{
		{named, 12, "[0.0000 0.0000 0.0000 0.0000 -0.4330 0.0000 0.5774 0.0000 -0.1155 0.0000 0.0000 0.0000]"},
		{Crossed(named, context), 12, "[-0.5833 0.0000 0.0000 0.0000 -0.2500 0.0000 0.3333 -0.2667 -0.1333 0.0000 0.0000 0.2500]"},
		{Identity("NewsArticle"), 4, "[0.0000 0.0000 0.0000 1.0000]"},
		{nil, 3, "[0.0000 0.0000 0.0000]"},
	} {
		if got := fmt.Sprintf("%.4f", Sketch(c.named, c.d)); got != c.want {
			t.Errorf("%d named in %d numbers: %s, want %s", len(c.named), c.d, got, c.want)
		}
	}
}

// TestSketchesAreAtMostOfLengthOne: this holds for any features, as the privacy of a record
// requires.
func TestSketchesAreAtMostOfLengthOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shape := Shape{Actions: 1, Bounded: true}
	for range 20_000 {
		named := make([]Named, r.IntN(30))
		for i := range named {
			n := Names().Under(fmt.Sprint(r.IntN(40)))
			switch r.IntN(3) {
			case 0:
				named[i] = n.Text(fmt.Sprint(r.IntN(5)))
			case 1:
				named[i] = n.Bool(r.IntN(2) == 1)
			case 2:
				named[i] = n.Number([]float64{0, 1, -1, .3, 1e6, -math.MaxFloat64, math.SmallestNonzeroFloat64}[r.IntN(7)])
			}
		}
		shape.Inputs.Action = 1 + r.IntN(12)
		if refusal := shape.Check(&Ask{Features: [][]float64{Sketch(Crossed(named, named[:len(named)/2]), shape.Inputs.Action)}}); refusal != nil {
			t.Fatal(refusal)
		}
	}
}

// TestNamesDiffer: names, values and kinds of values with the same text are different features.
func TestNamesDiffer(t *testing.T) {
	n := Names()
	all := []Named{
		n.Under("a").Text("b"), n.Under("a=b").Number(1), n.Under("ab").Number(1), n.Under("a").Under("b").Number(1), n.Under("b").Under("a").Number(1),
		n.Under("a").Text("true"), n.Under("a").Bool(true), n.Under("a").Bool(false), n.Under("a").Number(1), n.Under("a").Text("1"),
		n.Under("a").Place(1).Number(1), n.Under("a").Under("1").Number(1), n.Under("a").Text(""), n.Under("").Text("a"), Identity("a")[0], n.Under("A").Number(1),
	}
	all = append(all, Crossed(all, all)[len(all):]...)
	names := make(map[Name]bool)
	for i, x := range all {
		if names[x.name] {
			t.Errorf("feature %d has the name of another", i)
		}
		names[x.name] = true
	}
}

// TestSketchesKeepInnerProducts: over many names, products of sketches equal the features'
// products on average, and indexes and signs are equally frequent. The mean may be off by 5
// standard errors.
func TestSketchesKeepInnerProducts(t *testing.T) {
	const d, n = 16, 20_000
	places := make([]float64, d)
	sum, squares, plus := 0., 0., 0.
	for i := range n {
		at := Names().Under(fmt.Sprint(i))
		shared, a, b := at.Under("shared").Number(4), at.Under("a").Text("x"), at.Under("b").Text("x")
		x, y := Sketch([]Named{shared, a}, d), Sketch([]Named{shared, b}, d)
		dot := 0.
		for k := range x {
			dot += x[k] * y[k]
		}
		sum, squares = sum+dot, squares+dot*dot
		one := Sketch([]Named{mixed(a, b)}, d)
		place := slices.IndexFunc(one, func(v float64) bool { return v != 0 })
		places[place]++
		plus += (one[place] + 1) / 2
	}
	const want = .8 * .8 / 2 // each of two named, divided by √2
	mean := sum / n
	if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want) > 5*se+.02 { // scaled ones are a little too small
		t.Errorf("mean inner product %v, want %v ± %v", mean, want, se)
	}
	for k, c := range places {
		if math.Abs(c-n/d) > 5*math.Sqrt(n/d) {
			t.Errorf("place %d is taken %v times of %d", k, c, n)
		}
	}
	if math.Abs(plus-n/2) > 5*math.Sqrt(n)/2 {
		t.Errorf("%v of %d signs are +", plus, n)
	}
}

func mixed(a, b Named) Named { return Crossed([]Named{a}, []Named{b})[1] }

// TestMagnitudesAreKept: a number that grows makes its feature grow.
func TestMagnitudesAreKept(t *testing.T) {
	before := -2.
	for _, x := range []float64{math.Inf(-1), -1e300, -3, -1, -.5, 0, .5, 1, 3, 1e300} {
		v := Names().Under("price").Number(x).value
		if v < before || v < -1 || v > 1 || math.Abs(x) < 4 && v == before {
			t.Errorf("%v becomes %v", x, v)
		}
		before = v
	}
}
