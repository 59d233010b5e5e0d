package site

import (
	"errors"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/dp/state"
)

// payer is a neighbour's world.
type payer struct{ *neighbour }

func (payer) Turn(round uint64) bandit.Turn { return bandit.Turn{Round: round} }

func (w payer) Play(a bandit.Arm) (bandit.Reward, error) {
	w.rounds++
	return bandit.Reward(float64((w.rounds*7+uint64(a)*3)%11) / 10), nil
}

func (payer) Regret(bandit.Arm) float64 { return 0 }

func (payer) Save() []byte { return nil }

func (payer) Load([]byte) error { return nil }

// coins is a simulated world of coins, one an arm, that come with features if it has some.
// A turn takes a draw too, so that one too many or too few shows.
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
	s := state.NewWriter(1)
	s.Bytes(b)
	s.Uint(w.turns)
	s.Uint(w.plays)
	return s.State()
}

// Load implements [bandit.World].
func (w *coins) Load(b []byte) error {
	r := state.NewReader(b, 1)
	source := r.Bytes()
	w.turns, w.plays = r.Uint(), r.Uint()
	if err := r.End(); err != nil {
		return err
	}
	return w.source.UnmarshalBinary(source)
}
