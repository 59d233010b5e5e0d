package world

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// CheckTraffic refuses shares of rounds that do not suit a number of sites, 0 if it is not
// known: what is wanted, or empty if all is well.
func CheckTraffic(shares []float64, sites int) (want string) {
	for i, x := range shares {
		if !(x > 0 && x <= 1) {
			return fmt.Sprintf("numbers over 0 up to 1; number %d is %v", i, x)
		}
	}
	if n := len(shares); sites > 0 && n > sites {
		return fmt.Sprintf("at most %d numbers, one for each site, not %d", sites, n)
	}
	return ""
}

// traffic is a world with a decision in some rounds only. Which rounds these are follows from its
// key and the round alone: it has nothing to save, and a peer that skips rounds or plays one
// again finds the same.
type traffic struct {
	bandit.World
	key   uint64
	share float64 // of rounds with a decision
}

// finiteTraffic is the traffic of a world of records.
type finiteTraffic struct {
	traffic
	records bandit.Finite
}

// Left implements [bandit.Finite].
func (w finiteTraffic) Left(a bandit.Arm) int { return w.records.Left(a) }

// Turn offers what the world does in rounds with a decision.
func (w traffic) Turn(round uint64) bandit.Turn {
	if w.asked(round) {
		return w.World.Turn(round)
	}
	return bandit.Turn{Round: round, None: true}
}

// asked reports whether a round has a decision.
func (w *traffic) asked(round uint64) bool {
	var g rand.PCG
	g.Seed(w.key, round)
	return rand.New(&g).Float64() < w.share
}

// trafficSource is a Source of sites that take shares in turn.
type trafficSource struct {
	Source
	shares []float64
}

// withTraffic returns a source whose sites take shares of rounds in turn. A site with a
// decision in every round is as it was, to its last coin.
func withTraffic(s Source, shares []float64) Source {
	for _, x := range shares {
		if x < 1 {
			return trafficSource{s, shares}
		}
	}
	return s
}

// Sites implements [Source].
func (s trafficSource) Sites(run *rand.Rand) (*Sites, error) {
	inner, err := s.Source.Sites(run)
	if err != nil {
		return nil, err
	}
	sites := *inner
	sites.World = func(i int, src *rand.ChaCha8) (bandit.World, error) {
		share := s.shares[i%len(s.shares)]
		if share == 1 {
			return inner.World(i, src)
		}
		t := traffic{key: src.Uint64(), share: share}
		var err error
		if t.World, err = inner.World(i, src); err != nil {
			return nil, err
		}
		if records, ok := t.World.(bandit.Finite); ok {
			return finiteTraffic{t, records}, nil
		}
		return t, nil
	}
	return &sites, nil
}
