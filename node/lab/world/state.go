package world

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// version is the first byte of what worlds save.
const version = 1

// fields returns the size bytes behind the version in a saved state.
func fields(state []byte, size int) ([]byte, error) {
	switch {
	case len(state) > 0 && state[0] != version:
		return nil, fmt.Errorf("world: saved state of version %d, want %d", state[0], version)
	case len(state) != 1+size:
		return nil, fmt.Errorf("world: saved state of %d bytes, want %d", len(state), 1+size)
	}
	return state[1:], nil
}

// coins are random numbers that go on where they were saved.
type coins struct {
	rng    *rand.Rand
	source *rand.ChaCha8
}

func newCoins(source *rand.ChaCha8) coins { return coins{rand.New(source), source} }

// pay returns 1 with a probability and else 0.
func (c coins) pay(probability float64) bandit.Reward {
	if c.rng.Float64() < probability {
		return 1
	}
	return 0
}

// coinsSize is the number of bytes that MarshalBinary makes of a ChaCha8 of which whole
// numbers alone were taken.
const coinsSize = 48

// Save returns the state of the random numbers, behind the version. Past rewards follow
// from it, and future ones.
func (c coins) Save() []byte {
	state, _ := c.source.AppendBinary([]byte{version}) // never fails
	return state
}

// Load goes on with the random numbers of a saved state. After an error c is as it was.
func (c coins) Load(state []byte) error {
	b, err := fields(state, coinsSize)
	if err != nil {
		return err
	}
	var saved rand.ChaCha8
	if err := saved.UnmarshalBinary(b); err != nil {
		return fmt.Errorf("world: saved state: %w", err)
	}
	*c.source = saved
	return nil
}
