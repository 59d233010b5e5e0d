package gain

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"peerd.dev/internal/daemon"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

const (
	gainEvery = 5 * time.Minute // at least between two estimates
	gainGrows = 16              // and decisions have grown by this part of them
	gainShare = .1              // of a processor's time that an estimate takes
)

// gains keeps the newest estimate of what a site has gained by joining.
type gains struct {
	mu     sync.Mutex
	newest *api.Gain // nil for none
	at     time.Time // of newest
	waited uint64    // the most decisions that waited at once before a thousand rewards had come, as far as this process saw
}

// missing returns why the gain of a site cannot be estimated, or "". A baseline costs what it costs with neighbours and without, and a
// site alone is simulated without one: it would look as if joining had cost that. Only a site that keeps decisions has x.
func missing(s *daemon.Sight, arms []api.Arm) string {
	x := s.Inside
	const unknown = "what joining has gained is not known: "
	if a := &s.Settings.API; a.Baseline != "" && a.BaselineShare > 0 {
		return unknown + a.Baseline + " has a share of the decisions (api.baseline), and a site alone is simulated without one"
	}
	if s.ByFeatures || x != nil && x.Pulls == nil {
		return "what joining has gained is not computed for learners by features"
	}
	if x != nil && s.Spec.Inside == 0 { // with noise, rewards are no count
		n := float64(x.Pending)
		for _, r := range x.Rewards {
			n += r
		}
		if n < float64(x.Given+x.Kept) {
			return unknown + "what an action pays here has changed, and nothing says what the decisions before have lost"
		}
	}
	return Missing(arms)
}

// compared returns what is known of the actions by which gain is judged: without those that were added and that no site has played, since
// perhaps none ever will.
func compared(s *daemon.Sight) []api.Arm {
	arms := slices.Clone(s.Arms)
	if s.Inside != nil {
		Exact(arms, s.Inside)
	}
	founding := min(len(s.Settings.Arms), len(arms))
	added := slices.DeleteFunc(slices.Clone(arms[founding:]), func(a api.Arm) bool { return a.Pulls == 0 && a.Own+a.Borrowed == 0 })
	return append(slices.Clip(arms[:founding]), added...)
}

// of returns what joining has gained, or why that is not known, for a site of which there is something missing or "".
func (g *gains) of(missing string) *api.Gain {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.newest != nil {
		known := *g.newest
		return &known
	}
	if missing != "" {
		return &api.Gain{Sentence: missing}
	}
	return &api.Gain{Sentence: "what joining has gained is being computed"}
}

// due reports whether a site with these arms has something new to estimate.
func (g *gains) due(arms []api.Arm, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.newest == nil {
		return true
	}
	decisions := uint64(0)
	for i := range arms {
		decisions += arms[i].Pulls
	}
	return now.Sub(g.at) >= gainEvery && decisions > g.newest.Decisions+g.newest.Decisions/gainGrows
}

// wait returns how many decisions wait at once at a site alone: as many as here while the first rewards came or, where this process did not see
// that, as many as now.
func (g *gains) wait(s *node.Status, x *node.Inside) uint64 {
	pending, decided := s.Pending, uint64(0)
	for _, n := range s.Pulls {
		decided += n
	}
	if x != nil {
		pending, decided = x.Pending, x.Given+x.Kept
	}
	if decided-min(decided, pending) < 1000 {
		g.waited = max(g.waited, pending)
	}
	return cmp.Or(g.waited, pending)
}

// keep keeps an estimate.
func (g *gains) keep(newest *api.Gain, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.newest, g.at = newest, now
}

// Newest implements [daemon.Gain].
func (g *gains) Newest(s *daemon.Sight) *api.Gain { return g.of(missing(s, compared(s))) }

// Look implements [daemon.Gain].
func (g *gains) Look(ctx context.Context, s *daemon.Sight) {
	arms := compared(s)
	waited := g.wait(s.Status, s.Inside)
	if missing(s, arms) != "" || !g.due(arms, time.Now()) {
		return
	}
	found, err := Estimate(ctx, Site{Spec: s.Spec, MinExposures: s.Settings.API.MinExposures, Waited: waited, Unit: s.Settings.API.Range().Width()}, arms, gainShare)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		found = api.Gain{Sentence: "what joining has gained is not known: " + err.Error()}
	}
	g.keep(&found, time.Now())
}
