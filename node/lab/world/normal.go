package world

import "math"

// A chance is where vectors are drawn from.
type chance interface {
	normals(x []float64) // fills x with independent standard normal numbers
	Float64() float64    // uniform in [0, 1)
	IntN(n int) int      // each of 0 to n-1 equally likely
}

// layers is how many layers a ziggurat has. With that many, nearly
// every number takes one comparison.
const layers = 1024

// ziggurat is the tables of the method of Marsaglia and Tsang (2000) in the form of Doornik (2005),
// which takes the layer and the number from different bits.
type ziggurat struct {
	x     [layers + 1]float64 // right ends of layers, descending; x[1] is where the tail begins
	y     [layers + 1]float64 // of the curve at x
	ratio [layers]float64     // what part of a layer is under the curve at all heights
}

// tail is where the tail begins for 1024 layers, with which all have one area.
const tail = 4.038849846109504

// curve is the normal density, times √(2π).
func curve(x float64) float64 { return math.Exp(-x * x / 2) }

func newZiggurat() *ziggurat {
	area := tail*curve(tail) + math.Sqrt(math.Pi/2)*math.Erfc(tail/math.Sqrt2)
	z := new(ziggurat)
	z.x[0], z.x[1] = area/curve(tail), tail
	for i := 2; i < layers; i++ {
		z.x[i] = math.Sqrt(-2 * math.Log(area/z.x[i-1]+curve(z.x[i-1])))
	}
	for i := range z.ratio {
		z.ratio[i] = z.x[i+1] / z.x[i]
	}
	for i, x := range z.x {
		z.y[i] = curve(x)
	}
	return z
}

// quick is a chance that is seeded at once and draws normal numbers fast: SplitMix64 (Steele, Lea
// and Flood 2014) and a ziggurat. It is for what a simulation draws again in each round, and not
// for noise.
type quick struct {
	*ziggurat
	state uint64
}

// seed makes the numbers depend on a key and a round.
func (q *quick) seed(key, round uint64) { q.state = mix(key + mix(round)) }

// step is what SplitMix64 adds to its state: 2^64 over the golden ratio, odd.
const step = 0x9e3779b97f4a7c15

// mix is the output function of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns a random word.
func (q *quick) Uint64() uint64 {
	q.state += step
	return mix(q.state)
}

// Float64 implements chance.
func (q *quick) Float64() float64 { return float64(q.Uint64()>>11) * 0x1p-53 }

// IntN implements chance, up to 2^-53.
func (q *quick) IntN(n int) int { return int(q.Float64() * float64(n)) }

// normals implements chance.
func (q *quick) normals(x []float64) {
	z, state := q.ziggurat, q.state
	for k := range x {
		state += step
		bits := mix(state)
		i := bits % layers
		u := float64(int64(bits)>>11) * 0x1p-52 // in [-1, 1)
		if math.Abs(u) < z.ratio[i] {
			x[k] = u * z.x[i]
			continue
		}
		q.state = state
		x[k] = q.rest(i, u)
		state = q.state
	}
	q.state = state
}

// rest returns a normal number for a u of a layer that is not under the curve at all heights.
func (q *quick) rest(i uint64, u float64) float64 {
	for {
		if i == 0 {
			return math.Copysign(q.beyond(), u)
		}
		x := u * q.x[i]
		if q.y[i]+q.Float64()*(q.y[i+1]-q.y[i]) < curve(x) {
			return x
		}
		bits := q.Uint64()
		i, u = bits%layers, float64(int64(bits)>>11)*0x1p-52
		if math.Abs(u) < q.ratio[i] {
			return u * q.x[i]
		}
	}
}

// beyond returns a normal number of the tail (Marsaglia 1964).
func (q *quick) beyond() float64 {
	for {
		x, y := -math.Log(1-q.Float64())/tail, -math.Log(1-q.Float64())
		if 2*y > x*x {
			return tail + x
		}
	}
}
