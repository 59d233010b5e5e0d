package page

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"peerd.dev/dp/account"
	"peerd.dev/node/api"
	"peerd.dev/node/ledger"
	"peerd.dev/node/ledger/check"
)

// A view is one page, at a path below [Prefix].
type view struct{ Name, Path, Title string }

// views lists the views in the order of the menu.
func views() []view {
	return []view{
		{"now", "", "Now"},
		{"privacy", "privacy", "Promise"},
		{"left", "left", "What left"},
		{"network", "network", "Network"},
		{"learning", "learning", "Learning"},
	}
}

// insideView is of what only people of the site may see. It is in the menu of those alone, at a peer that keeps decisions.
func insideView() view { return view{"inside", "inside", "Inside"} }

// How many records of the ledger, actions, and effects of an action are shown.
const (
	newestRecords = 50
	mostRows      = 50
	mostEffects   = 6
)

// shown is what a view shows.
type shown struct {
	View    view
	Whose   string
	Menu    []view
	Network string
	Status  api.Status
	Ready   bool // as /readyz says
	Notices []string
	Peers   []api.Peer
	Arms    []arm
	Inside  api.Inside // for the view of it alone
	Privacy *api.Privacy
	Records []record
	Places  *api.Network
	Graph   *graph
	More    uint64 // actions that are not among Arms

	Effects     []api.Effect // of the first one
	MoreEffects uint64

	Charts []*chart
	Since  string // the charts begin
}

// An arm is an action with the interval of its estimate.
type arm struct {
	api.Arm
	Low, High float64 // of 95 %
	Bar       *bar    // nil while nothing is known
}

// A record is a record of the ledger and its line.
type record struct {
	Number     uint64
	Kind, What string
	When, Of   string // as peerd ledger show has them
	Line       string
}

// A source is a peer that is shown.
type source struct {
	peer api.Backend
	sampler
}

func newSource(peer api.Backend) *source {
	return &source{peer: peer, sampler: sampler{trend: trend{longest: longestSample}}}
}

// show asks the peer for what a view shows.
func (p *source) show(ctx context.Context, v view, inside bool) (_ any, err error) {
	s := shown{View: v, Menu: views(), Ready: p.peer.Ready(ctx) == nil}
	if s.Status, err = p.peer.Status(ctx); err != nil {
		return s, err
	}
	if inside {
		if _, none := p.peer.Inside(ctx); none == nil {
			s.Menu = append(s.Menu, insideView())
		}
	}
	s.Whose, s.Network = s.Status.Name, s.Status.Network
	for _, text := range []string{s.Status.Notice, s.Status.Policy, s.Status.Users, s.Status.StoppedNotice} {
		if text != "" && text != s.Status.State {
			s.Notices = append(s.Notices, text)
		}
	}
	switch v.Name {
	case "now", "learning":
		if s.Peers, err = p.peer.Peers(ctx); err == nil {
			s.Arms, err = p.arms(ctx, s.Status.ByFeatures > 0)
		}
		if v.Name == "learning" && err == nil {
			s.Charts, s.Since = p.charts(v.Name, s.Arms)
			for i := range s.Arms {
				all := s.Arms[i].Effects
				if s.Arms[i].Effects = all[:min(len(all), mostEffects)]; i == 0 {
					s.Effects, s.MoreEffects = s.Arms[0].Effects, uint64(len(all)-len(s.Arms[0].Effects))
				}
			}
		}
		if n := len(s.Arms) - mostRows; n > 0 {
			slices.SortStableFunc(s.Arms, func(a, b arm) int { return cmp.Compare(b.Samples, a.Samples) })
			s.Arms, s.More = s.Arms[:mostRows], uint64(n)
		}
	case "privacy":
		var doc api.Privacy
		doc, err = p.peer.Privacy(ctx)
		s.Privacy = &doc
	case "inside":
		if s.Inside, err = p.peer.Inside(ctx); len(s.Inside.Actions) > mostRows {
			slices.SortStableFunc(s.Inside.Actions, func(a, b api.InsideAction) int { return cmp.Compare(b.Decisions, a.Decisions) })
			s.More = uint64(len(s.Inside.Actions) - mostRows)
			s.Inside.Actions = s.Inside.Actions[:mostRows]
		}
	case "left":
		s.Records, err = p.records(ctx, s.Status.LedgerRecords)
	case "network":
		var doc api.Network
		if doc, err = p.peer.Network(ctx); err != nil {
			return s, err
		}
		s.Peers, err = p.peer.Peers(ctx)
		s.Places, s.Graph = &doc, newGraph(&doc, s.Status.Peer, s.Peers)
		s.Charts, s.Since = p.charts(v.Name, nil)
	}
	return s, err
}

// arms returns the actions, those in use first. By features an estimate has an error of its own, or there is none.
func (p *source) arms(ctx context.Context, byFeatures bool) ([]arm, error) {
	all, err := p.peer.Arms(ctx)
	if err != nil {
		return nil, err
	}
	least, most := p.peer.Range()
	var shown []arm
	for _, a := range all {
		x := arm{Arm: a}
		half := 1.96 * a.Error
		if !byFeatures {
			half = 1.96 * math.Sqrt(a.NoiseSD*a.NoiseSD+(most-least)*(most-least)/4/a.Samples) // no reward has a greater variance
		}
		if a.Samples > 0 && half > 0 {
			x.Low, x.High = a.Estimate-half, a.Estimate+half
			x.Bar = newBar(least, most, x.Low, a.Estimate, x.High)
		}
		shown = append(shown, x)
	}
	slices.SortStableFunc(shown, func(a, b arm) int {
		switch {
		case a.Retired == b.Retired:
			return 0
		case a.Retired:
			return 1
		}
		return -1
	})
	return shown, nil
}

// records returns the newest records of a ledger of some length, the newest first.
func (p *source) records(ctx context.Context, length uint64) ([]record, error) {
	var all []record
	words := check.Words{Actions: p.peer.Actions()}
	words.Low, words.High = p.peer.Range()
	doc, _ := p.peer.Privacy(ctx) // without it a charge is what is added up
	words.Delta, _ = account.DeltaOf(doc.Delta)
	if n, err := p.peer.Network(ctx); err == nil { // else rounds have numbers
		words.Start, words.Every = n.Start, time.Duration(n.Every*float64(time.Second))
	}
	for line, err := range p.peer.Ledger(ctx, length-min(length, newestRecords), newestRecords) {
		if err != nil {
			return nil, err
		}
		r, wrong := ledger.ParseLine(line)
		if wrong != nil {
			return nil, wrong
		}
		x := record{Number: r.Seq, Kind: string(r.Body.Kind()), Line: string(line)}
		x.When, x.Of, x.What = words.Line(r.Body)
		all = append(all, x)
	}
	slices.Reverse(all)
	return all, nil
}

// short writes a number with three digits, and a whole one with all of them.
func short(x float64) string {
	switch size := math.Abs(x); {
	case size < 1e-3:
		return fmt.Sprintf("%.2g", x)
	case size < 1:
		return fmt.Sprintf("%.3g", x)
	case size >= 100 || x == math.Round(x):
		return group(fmt.Sprintf("%.0f", x))
	case size >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// rewards writes how many rewards a site has lost.
func rewards(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return group(fmt.Sprintf("%.1f", x))
}

func percent(x float64) string { return fmt.Sprintf("%.0f\u00a0%%", 100*x) }

func count(n uint64) string { return group(fmt.Sprint(n)) }

// group puts a comma before every three digits of the whole part of a number.
func group(text string) string {
	whole, _, _ := strings.Cut(text, ".")
	rest := text[len(whole):]
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + rest
}

// texts are what templates write numbers and times with.
func texts() map[string]any {
	return map[string]any{
		"number":  short,
		"rewards": rewards,
		"count":   count,
		"whole":   func(x float64) string { return count(uint64(math.Round(max(0, x)))) },
		"size": func(n uint64) string {
			x, units := float64(n), []string{"B", "kB", "MB", "GB", "TB"}
			i := 0
			for ; x >= 1000 && i < len(units)-1; i++ {
				x /= 1000
			}
			return short(x) + " " + units[i]
		},
		"percent": percent,
		"adds": func(e api.Effect) string {
			return fmt.Sprintf("%+.2f (%+.2f to %+.2f)", e.Change, e.Change-1.96*e.Error, e.Change+1.96*e.Error)
		},
		"time": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"day":  func(t time.Time) string { return t.UTC().Format("2 January 2006") },
	}
}
