package page

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	sampleEvery   = time.Second // at first
	longestSample = 128         // seconds between two samples that are kept
	newestSample  = 8           // seconds, at most, that the newest one is old
	mostActions   = 32          // of which there are series: at most 400 kB
)

// What series of a peer are of.
const (
	choices    = "choices"
	own        = "own"
	borrowed   = "borrowed"
	regretIs   = "regret"
	regretLow  = "regret at least"
	regretHigh = "regret at most"
	linksUp    = "links that are up"
	links      = "links"
)

// A sampler looks at a peer now and then, and remembers what it saw.
type sampler struct {
	mu     sync.Mutex
	trend  trend     // by seconds since first
	first  time.Time // moment
	newest time.Time
}

// Run takes samples of the peer until ctx is done or the page is closed. Their moments depend on nothing but the clock.
func (p *Page) Run(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for failing := false; ; {
		err := p.look(ctx, p.now())
		if err != nil && !failing && ctx.Err() == nil {
			p.log.Warn("the trends of the page have a gap", "err", err)
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		case <-p.streams.ended:
			return
		}
	}
}

// look takes a sample if one is due. An error leaves a gap.
func (p *source) look(ctx context.Context, now time.Time) error {
	if p.first.IsZero() {
		p.first = now
	}
	at := int64(now.Sub(p.first).Round(sampleEvery) / sampleEvery)
	if at%min(max(1, p.trend.every), newestSample) != 0 {
		return nil
	}
	seen, err := p.sample(ctx)
	if err != nil {
		seen = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = now
	p.trend.add(at, seen)
	return err
}

// sample returns what is released and public now.
func (p *source) sample(ctx context.Context) (now sample, err error) {
	defer func() {
		if v := recover(); v != nil { // it would end the process
			err = fmt.Errorf("the peer cannot be looked at: %v", v)
		}
	}()
	status, err := p.peer.Status(ctx)
	if err != nil {
		return nil, err
	}
	peers, err := p.peer.Peers(ctx)
	if err != nil {
		return nil, err
	}
	arms, err := p.arms(ctx, status.ByFeatures > 0)
	if err != nil {
		return nil, err
	}
	now = sample{{links, ""}: 0, {linksUp, ""}: 0}
	for i := range peers {
		if peers[i].Neighbour {
			now[key{links, ""}]++
			if peers[i].State == "up" {
				now[key{linksUp, ""}]++
			}
		}
	}
	if status.ByFeatures == 0 { // else what is known is of features, and not of actions
		p.actions(now, arms, status.Pulls != nil)
	}
	return now, nil
}

// actions adds what is known of actions to a sample. Choices are public or not.
func (p *source) actions(now sample, arms []arm, public bool) {
	counts := make([]float64, len(arms))
	order := make([]int, len(arms))
	for i := range arms {
		a := &arms[i]
		if order[i], counts[i] = i, max(0, a.Own); public {
			counts[i] = float64(a.Pulls)
			now[key{choices, ""}] += counts[i]
		}
		now[key{own, ""}] += a.Own
		now[key{borrowed, ""}] += a.Borrowed
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(counts[j], counts[i]), cmp.Compare(arms[j].Borrowed, arms[i].Borrowed))
	})
	for _, i := range order[:min(len(order), mostActions)] {
		a := &arms[i]
		if public {
			now[key{choices, a.Name}] = counts[i]
		}
		now[key{own, a.Name}], now[key{borrowed, a.Name}] = a.Own, a.Borrowed
	}
	least, most := p.peer.Range()
	estimate, half := regret(arms, counts, least, most)
	now[key{regretIs, ""}], now[key{regretLow, ""}], now[key{regretHigh, ""}] = estimate, max(0, estimate-half), estimate+half
}

// charts draws what was seen: for the view of the network the links, otherwise what the site does and has learned.
func (p *source) charts(view string, arms []arm) (all []*chart, since string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &p.trend
	n := len(t.at) - 1
	if n < 1 {
		return nil, ""
	}
	moment := func(at int64) string {
		return p.newest.Add(time.Duration(at-t.at[n]) * sampleEvery).UTC().Format("15:04:05")
	}
	since = "The lines begin at " + p.newest.Add(time.Duration(t.at[0]-t.at[n])*sampleEvery).UTC().Format("2006-01-02 15:04 UTC")
	if t.at[0] == 0 {
		since += ", when the peer started"
	}
	draw := func(title string, write func(float64) string, lines ...series) {
		if c := newChart(t.at, title, moment, write, lines); c != nil {
			all = append(all, c)
		}
	}
	of := func(name, what string) series {
		return series{name, true, func(i int) float64 { return t.value(key{what, ""}, i) }}
	}
	if view == "network" {
		draw("Links to neighbours", short, of("links that are up", linksUp), of("neighbours", links))
		return all, since
	}
	names, public := p.foremost(arms), t.series[key{choices, ""}] != nil
	by := func(value func(action string, i int) float64) (lines []series) {
		for _, name := range names {
			lines = append(lines, series{name, false, func(i int) float64 { return value(name, i) }})
		}
		if len(names) < len(arms) {
			lines = append(lines, series{fmt.Sprintf("the %d others", len(arms)-len(names)), true, func(i int) float64 {
				all := value("", i)
				rest := all
				for _, name := range names {
					if x := value(name, i); !math.IsNaN(x) {
						rest -= x
					}
				}
				if rest < 1e-9*all { // of rounding
					return 0
				}
				return rest
			}})
		}
		return lines
	}
	if public {
		draw("Share of choices, in the last tenth of the time shown", percent, by(func(action string, i int) float64 {
			if action == "" && !math.IsNaN(t.share("", i)) {
				return 1
			}
			return t.share(action, i)
		})...)
	}
	for _, what := range []string{own, borrowed} {
		title := map[string]string{own: "Own evidence, in rewards", borrowed: "Borrowed evidence, in rewards"}[what]
		draw(title, short, by(func(action string, i int) float64 { return t.value(key{what, action}, i) })...)
	}
	title := "Regret estimate of this site, from public counts of choices"
	if !public {
		title = "Regret estimate of this site, from own released rewards, since counts are not public"
	}
	draw(title, short, of("estimate", regretIs), of("at least (95 %)", regretLow), of("at most (95 %)", regretHigh))
	return all, since
}

// foremost returns the actions that have lines of their own, in the order of the network: those chosen most in the time that is shown, and
// then those with most evidence. With the share of the last minutes the lines would change places all the time.
func (p *source) foremost(arms []arm) (names []string) {
	t := &p.trend
	n := len(t.at) - 1
	place := make(map[string]int)
	for i := range arms {
		if name := arms[i].Name; t.series[key{own, name}] != nil {
			place[name] = i
			names = append(names, name)
		}
	}
	if len(arms) <= mostLines && len(names) == len(arms) {
		return names
	}
	score := func(name string) []float64 {
		return []float64{t.grown(key{choices, name}), t.value(key{own, name}, n) + t.value(key{borrowed, name}, n)}
	}
	slices.SortStableFunc(names, func(a, b string) int { return slices.Compare(score(b), score(a)) })
	names = names[:min(len(names), mostLines-1)]
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	return names
}
