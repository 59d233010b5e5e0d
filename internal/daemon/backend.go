package daemon

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/network"
)

// A Daemon is the backend of the API.
var _ api.Backend = (*Daemon)(nil)

// Status implements [api.Backend].
func (p *Daemon) Status(ctx context.Context) (d api.Status, err error) {
	s, err := p.Backend.Status(ctx)
	if err != nil {
		return d, err
	}
	deployment, host := p.now()
	deployment.inUnits(&s)
	if n := slices.Index(deployment.actions.Names, ""); n >= 0 && n < len(s.Means) { // room for more
		s.Means, s.Pulls = s.Means[:n], s.Pulls[:min(n, len(s.Pulls))]
	}
	d = api.Status{
		ID: deployment.id.ID(), Name: deployment.Network.Peers[deployment.Self].Name, Peer: uint32(deployment.Self), Network: deployment.Network.Name,
		LinksUp: host != nil, Round: s.Round, Rounds: s.Rounds, Pulls: s.Pulls, Regret: s.Regret, Means: s.Means, Error: s.Parameter.Error, Raised: s.Parameter.Raised, Spent: s.Spent, Left: s.Left,
		Released: s.Released, Refused: s.Refused, Skipped: s.Skipped, Flooded: s.Flooded, LastErr: s.LastErr,
		BlockedReason: s.BlockedReason, AloneReason: s.AloneReason, Pending: s.Pending, LedgerRecords: s.Records, Confirmed: s.Confirmed, DiskFull: s.Full,
		Learning: string(s.Learning), Notice: s.Notice, Policy: s.Policy, Users: s.Users, Remaining: s.Remaining, Until: s.Until,
	}
	for _, o := range s.Support.Alike {
		d.Alike = append(d.Alike, api.Alike{Peer: uint32(o.Peer), Name: deployment.Network.Peers[o.Peer].Name, Apart: o.Mean})
	}
	d.ByFeatures, d.Features = deployment.byFeatures()
	d.Given, d.Gives = deployment.gift(deployment.Self, &s.Support)
	slices.SortStableFunc(d.Alike, func(x, y api.Alike) int { return cmp.Compare(x.Apart, y.Apart) })
	if s.Best != bandit.NoArm && int(s.Best) < len(deployment.actions.Names) {
		d.Best = deployment.actions.Names[s.Best]
	}
	for _, k := range s.Drifted {
		if int(k) < len(deployment.actions.Names) {
			d.Drifted = append(d.Drifted, deployment.actions.Names[k])
		}
	}
	neighbours, linked := 0, 0
	if host != nil {
		neighbours, linked = reach(&d, deployment, host)
	}
	p.player.About(&d, &s, deployment, host)
	d.State = state(&d, p.Ready(ctx), neighbours, linked)
	return d, nil
}

// reach adds what a host knows to a status, and returns the numbers of neighbours and of those that are linked.
func reach(d *api.Status, t *Deployment, host *gossip.Host) (neighbours, linked int) {
	d.Addresses = host.Addrs()
	if ahead, peers := host.Ahead(); peers > 0 {
		seconds := ahead.Seconds()
		d.ClockAhead = &seconds
		if d.Notice == "" {
			d.Notice = WrongClock(ahead, t.Network.Every)
		}
	}
	for _, o := range host.Status() {
		if o.Neighbour {
			neighbours++
			if o.State == gossip.Up {
				linked++
			}
		}
		d.BytesIn += o.BytesIn
		d.BytesOut += o.BytesOut
		d.Dropped += o.Dropped
		d.Refused += o.Refused
	}
	all := host.Totals()
	d.LinksUp = linked == neighbours
	d.BytesIn += all.TopicBytesIn
	d.BytesOut += all.TopicBytesOut
	d.Dropped += all.TopicDropped
	d.Clones += all.Clones
	d.Strangers, d.Limited = all.Strangers, all.Limited
	return neighbours, linked
}

// Arms implements [api.Backend].
func (p *Daemon) Arms(ctx context.Context) ([]api.Arm, error) {
	s, err := p.Backend.Status(ctx)
	if err != nil {
		return nil, err
	}
	deployment, _ := p.now()
	deployment.inUnits(&s)
	return deployment.arms(&s), nil
}

// arms returns what is known of every action.
func (t *Deployment) arms(s *node.Status) []api.Arm {
	arms := []api.Arm{}
	for k := range s.Means {
		name := t.actions.Names[k]
		if name == "" {
			break // room for more
		}
		a := api.Arm{Name: name, Estimate: s.Means[k], Samples: s.Samples[k], NoiseSD: s.Noise[k], Retired: slices.Contains(t.actions.Absent, bandit.Arm(k))}
		if len(s.Pulls) > 0 {
			a.Pulls = s.Pulls[k]
		}
		if b := s.Support; k < len(b.Own) {
			a.Own, a.Borrowed, a.Sites = b.Own[k], b.Borrowed[k], uint32(b.Sites[k])
		}
		t.effects(&a, k, s)
		arms = append(arms, a)
	}
	return arms
}

// Inside implements [api.Backend].
func (p *Daemon) Inside(ctx context.Context) (d api.Inside, err error) {
	x, err := p.Backend.Inside(ctx)
	switch {
	case err != nil:
		return d, err
	case x == nil:
		return d, api.ErrGivesAll
	}
	deployment, _ := p.now()
	d = deployment.inside(x)
	if l, ok := p.player.(*live); ok && l.gain != nil {
		s, err := p.Backend.Status(ctx)
		if err != nil {
			return d, err
		}
		d.Gain = l.gain.Newest(deployment.sight(&s, x))
	}
	return d, nil
}

// inside puts what only people of the site may see into the application's units.
func (t *Deployment) inside(x *node.Inside) api.Inside {
	d := api.Inside{Given: x.Given, Kept: x.Kept, Pending: x.Pending, Actions: []api.InsideAction{}}
	r := t.s.API.Range()
	for k, name := range t.actions.Names[:min(len(x.Pulls), len(t.actions.Names))] {
		if name == "" {
			break // room for more
		}
		a := api.InsideAction{Name: name, Decisions: x.Pulls[k], Rewards: x.Rewards[k], Retired: slices.Contains(t.actions.Absent, bandit.Arm(k))}
		if a.Rewards > 0 {
			a.Mean = r.Mean(x.Means[k])
		}
		if a.Rewards > 0 || x.Estimates[k] != 0 { // 0 stands for no estimate
			a.Estimate = r.Mean(x.Estimates[k])
		}
		d.Actions = append(d.Actions, a)
	}
	return d
}

// Backup implements [api.Backend].
func (p *Daemon) Backup(ctx context.Context, to io.Writer) error { return p.player.Backup(ctx, to) }

// Peers implements [api.Backend].
func (p *Daemon) Peers(ctx context.Context) ([]api.Peer, error) {
	s, err := p.Backend.Status(ctx)
	deployment, host := p.now()
	if err != nil || host == nil {
		return []api.Peer{}, err
	}
	var all []api.Peer
	for _, o := range host.Status() {
		d := api.Peer{
			Peer: uint32(o.Peer), Name: deployment.Network.Peers[o.Peer].Name, ID: o.ID, Neighbour: o.Neighbour,
			State: string(o.State), FramesIn: o.FramesIn, FramesOut: o.FramesOut,
			BytesIn: o.BytesIn, BytesOut: o.BytesOut, Dropped: o.Dropped, Refused: o.Refused,
			LastSeen: o.LastSeen, LastError: o.LastError, Records: o.Checkpoint.Records, Alarm: o.Alarm, Alarms: o.Alarms, Dialled: o.Dialled,
		}
		if deployment.Network.Peers[o.Peer].Standing == network.Gone {
			d.LastError = api.Left
		}
		d.Given, d.Gives = deployment.gift(o.Peer, &s.Support)
		if o.RTT > 0 {
			d.RTT = o.RTT.Round(time.Microsecond).String()
		}
		all = append(all, d)
	}
	return all, nil
}
