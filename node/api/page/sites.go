package page

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
)

// Sites is what is shown of all sites of a network on this machine.
type Sites struct {
	Network       string
	Round, Rounds uint64 // Rounds is 0 where they have no end
	Regret        bool   // it is known
	Together      float64
	Alone         float64
	Sites         []Site
}

// Site is one of them.
type Site struct {
	Name     string
	Linked   bool
	Regret   string // empty for unknown
	Favours  string
	Epsilon  float64 // charged
	Released uint64
	Sent     uint64
	Shares   []Share // of its choices; none if they are not public
}

// Share is how often an action was chosen, of all choices of a site, from 0 to 1.
type Share struct {
	Action string
	Of     float64
}

// A Board shows sites as they learn.
type Board struct {
	*Page
	mu    sync.Mutex
	now   Sites
	trend trend
}

// NewBoard returns a board of no sites yet.
func NewBoard(log *slog.Logger) *Board {
	b := new(Board)
	b.Page = newPage([]view{{"sites", "", "Sites"}}, b.show, log)
	return b
}

// Update shows what the sites are now.
func (b *Board) Update(now *Sites) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = *now
	if now.Regret {
		b.trend.add(now.Round, now.Together, now.Alone)
	}
}

// A board is what the view of sites shows.
type board struct {
	View           view
	Menu           []view
	Whose, Network string
	Sites
	Trend *curves
}

func (b *Board) show(_ context.Context, v view) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return board{View: v, Menu: []view{v}, Whose: "All sites", Network: b.now.Network, Sites: b.now, Trend: b.trend.curves()}, nil
}

// A trend has samples of regret by round. When there are too many, every second one is dropped.
type trend struct {
	rounds          []uint64
	together, alone []float64
	every, skipped  int
}

const mostSamples = 512

func (t *trend) add(round uint64, together, alone float64) {
	if n := len(t.rounds); n > 0 && t.rounds[n-1] >= round {
		return
	}
	if t.skipped++; t.skipped < t.every {
		return
	}
	t.skipped = 0
	t.rounds, t.together, t.alone = append(t.rounds, round), append(t.together, together), append(t.alone, alone)
	if len(t.rounds) == mostSamples {
		for i := range mostSamples / 2 {
			t.rounds[i], t.together[i], t.alone[i] = t.rounds[2*i+1], t.together[2*i+1], t.alone[2*i+1]
		}
		t.rounds, t.together, t.alone = t.rounds[:mostSamples/2], t.together[:mostSamples/2], t.alone[:mostSamples/2]
		t.every = max(1, t.every) * 2
	}
}

// curves are two lines over rounds, in a box of 600 by 200.
type curves struct {
	Together, Alone string // points of SVG
	Most            float64
	Last            uint64
}

func (t *trend) curves() *curves {
	if len(t.rounds) < 2 {
		return nil
	}
	c := &curves{Last: t.rounds[len(t.rounds)-1]}
	for i := range t.rounds {
		c.Most = max(c.Most, t.together[i], t.alone[i])
	}
	points := func(ys []float64) string {
		var s strings.Builder
		for i, y := range ys {
			_, _ = fmt.Fprintf(&s, "%.1f,%.1f ", 600*float64(t.rounds[i])/float64(c.Last), 200-190*y/math.Max(c.Most, 1e-9))
		}
		return s.String()
	}
	c.Together, c.Alone = points(t.together), points(t.alone)
	return c
}
