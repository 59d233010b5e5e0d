package page

import (
	"context"
	"log/slog"
	"math"
	"sync"

	"peerd.dev/node/api"
)

// Sites is what is shown of all sites of a network on this machine.
type Sites struct {
	Network       string
	Round, Rounds uint64 // Rounds is 0 where they have no end
	Regret        bool   // it is known
	Together      float64
	Alone         float64
	As            string     // what a site alone is
	Private       bool       // only noised releases leave the sites
	Over          []string   // the result; none while sites learn
	Links         [][]uint32 // between sites, by their places in Sites
	Sites         []Site
}

// Site is one of them.
type Site struct {
	Name            string
	Linked          bool
	Together, Alone float64 // rewards lost, so far; NaN for unknown
	Favours, Best   string  // actions: the best one by what it knows, and the best one for its own users; empty for unknown
	Share           float64 // of its choices that were of what it favours; 0 also for unknown
	Epsilon         float64 // charged
	Released        uint64
	Sent            uint64
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
		b.trend.add(int64(now.Round), sample{{together, ""}: now.Together, {alone, ""}: now.Alone})
	}
}

// A board is what the view of sites shows.
type board struct {
	View           view
	Menu           []view
	Whose, Network string
	Sites
	Charts []*chart
	Graph  *graph
}

// What series of a board are of.
const (
	together = "together"
	alone    = "alone (simulated)"
)

func (b *Board) show(_ context.Context, v view, _ bool) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	shown := board{View: v, Menu: []view{v}, Whose: "All sites", Network: b.now.Network, Sites: b.now}
	var lines []series
	for _, what := range []string{together, alone} {
		lines = append(lines, series{what, true, func(i int) float64 { return b.trend.value(key{what, ""}, i) }})
	}
	if c := newChart(b.trend.at, "Rewards that a site has lost", func(round int64) string { return "round " + count(uint64(round)) }, rewards, lines); c != nil {
		shown.Charts = append(shown.Charts, c)
	}
	n, up := api.Network{Links: b.now.Links}, []api.Peer(nil)
	for i, s := range b.now.Sites {
		if n.Places = append(n.Places, api.Place{Peer: uint32(i), Name: s.Name}); s.Linked {
			up = append(up, api.Peer{Peer: uint32(i), State: "up"})
		}
	}
	shown.Graph = newGraph(&n, math.MaxUint32, up) // of no site
	return shown, nil
}
