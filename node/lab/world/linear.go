package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/bandit/score"
)

// Law names how the actions of world linear are drawn.
type Law string

// The laws. All give vectors of norm 1 and means in [0, 1].
const (
	// Sphere draws θ and every action alike, as Zhou and Chowdhury (2024, section 6) do: a vector
	// of norm 1/√2, uniform over directions, followed by 1/√2, so that means are (1 + cos)/2 of
	// an angle.
	Sphere Law = "sphere"
	// Direction is Sphere without the constant: a vector of norm 1, uniform over directions, of
	// the same length as in Sphere without the last entry, and the same means. They are ½ more
	// than a linear function of it.
	Direction Law = "direction"
	// Band draws actions by their means, as Dubey and Pentland (2020, section 4.4) do: one
	// action, which all turns have, has a mean from 0.6 + gap to 0.7 + gap, all others one from
	// 0.5 to 0.6. θ has norm 1 and the orthogonal part is uniform.
	Band Law = "band"
	// Arms draws nothing: actions are the unit vectors, and θ of a site is its row of means, so that
	// the world is world bernoulli with features. Regret is against the best mean over sites.
	Arms Law = "arms"
)

// Means of law band.
const (
	others = .5 // the least mean
	width  = .1 // of the best action's band, and of the others'
)

// Drawing names when and where the actions of world linear are drawn.
type Drawing string

// The drawings.
const (
	OwnActions    Drawing = "sites"  // once for every site
	CommonActions Drawing = "shared" // once for all sites
	FreshActions  Drawing = "rounds" // for every site and round
)

// LinearParams are the parameters of world linear.
type LinearParams struct {
	Features int     `want:"2..1000" fixed:"yes" doc:"Numbers of an action, as many as learner.linucb.features."`
	Law      Law     `want:"sphere|direction|band|arms" doc:"Actions are a direction with a constant behind it (sphere), or alone; means with a gap below the best (band); unit vectors that pay means (arms)."`
	Draw     Drawing `want:"sites|shared|rounds" doc:"Actions are drawn for every site, once for all, or for every site and round."`
	Gap      float64 `want:"0 up to .3" doc:"With law: band, the least gap of the best action."`
	Instance uint64  `want:"0.." doc:"Seed of what all runs share; 0 draws it for every run."`

	Deviation float64 `want:"0 up to 1" doc:"With law: sphere or direction, the norm of what is added to each site's direction. Regret is against a site's own."`
	Groups    int     `want:"0.." unit:"groups" doc:"With deviation, site i has the parameter of group i modulo groups; 0 for none."`

	Means [][]float64 `want:"rows of numbers" doc:"With law: arms, the probability of a reward for every arm."`

	Odd [][]float64 `want:"rows of three numbers" doc:"With law: sphere or direction, site and feature, both from 0, and the entry of the direction there, -1 to 1."`
}

// Words implements [Params].
func (LinearParams) Words() Words {
	return Words{"linear", "pays 1 with a probability that is linear in the features of the action, and else 0"}
}

// Traits implements [Traited].
func (p LinearParams) Traits() Traits {
	return Traits{Features: p.Features}
}

// Check implements [Checked].
func (p LinearParams) Check(c Config) (field, want string) {
	switch {
	case p.Deviation != 0 && p.Law == Band:
		return "deviation", fmt.Sprintf("0 with law: %s", Band)
	case p.Groups != 0 && p.Deviation == 0:
		return "groups", "0 where sites do not differ"
	case len(p.Odd) > 0 && p.Law == Band:
		return "odd", fmt.Sprintf("[] with law: %s", Band)
	}
	if field, want = p.checkArms(c); field != "" {
		return field, want
	}
	sites, site := c.bound()
	for i, row := range p.Odd {
		if len(row) != 3 || !index(row[0], sites) || !index(row[1], p.along()) || !(math.Abs(row[2]) <= 1) {
			return "odd", fmt.Sprintf("rows of %s, a feature below %d and a number from -1 to 1; see row %d", site, p.along(), i)
		}
	}
	return "", ""
}

// Open implements [Params].
func (p LinearParams) Open(c Config) (Source, error) {
	if p.Law == Arms {
		return p.openArms(c)
	}
	return &linearSource{c, p}, nil
}

// linearSource is a Source of worlds that share θ.
type linearSource struct {
	config Config
	params LinearParams
}

// Sites implements [Source].
func (s *linearSource) Sites(run *rand.Rand) (*Sites, error) {
	p := s.params
	switch {
	case p.Instance > 0:
		run = s.config.Instance(p.Instance)
	case run == nil:
		return nil, &ParamError{
			"world.linear.instance",
			"0 draws actions for every run of an experiment; want a number from 1, the same for all peers",
		}
	}
	base := actions{law: p.Law, gap: p.Gap, k: s.config.Arms, theta: make([]float64, p.Features)}
	from := plainChance{run}
	base.drawTheta(from)
	tables := newZiggurat()
	fixed, bases := make([]actions, s.config.Sites), make([]actions, s.config.Sites)
	for i := range fixed {
		if bases[i] = base; p.Deviation > 0 {
			if bases[i].theta = p.apart(base.theta, from); p.Groups > 0 && i >= p.Groups {
				bases[i].theta = bases[i-p.Groups].theta
			}
		}
	}
	for _, row := range p.Odd {
		b := &bases[int(row[0])]
		b.theta = p.turned(b.theta, int(row[1]), row[2])
	}
	for i := range fixed {
		fixed[i] = bases[i].empty()
		if p.Draw == CommonActions && i > 0 {
			if fixed[i] = fixed[0]; p.differ() { // the same actions pay differently
				fixed[i] = bases[i].empty()
				fixed[i].x = fixed[0].x
				fixed[i].judge()
			}
			continue
		}
		fixed[i].draw(from)
	}
	return &Sites{Own: p.differ(), World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w := &Linear{actions: fixed[i]}
		if p.Draw == FreshActions {
			w.actions, w.key, w.fresh = bases[i].empty(), src.Uint64(), &quick{ziggurat: tables}
			w.Turn(0)
		}
		w.coins = newCoins(src)
		return w, nil
	}}, nil
}

// About implements [Source].
func (s *linearSource) About() string {
	return fmt.Sprintf("actions of %d features, law %s, drawn for %s", s.params.Features, s.params.Law, s.params.Draw)
}

// Data implements [Source].
func (*linearSource) Data() string { return "" }

// Linear offers actions with features x of norm 1 and pays 1 with probability ⟨x, θ⟩, which is in
// [0, 1], and else 0; with [Direction] (1+⟨x, θ⟩)/2. All sites have one θ, of norm 1, which is
// shown to no one.
//
// Actions that are drawn for every round depend only on the site's key and the round, so they are
// not saved.
type Linear struct {
	actions
	coins
	key   uint64 // of fresh actions
	fresh *quick // draws them; nil if actions stay the same
}

var _ bandit.World = (*Linear)(nil)

// Format implements [fmt.Formatter], so that no reward is printed, and nothing from which rewards
// follow.
func (Linear) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers all actions, with their features.
func (w *Linear) Turn(round uint64) bandit.Turn {
	if w.fresh != nil {
		w.fresh.seed(w.key, round)
		w.draw(w.fresh)
	}
	return bandit.Turn{Round: round, Features: w.x}
}

// Play draws a reward of an action of the newest turn.
func (w *Linear) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.mean)); err != nil {
		return 0, err
	}
	return w.pay(w.mean[a]), nil
}

// Regret returns by how much an action of the newest turn is below the best of that turn. It
// panics for one that does not exist.
func (w *Linear) Regret(a bandit.Arm) float64 { return w.best - w.mean[a] }

// actions are the actions of a turn, with their mean rewards.
type actions struct {
	law   Law
	gap   float64
	k     int // actions
	theta []float64

	x    []bandit.Features // of norm 1
	mean []float64         // ⟨x, θ⟩, or (1+⟨x, θ⟩)/2
	best float64           // the greatest of them
}

// empty returns actions with the same law that are not drawn yet.
func (a *actions) empty() actions {
	d := len(a.theta)
	e := actions{law: a.law, gap: a.gap, k: a.k, theta: a.theta, x: make([]bandit.Features, a.k), mean: make([]float64, a.k)}
	all := make([]float64, a.k*d)
	for i := range e.x {
		e.x[i] = all[i*d : (i+1)*d : (i+1)*d]
	}
	return e
}

// plainChance is a chance that is saved and seeded like in other worlds.
type plainChance struct{ *rand.Rand }

func (p plainChance) normals(x []float64) {
	for i := range x {
		x[i] = p.NormFloat64()
	}
}

// drawTheta draws θ.
func (a *actions) drawTheta(from chance) {
	if a.law == Sphere {
		sphere(a.theta, from)
		return
	}
	direction(a.theta, 1, from)
}

// draw draws all actions.
func (a *actions) draw(from chance) {
	switch a.law {
	case Band:
		best := from.IntN(a.k)
		for i, x := range a.x {
			least := others
			if i == best {
				least = others + width + a.gap
			}
			a.band(x, least+width*from.Float64(), from)
		}
	case Direction:
		for _, x := range a.x {
			direction(x, 1, from)
		}
	case Sphere:
		last := len(a.theta) - 1
		for _, x := range a.x {
			from.normals(x[:last])
		}
		for _, x := range a.x { // in a separate loop, since roots take long and need not wait for each other
			behind(x)
		}
	case Arms: // has its vectors in linear_arms.go
	}
	a.judge()
}

// judge computes what actions pay.
func (a *actions) judge() {
	score.Products(a.mean, a.theta, a.x)
	a.best = 0
	for i, m := range a.mean {
		if a.law == Direction {
			m = (1 + m) / 2
			a.mean[i] = m
		}
		if m < 0 || m > 1 { // only by rounding
			a.mean[i] = max(0, min(m, 1))
		}
		if a.mean[i] > a.best {
			a.best = a.mean[i]
		}
	}
}

// band draws a vector of norm 1 whose product with θ is m.
func (a *actions) band(x []float64, m float64, from chance) {
	direction(x, 1, from)
	along := dot(x, a.theta)
	for i := range x {
		x[i] -= along * a.theta[i]
	}
	across := math.Sqrt((1 - m*m) / dot(x, x))
	for i := range x {
		x[i] = m*a.theta[i] + across*x[i]
	}
}

// sphere draws a direction of norm 1/√2 and appends 1/√2.
func sphere(x []float64, from chance) {
	from.normals(x[:len(x)-1])
	behind(x)
}

// behind gives all of x except its last entry a norm of 1/√2, and sets the last entry to 1/√2.
func behind(x []float64) {
	last := len(x) - 1
	scale(x[:last], math.Sqrt(.5))
	x[last] = math.Sqrt(.5)
}

// direction draws a vector of a norm, uniformly over directions.
func direction(x []float64, norm float64, from chance) {
	from.normals(x)
	scale(x, norm)
}

// scale gives x a norm.
func scale(x []float64, norm float64) {
	by := norm / math.Sqrt(dot(x, x))
	for i := range x {
		x[i] *= by
	}
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
