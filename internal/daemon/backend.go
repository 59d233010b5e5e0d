package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/decision"
)

// A Daemon is the backend of the API.
var _ api.Backend = (*Daemon)(nil)

// Decide implements [api.Backend].
func (p *Daemon) Decide(ctx context.Context, asks []decision.Ask) []decision.Outcome[decision.Decision] {
	if p.site == nil {
		return simulated[decision.Decision](len(asks))
	}
	return p.site.Decide(ctx, asks)
}

// Reward implements [api.Backend].
func (p *Daemon) Reward(ctx context.Context, reports []decision.Report) []decision.Outcome[decision.Receipt] {
	if p.site == nil {
		return simulated[decision.Receipt](len(reports))
	}
	return p.site.Reward(ctx, reports)
}

// Actions implements [api.Backend].
func (p *Daemon) Actions() []string {
	if p.site == nil {
		return nil
	}
	return p.site.Actions()
}

// Features implements [api.Backend].
func (p *Daemon) Features() decision.Shape {
	if p.site == nil {
		return decision.Shape{}
	}
	return p.site.Features()
}

// simulated refuses everything in lockstep, which protects no one.
func simulated[T any](n int) []decision.Outcome[T] {
	out := make([]decision.Outcome[T], n)
	for i := range out {
		out[i].Err = &decision.Refusal{Code: decision.Simulated, Reason: "this peer runs in lockstep, which protects no one and accepts no real rewards; set mode: live"}
	}
	return out
}

func (p *Daemon) progress(ctx context.Context) (node.Status, error) {
	if p.site != nil {
		return p.site.Status(ctx)
	}
	return p.node.Status(ctx)
}

// Status implements [api.Backend].
func (p *Daemon) Status(ctx context.Context) (d api.Status, err error) {
	s, err := p.progress(ctx)
	if err != nil {
		return d, err
	}
	deployment, host := p.now()
	if n := slices.Index(deployment.actions.Names, ""); n >= 0 && n < len(s.Means) { // room for more
		s.Means, s.Pulls = s.Means[:n], s.Pulls[:min(n, len(s.Pulls))]
	}
	d = api.Status{
		ID: deployment.id.ID(), Name: deployment.Network.Peers[deployment.Self].Name, Peer: uint32(deployment.Self), Network: deployment.Network.Name,
		LinksUp: host != nil, Round: s.Round, Rounds: s.Rounds, Pulls: s.Pulls, Regret: s.Regret, Means: s.Means, Error: s.Parameter.Error, Raised: s.Parameter.Raised, Spent: s.Spent, Left: s.Left,
		Released: s.Released, Refused: s.Refused, Skipped: s.Skipped, Flooded: s.Flooded, LastErr: s.LastErr,
		BlockedReason: s.BlockedReason, AloneReason: s.AloneReason, Pending: s.Pending, LedgerRecords: s.Records, Confirmed: s.Confirmed, DiskFull: s.Full,
		Learning: string(s.Learning), Notice: s.Notice, Remaining: s.Remaining, Until: s.Until,
	}
	for _, o := range s.Support.Alike {
		d.Alike = append(d.Alike, api.Alike{Peer: uint32(o.Peer), Name: deployment.Network.Peers[o.Peer].Name, Apart: o.Mean})
	}
	slices.SortStableFunc(d.Alike, func(x, y api.Alike) int { return cmp.Compare(x.Apart, y.Apart) })
	if s.Best != bandit.NoArm && int(s.Best) < len(deployment.actions.Names) {
		d.Best = deployment.actions.Names[s.Best]
	}
	for _, k := range s.Drifted {
		if int(k) < len(deployment.actions.Names) {
			d.Drifted = append(d.Drifted, deployment.actions.Names[k])
		}
	}
	if p.site != nil {
		d.Incarnation = uint64(p.site.Incarnation())
	}
	if p.site != nil && !deployment.idle() {
		d.Gain = p.gains.of(deployment.arms(&s))
	}
	d.DocumentNotice = p.documentNotice()
	if p.site != nil {
		d.Clones = uint64(len(p.site.Forks()))
	}
	neighbours, linked := 0, 0
	defer func() {
		if d.Notice == "" && d.Clones > 0 && p.site != nil {
			d.Notice = p.forked(deployment)
		}
		d.State = state(&d, p.Ready(ctx), neighbours, linked)
	}()
	if host == nil {
		return d, nil
	}
	d.Addresses = host.Addrs()
	if ahead, peers := host.Ahead(); peers > 0 {
		seconds := ahead.Seconds()
		d.ClockAhead = &seconds
		if d.Notice == "" {
			d.Notice = WrongClock(ahead, deployment.Network.Every)
		}
	}
	all := host.Status()
	if p.site != nil {
		p.heard.note(all)
		d.Stopped, d.StoppedNotice = p.stopped(deployment, &s.Support)
	}
	for _, o := range all {
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
	t := host.Totals()
	d.LinksUp = linked == neighbours
	d.BytesIn += t.TopicBytesIn
	d.BytesOut += t.TopicBytesOut
	d.Dropped += t.TopicDropped
	d.Clones += t.Clones
	d.Strangers, d.Limited = t.Strangers, t.Limited
	return d, nil
}

// forked names the peers of whose ledgers two histories are signed; "" for none.
func (p *Daemon) forked(t *Deployment) string {
	var names []string
	for of := range p.site.Forks() {
		names = append(names, t.Network.Peers[of].Name)
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return fmt.Sprintf("two histories of the ledger are signed, by %s: a folder was copied, or a key is in other hands; see docs/durability.md", strings.Join(names, ", "))
}

// Arms implements [api.Backend].
func (p *Daemon) Arms(ctx context.Context) ([]api.Arm, error) {
	s, err := p.progress(ctx)
	if err != nil {
		return nil, err
	}
	deployment, _ := p.now()
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
		arms = append(arms, a)
	}
	return arms
}

// Peers implements [api.Backend].
func (p *Daemon) Peers(context.Context) ([]api.Peer, error) {
	deployment, host := p.now()
	if host == nil {
		return []api.Peer{}, nil
	}
	var all []api.Peer
	for _, o := range host.Status() {
		d := api.Peer{
			Peer: uint32(o.Peer), Name: deployment.Network.Peers[o.Peer].Name, ID: o.ID, Neighbour: o.Neighbour,
			State: string(o.State), FramesIn: o.FramesIn, FramesOut: o.FramesOut,
			BytesIn: o.BytesIn, BytesOut: o.BytesOut, Dropped: o.Dropped, Refused: o.Refused,
			LastSeen: o.LastSeen, LastError: o.LastError, Records: o.Checkpoint.Records, Alarm: o.Alarm, Alarms: o.Alarms,
		}
		if o.RTT > 0 {
			d.RTT = o.RTT.Round(time.Microsecond).String()
		}
		all = append(all, d)
	}
	return all, nil
}

// Ledger implements [api.Backend].
func (p *Daemon) Ledger(ctx context.Context, from, limit uint64) iter.Seq2[[]byte, error] {
	if p.site == nil {
		return func(func([]byte, error) bool) {} // lockstep protects no one and has no ledger
	}
	return p.site.Ledger(ctx, from, limit)
}

// Ready implements [api.Backend].
func (p *Daemon) Ready(ctx context.Context) error {
	switch {
	case p.site != nil:
		return p.site.Ready(ctx)
	case p.node != nil:
		return nil
	}
	return errors.New("this peer is starting")
}
