package running

import (
	"errors"
	"testing"

	"peerd.dev/dp/mechanism"
	"peerd.dev/dp/state"
)

// exact is a Drawer without noise.
type exact struct{}

func (exact) Noisy(_ int, x int64) int64 { return x }
func (exact) Recorded() []int64          { return nil }
func (exact) Hide() int64                { return 0 }
func (exact) Short() bool                { return false }

// TestAStateThatNoTreeCanHaveIsRefused forges what Fields saves.
func TestAStateThatNoTreeCanHaveIsRefused(t *testing.T) {
	for name, forge := range map[string]func(*tree){
		"honest":       func(*tree) {},
		"count":        func(t *tree) { t.n[0] = 1 << 63 },
		"counts":       func(t *tree) { t.n[0], t.n[1] = mechanism.MaxRecords, 1 },
		"sum":          func(t *tree) { t.alpha[0]++; t.node[0]++ },
		"negative":     func(t *tree) { t.alpha[1], t.node[1] = -1, -1 },
		"noise":        func(t *tree) { t.node[0]-- },
		"out of range": func(t *tree) { t.node[0] = mechanism.MaxValue + 1 },
	} {
		of := mechanism.Charged{Hi: 1 << 20, Noisy: name == "out of range"}
		leaf := mechanism.Leaf{T: 1, Horizon: 8, Sums: []int64{1 << 20}, Records: 1, Total: 1}
		s := newTreeLayout(8).Open(1)
		if _, err := s.Close(leaf, exact{}, make([]int64, 1), make([]int64, 1)); err != nil {
			t.Fatal(err)
		}
		forge(s.(*tree))
		saved := state.Save(1, func(v *state.Visitor) { s.Fields(v, leaf, of) })
		next := newTreeLayout(8).Open(1)
		err := state.Load(saved, 1, func(v *state.Visitor) { next.Fields(v, leaf, of) })
		if (err != nil) != (name != "honest") || err != nil && !errors.Is(err, state.ErrState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
