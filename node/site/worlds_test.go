package site

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
	"peerd.dev/node/decision"
)

// payer is a neighbour's world.
type payer struct{ *neighbour }

func (w payer) Turn(round uint64) bandit.Turn {
	t := bandit.Turn{Round: round}
	if w.x != nil && w.x.describes {
		for _, x := range w.x.described(float64(round)) {
			t.Features = append(t.Features, x)
		}
	}
	return t
}

func (w payer) Play(a bandit.Arm) (bandit.Reward, error) {
	w.rounds++
	return bandit.Reward(float64((w.rounds*7+uint64(a)*3)%11) / 10), nil
}

func (payer) Regret(bandit.Arm) float64 { return 0 }

func (payer) Save() []byte { return nil }

func (payer) Load([]byte) error { return nil }

// coins is a simulated world of coins, one for each arm, with features if it has some. A turn
// draws a random number as well, so that one turn too many or too few shows.
type coins struct {
	means  []float64
	source *rand.ChaCha8
	rng    *rand.Rand
	turns  uint64
	plays  uint64
	turn   bandit.Turn
}

func newCoins(means []float64, features int, seed [32]byte) *coins {
	w := &coins{means: means, source: rand.NewChaCha8(seed)}
	w.rng = rand.New(w.source)
	if features > 0 {
		for range means {
			w.turn.Features = append(w.turn.Features, make(bandit.Features, features))
		}
	}
	return w
}

// Turn implements [bandit.World].
func (w *coins) Turn(round uint64) bandit.Turn {
	w.turns++
	w.turn.Round = round
	for _, x := range w.turn.Features {
		for i := range x {
			x[i] = w.rng.Float64()
		}
	}
	return w.turn
}

// Play implements [bandit.World].
func (w *coins) Play(a bandit.Arm) (bandit.Reward, error) {
	if w.plays++; w.plays > w.turns {
		return 0, errors.New("a turn is played twice")
	}
	if w.rng.Float64() < w.means[a] {
		return 1, nil
	}
	return 0, nil
}

// Regret implements [bandit.World].
func (w *coins) Regret(a bandit.Arm) float64 {
	best := 0.0
	for _, m := range w.means {
		best = max(best, m)
	}
	return best - w.means[a]
}

// Save implements [bandit.World].
func (w *coins) Save() []byte {
	b, err := w.source.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return state.Save(1, func(v *state.Visitor) { w.fields(v, &b) })
}

// Load implements [bandit.World].
func (w *coins) Load(b []byte) error {
	var source []byte
	if err := state.Load(b, 1, func(v *state.Visitor) { w.fields(v, &source) }); err != nil {
		return err
	}
	return w.source.UnmarshalBinary(source)
}

func (w *coins) fields(v *state.Visitor, source *[]byte) {
	v.Bytes(source)
	v.Uint(&w.turns)
	v.Uint(&w.plays)
}

// simulated is a site that plays coins.
func simulated(name string) setting {
	x := usual(name, AtWindow).repeatable(1)
	x.world = true
	return x
}

// interrupted plays rounds with a crash or a stop after every fifth.
func (r *rig) interrupted(n int) {
	r.t.Helper()
	for i := range n {
		r.round()
		switch i % 10 {
		case 4:
			r.crash()
			r.start()
		case 9:
			r.stop()
			r.start()
		}
	}
}

// TestRegretIsOfAllRounds: it covers all turns that were played, whether they were replayed or
// are in a snapshot.
func TestRegretIsOfAllRounds(t *testing.T) {
	for _, name := range protocols() {
		x := simulated(name)
		x.saveEvery = 9
		r := newRig(t, x)
		r.start()
		r.interrupted(40)
		st, want := r.status(), 0.0
		w := r.s.world.(*coins)
		for a, n := range st.Pulls {
			want += float64(n) * w.Regret(bandit.Arm(a))
		}
		if math.Abs(st.Regret-want) > 1e-9 || want == 0 || w.turns != 40 || w.plays != 40 {
			t.Errorf("%s: a regret of %v after %d turns and %d plays, want %v after 40", name, st.Regret, w.turns, w.plays, want)
		}
		r.stop()
	}
}

// TestAWorldWaitsWhileAnApplicationPlays: it hands nothing out twice.
func TestAWorldWaitsWhileAnApplicationPlays(t *testing.T) {
	r := newRig(t, simulated(protocols()[0]))
	r.start()
	r.rounds(10)
	r.stop()
	before := r.s.world.Save()
	r.world = false
	r.start()
	r.ask(decision.Ask{})
	r.rounds(3)
	r.stop()
	r.world = true
	r.open()
	if got := r.s.world.Save(); !bytes.Equal(got, before) || r.status().Regret == 0 {
		t.Error("the world begins again")
	}
	r.stop()
}

// TestAnotherWorldIsRefused: a world that pays another reward in a replay, one that has ended,
// one that cannot continue from its saved state, and none.
func TestAnotherWorldIsRefused(t *testing.T) {
	for what, world := range map[string]func(w *coins) bandit.World{
		"another seed": func(*coins) bandit.World {
			return forgetful{newCoins([]float64{.2, .5, .7}, 0, [32]byte{9})}
		},
		"an end":        func(w *coins) bandit.World { n := 3; return failing{w, &n} },
		"another state": func(w *coins) bandit.World { return stubborn{w} },
		"no world":      nil,
	} {
		r := newRig(t, simulated(protocols()[0]))
		r.start()
		r.rounds(20)
		r.crash()
		c := r.config()
		coined := c.World
		c.World = func(l Life) (bandit.World, error) {
			w, err := coined(l)
			return world(w.(*coins)), err
		}
		if world == nil {
			c.World = nil
		}
		s, err := Open(c)
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, errNoSense) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrWorld) || !strings.Contains(err.Error(), "world") && !strings.Contains(err.Error(), "is chosen") {
			t.Errorf("%s: %v", what, err)
		}
		r.start()
		r.rounds(3)
		r.stop()
	}
}

// stubborn loads nothing.
type stubborn struct{ *coins }

func (stubborn) Load([]byte) error { return errors.New("another world's") }

// forgetful begins again when it should continue.
type forgetful struct{ *coins }

func (forgetful) Load([]byte) error { return nil }

// sparse is a world with decisions in even rounds only.
type sparse struct{ *coins }

func (w sparse) Turn(round uint64) bandit.Turn {
	if round%2 == 1 {
		return bandit.Turn{Round: round, None: true}
	}
	return w.coins.Turn(round)
}

// TestRoundsWithoutADecisionEnd: they end as if an application asked nothing: nothing is chosen
// or paid, also in a replay.
func TestRoundsWithoutADecisionEnd(t *testing.T) {
	for _, name := range protocols() {
		x := usual(name, AtWindow).repeatable(1)
		x.saveEvery = 9
		x.worlds = func() bandit.World { return sparse{newCoins([]float64{.2, .5, .7}, 0, [32]byte{1})} }
		r := newRig(t, x)
		r.start()
		r.interrupted(40)
		st, pulls := r.status(), uint64(0)
		for _, n := range st.Pulls {
			pulls += n
		}
		if w := r.s.world.(sparse); pulls != 20 || w.plays != 20 || w.turns != 20 || st.Round != 40 || st.Regret == 0 {
			t.Errorf("%s: %d pulls and %d plays in %d rounds, want 20 in 40; regret %v", name, pulls, w.plays, st.Round, st.Regret)
		}
		r.stop()
	}
}
