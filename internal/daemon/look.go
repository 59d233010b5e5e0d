package daemon

import (
	"context"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// lookEvery is the time between two looks at what a live peer knows.
const lookEvery = 5 * time.Second

// NewGain makes what estimates the gain of a live peer. It is nil unless an extra sets it: then no status has a gain.
var NewGain func() Gain //nolint:gochecknoglobals // an extra sets it in its init

// A Gain estimates now and then what a site has gained by joining.
type Gain interface {
	// Newest returns the newest estimate, or says why there is none.
	Newest(s *Sight) *api.Gain
	// Look makes an estimate if one is due.
	Look(ctx context.Context, s *Sight)
}

// A Sight is what a live peer knows.
type Sight struct {
	Settings   *config.Settings
	Spec       node.Spec
	ByFeatures bool
	Status     *node.Status
	Inside     *node.Inside // nil unless the site keeps decisions
	Arms       []api.Arm
}

// sight returns what a peer at a deployment knows.
func (t *Deployment) sight(s *node.Status, x *node.Inside) *Sight {
	numbers, _ := t.byFeatures()
	return &Sight{t.s, t.Spec, numbers > 0, s, x, t.arms(s)}
}

// look notes now and then who is heard, logs once that estimates rest on sites that are not, and has the gain estimated from what the
// site's status shows.
func (p *live) look(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	said := false // of stopped sites
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s, err := p.site.Status(ctx)
		if err != nil {
			continue
		}
		deployment, host := p.now()
		if host != nil {
			p.heard.note(host.Status())
			_, notice := p.stopped(deployment, &s.Support)
			if notice != "" && !said {
				p.log.Warn("stopped sites", "reason", notice)
			}
			said = notice != ""
		}
		if p.gain == nil {
			continue
		}
		x, err := p.site.Inside(ctx)
		if err != nil {
			continue
		}
		p.gain.Look(ctx, deployment.sight(&s, x))
	}
}
