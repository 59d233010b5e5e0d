package world

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// checkArms refuses what does not go together with law arms, or is for it alone.
func (p LinearParams) checkArms(c Config) (field, want string) {
	if p.Law != Arms {
		if len(p.Means) > 0 {
			return "means", fmt.Sprintf("[] without law: %s", Arms)
		}
		return "", ""
	}
	switch {
	case p.Draw == FreshActions:
		return "draw", fmt.Sprintf("sites or shared with law: %s, whose arms stay the same", Arms)
	case p.Deviation != 0:
		return "deviation", fmt.Sprintf("0 with law: %s", Arms)
	case len(p.Odd) > 0:
		return "odd", fmt.Sprintf("[] with law: %s", Arms)
	case c.Arms > 0 && p.Features != c.Arms:
		return "features", fmt.Sprintf("%d with law: %s, as many as arms", c.Arms, Arms)
	}
	if field, want = p.bernoulli().Check(c); field != "" {
		return field, want
	}
	if i := slices.IndexFunc(p.Means, func(row []float64) bool { return dot(row, row) > 1 }); i >= 0 {
		return "means", fmt.Sprintf("rows whose squares add up to at most 1, since learners expect a parameter of norm at most 1; see row %d", i)
	}
	return "", ""
}

// bernoulli returns the world that law arms gives features to.
func (p LinearParams) bernoulli() BernoulliParams {
	return BernoulliParams{Means: p.Means, Draw: Given}
}

// armSource is a Source whose arms have features: each its own unit vector, the same at all sites.
type armSource struct {
	Source
	units []bandit.Features
}

// openArms opens the world of law arms.
func (p LinearParams) openArms(c Config) (Source, error) {
	source, err := p.bernoulli().Open(c)
	units := make([]bandit.Features, c.Arms)
	for a := range units {
		units[a] = make([]float64, c.Arms)
		units[a][a] = 1
	}
	return armSource{source, units}, err
}

// Sites implements [Source].
func (s armSource) Sites(run *rand.Rand) (*Sites, error) {
	t, err := s.Source.Sites(run)
	if err != nil {
		return nil, err
	}
	plain := t.World
	t.World = func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w, err := plain(i, src)
		return armWorld{w, s.units}, err
	}
	return t, nil
}

// armWorld is a world whose turns hold features.
type armWorld struct {
	bandit.World
	units []bandit.Features
}

// Turn offers all arms, with their features.
func (w armWorld) Turn(round uint64) bandit.Turn {
	t := w.World.Turn(round)
	t.Features = w.units
	return t
}

// Format implements [fmt.Formatter], so that nothing is printed from which rewards follow.
func (armWorld) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }
