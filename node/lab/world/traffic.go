package world

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Late says between which rounds sites have decisions. The zero Late is from the first round to
// the end at all sites.
type Late struct {
	Sites int    `want:"0..100000" default:"0" unit:"sites" doc:"Sites, the last ones with arms, that begin after the others."`               // how many of the last sites begin after the others, which begin in round 0
	Every uint64 `want:"1..1073741824" default:"1000" unit:"rounds" doc:"Rounds between the beginnings of late sites, and before the first."` // the first late site begins in this round, the second in twice this round, and so on
	Life  uint64 `want:"0..1073741824" default:"0" unit:"rounds" doc:"Rounds in which such a site has decisions; 0 is to the end."`           // rounds from its beginning in which a site, late or not, has decisions; 0 if they do not end
}

// Span returns the first round in which site i of n may have a decision, and the round after the
// last; [math.MaxUint64] if there is no last one.
func (l Late) Span(i, n int) (from, to uint64) {
	from = uint64(max(0, i+1+l.Sites-n)) * l.Every
	if l.Life == 0 || l.Life > math.MaxUint64-from {
		return from, math.MaxUint64
	}
	return from, from + l.Life
}

// CheckTraffic refuses Traffic and Late that do not suit the sites: the field, as in a key, and what
// is wanted; empty if all is well.
func CheckTraffic(c Config) (field, want string) {
	for i, x := range c.Traffic {
		if !(x > 0 && x <= 1) {
			return "traffic", fmt.Sprintf("numbers over 0 up to 1; number %d is %v", i, x)
		}
	}
	switch n := len(c.Traffic); {
	case c.Sites > 0 && n > c.Sites:
		return "traffic", fmt.Sprintf("at most %d numbers, one for each site, not %d", c.Sites, n)
	case c.Sites > 0 && c.Late.Sites > c.Sites:
		return "late.sites", fmt.Sprintf("at most %d, the number of sites, not %d", c.Sites, c.Late.Sites)
	case c.Late.Sites > 0 && c.Late.Every < 1:
		return "late.every", "at least 1"
	}
	return "", ""
}

// traffic is a world with a decision in some rounds only. Which rounds these are follows from its
// fields and the round alone: it has nothing to save, and a peer that skips rounds or plays one
// again finds the same.
type traffic struct {
	bandit.World
	key      uint64
	share    float64 // of rounds with a decision, from a round to before another
	from, to uint64
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
	return round >= w.from && round < w.to && rand.New(&g).Float64() < w.share
}

// trafficSource is a Source of sites with decisions in the rounds that a configuration says.
type trafficSource struct {
	Source
	c Config
}

// withTraffic returns a source whose sites have decisions in the rounds that a configuration says. A site
// with a share of 1 draws the same coins as without Traffic and Late.
func withTraffic(s Source, c Config) Source {
	if len(c.Traffic) == 0 {
		c.Traffic = []float64{1}
	}
	if slices.Min(c.Traffic) == 1 && c.Late.Sites == 0 && c.Late.Life == 0 {
		return s
	}
	return trafficSource{s, c}
}

// Sites implements [Source].
func (s trafficSource) Sites(run *rand.Rand) (*Sites, error) {
	inner, err := s.Source.Sites(run)
	if err != nil {
		return nil, err
	}
	sites := *inner
	sites.World = func(i int, src *rand.ChaCha8) (bandit.World, error) {
		t := traffic{share: s.c.Traffic[i%len(s.c.Traffic)]}
		if t.from, t.to = s.c.Late.Span(i, s.c.Sites); t.share < 1 {
			t.key = src.Uint64()
		} else if t.from == 0 && t.to == math.MaxUint64 {
			return inner.World(i, src)
		}
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
