package world

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// lazyLinear is [Linear] with law band and new actions in each round, which are drawn one by one
// in descending order of their means, as order statistics, until no other can be chosen. See
// docs/proofs/actions.md.
type lazyLinear struct {
	coins
	draw  quick
	key   uint64
	gap   float64
	theta []float64
	side  []float64 // of norm 1, orthogonal to θ
	rest  chiSquare // of the squared norm of what is orthogonal to θ and to a side

	// of the turn
	places []place      // of the actions that were drawn; the best one first
	arms   []bandit.Arm // first the arms of the drawn actions, then all others
	left   int          // actions without a place
	top    float64      // their means are from others to others + width·top
	seen   int          // places that Next has passed
	aim    aim          // of what is looked for
	space  []float64    // for the features of all actions
}

// A place is what is known of an action that was drawn.
type place struct {
	swap   int     // with which place it exchanged arms
	mean   float64 // ⟨x, θ⟩
	turned bool    // along is drawn
	along  float64 // product of the aim's side with the part of x that is orthogonal to θ, of norm 1
	x      bandit.Features
}

// An aim is a θ' for which actions are searched, in the plane that it spans with θ.
type aim struct {
	on    float64   // ⟨θ', θ⟩
	off   float64   // norm of the rest
	side  []float64 // its direction
	least float64   // required product
	floor float64   // the least mean with which an action can have it
}

// newLazyLinear returns the world of a site, of a law and a θ that it shares with others.
func newLazyLinear(law actions, tables *ziggurat, src *rand.ChaCha8) *lazyLinear {
	d := len(law.theta)
	w := &lazyLinear{
		draw: quick{ziggurat: tables}, key: src.Uint64(), gap: law.gap, theta: law.theta, side: make([]float64, d), rest: newChiSquare(d - 2),
		places: make([]place, 0, law.k), arms: make([]bandit.Arm, law.k), space: make([]float64, law.k*d),
	}
	w.aim.side = make([]float64, d)
	for k := range w.arms {
		w.arms[k] = bandit.Arm(k)
	}
	w.side[0] = 1 // unless θ is that; then the second
	if math.Abs(w.theta[0]) > .9 {
		w.side[0], w.side[1] = 0, 1
	}
	for range 2 { // since the first time may leave little more than rounding
		remove(w.side, w.theta)
		scale(w.side, 1)
	}
	w.coins = newCoins(src)
	w.Turn(0)
	return w
}

// Format implements [fmt.Formatter] like [Linear].
func (*lazyLinear) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers all actions, of which it has drawn the best one's mean.
func (w *lazyLinear) Turn(round uint64) bandit.Turn {
	for i := len(w.places) - 1; i >= 0; i-- { // so that arms depend only on the key and the round
		j := w.places[i].swap
		w.arms[i], w.arms[j] = w.arms[j], w.arms[i]
	}
	w.places = w.places[:0]
	w.draw.seed(w.key, round)
	w.left, w.top, w.seen = len(w.arms), others+width, 0
	w.aim = aim{side: w.aim.side}
	copy(w.aim.side, w.side)
	w.put(w.draw.IntN(len(w.arms)), others+width+w.gap+width*w.draw.Float64())
	return bandit.Turn{Round: round, Actions: w}
}

// put gives the next place the arm of place j and a mean.
func (w *lazyLinear) put(j int, mean float64) {
	i := len(w.places)
	w.arms[i], w.arms[j] = w.arms[j], w.arms[i]
	w.places = append(w.places, place{swap: j, mean: mean})
	w.left--
}

// Aim implements [bandit.Actions].
func (w *lazyLinear) Aim(theta []float64) {
	a := &w.aim
	copy(a.side, theta)
	a.on = remove(a.side, w.theta)
	a.on += remove(a.side, w.theta)
	a.off = math.Sqrt(dot(a.side, a.side))
	if a.off < 1e-100 {
		a.off = 0
		copy(a.side, w.side)
	} else {
		for i := range a.side {
			a.side[i] /= a.off
		}
	}
	a.least, a.floor = math.Inf(-1), others
}

// Next implements [bandit.Actions].
func (w *lazyLinear) Next(least float64) (bandit.Arm, bandit.Features, bool) {
	if least != w.aim.least {
		w.aim.least, w.aim.floor = least, w.aim.mean(least)
	}
	for ; ; w.seen++ {
		if w.seen == len(w.places) {
			if w.left == 0 || w.top < w.aim.floor {
				return bandit.NoArm, nil, false
			}
			w.more()
		}
		p := &w.places[w.seen]
		if p.mean < w.aim.floor {
			continue
		}
		w.turn(p)
		if w.aim.on*p.mean+w.aim.off*across(p.mean)*p.along < least {
			continue
		}
		x := w.features(w.seen)
		w.seen++
		return w.arms[w.seen-1], x, true
	}
}

// more draws the mean of one of the actions without a place: of the best of them if that omits
// many, and otherwise of any.
func (w *lazyLinear) more() {
	part := 1 - w.draw.Float64()
	if w.aim.floor > (others+w.top)/2 {
		w.top = others + (w.top-others)*math.Exp(math.Log(part)/float64(w.left))
		part = 1
	}
	w.put(len(w.places)+w.draw.IntN(w.left), others+(w.top-others)*part)
}

// mean returns the least mean with which an action of the band can have a product with θ'; more
// than 1 if none can.
func (a *aim) mean(product float64) float64 {
	norm := a.on*a.on + a.off*a.off
	switch {
	case !(a.on*others+a.off*across(others) < product):
		return others
	case a.on < others*math.Sqrt(norm) || product*product > norm: // products decrease in the mean, or are less
		return math.Inf(1)
	}
	return (a.on*product - a.off*math.Sqrt(norm-product*product)) / norm
}

// across returns the norm of the part orthogonal to θ of a vector of norm 1 with a mean.
func across(mean float64) float64 { return math.Sqrt(1 - mean*mean) }

// turn draws an action's product with the aim's side.
func (w *lazyLinear) turn(p *place) {
	if p.turned {
		return
	}
	p.turned = true
	z := w.draw.normal()
	if len(w.theta) == 2 {
		p.along = math.Copysign(1, z)
		return
	}
	p.along = z / math.Sqrt(z*z+w.rest.draw(&w.draw))
}

// features returns the features of the action at a place, which it draws the first time: from
// their products with θ and with the aim's side, and the rest uniform over directions.
func (w *lazyLinear) features(i int) bandit.Features {
	p, d := &w.places[i], len(w.theta)
	if p.x != nil {
		return p.x
	}
	w.turn(p)
	x, side := w.space[i*d:(i+1)*d:(i+1)*d], w.aim.side[:d]
	p.x = x
	on, off, times := p.mean, across(p.mean), 0.
	rest := off * math.Sqrt(1-p.along*p.along)
	off *= p.along
	if d == 2 {
		clear(x)
	} else {
		w.draw.normals(x)
		square, a, b := products(x, w.theta, side)
		for square-a*a-b*b < square/64 { // the difference of nearly equal numbers has few digits
			remove(x, w.theta)
			remove(x, side)
			square, a, b = products(x, w.theta, side)
		}
		times = rest / math.Sqrt(square-a*a-b*b)
		on, off = on-times*a, off-times*b
	}
	for k, y := range w.theta {
		x[k] = on*y + off*side[k] + times*x[k]
	}
	return x
}

// products returns the products of x with itself and with two others, of as many entries.
func products(x, y, z []float64) (xx, xy, xz float64) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		xx, xy, xz = xx+v*v, xy+v*y[i], xz+v*z[i]
	}
	return xx, xy, xz
}

// place returns the place of an action, which it draws if necessary: it is any of those without a
// place.
func (w *lazyLinear) place(a bandit.Arm) int {
	i := slices.Index(w.arms, a)
	if n := len(w.places); i >= n {
		w.put(i, others+(w.top-others)*w.draw.Float64())
		i = n
	}
	return i
}

// Of implements [bandit.Actions].
func (w *lazyLinear) Of(a bandit.Arm) bandit.Features { return w.features(w.place(a)) }

// Play implements [bandit.World] like [Linear].
func (w *lazyLinear) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.arms)); err != nil {
		return 0, err
	}
	if w.rng.Float64() < w.places[w.place(a)].mean {
		return 1, nil
	}
	return 0, nil
}

// Regret implements [bandit.World].
func (w *lazyLinear) Regret(a bandit.Arm) float64 {
	return w.places[0].mean - w.places[w.place(a)].mean
}

// remove subtracts from x its part along y, of norm 1, and returns the product of both.
func remove(x, y []float64) (product float64) {
	product = dot(x, y)
	for i, v := range y {
		x[i] -= product * v
	}
	return product
}
