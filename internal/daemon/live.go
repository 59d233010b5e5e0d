package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/gossip/wire"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// A live peer serves people: a site with its store, and the network's document.
type live struct {
	*place
	site      *site.Site
	record    *Record // of the network document; nil without one
	links     *links  // nil for a peer that must not show itself
	run       wire.Run
	complaint string // last complaint that was logged; used by follow
	noticed   string // last notice about the document that was logged; used by follow
	clock     bool   // a wrong clock was logged; used by follow
	metrics   []any
	silent    sync.Once
	backup    sync.Mutex // one is written at a time
	gain      Gain       // nil for none
	heard     heard
	alarm     chan struct{}
	damaged   chan error // receives damage of the store
}

// newLive opens the store and, unless an earlier start found that the folder is an old
// copy, the network.
func newLive(at *place) (p *live, err error) {
	p = &live{place: at, heard: heard{now: time.Now, since: time.Now()}, run: wire.NewRun(), alarm: make(chan struct{}, 1), damaged: make(chan error, 1)}
	if NewGain != nil {
		p.gain = NewGain()
	}
	var observe func(d time.Duration)
	if NewStoreMetrics != nil && !p.deployment.hidesCounts() { // each decision is a commit
		observe, p.metrics = NewStoreMetrics(func() uint64 { return p.site.StoreMemory() })
	}
	terminal.Sweep(p.deployment.s.Dir)
	alarm := func(error) { p.alarm <- struct{}{} }
	o := store.Options{Observe: observe, Damaged: func(err error) { p.damaged <- err }}
	if p.site, err = p.deployment.site(p.log, o, alarm, p.ahead, p.additions...); err != nil {
		return nil, withWayOut(p.deployment.s.Dir, err)
	}
	site := p.site // p is nil when an error is returned
	defer func() {
		if err != nil {
			err = errors.Join(err, site.Close())
		}
	}()
	if p.site.OldCopy() {
		p.log.Error("nothing is released", "reason", p.site.Ready(context.Background()))
		return p, nil
	}
	c, err := p.hostConfig()
	if err != nil {
		return nil, err
	}
	if p.host, err = gossip.NewHost(c); err != nil {
		return nil, config.Failf(config.ErrNetwork, "%w", err)
	}
	p.links, p.record = newLinks(p.host), p.deployment.Record
	return p, nil
}

// ahead returns how far the clock is ahead of the clocks of other peers, and how many have answered.
func (p *live) ahead() (by time.Duration, peers int) {
	if _, host := p.now(); host != nil {
		return host.Ahead()
	}
	return 0, 0
}

// hostConfig returns the configuration of the live peer's host.
func (p *live) hostConfig() (c gossip.Config, err error) {
	c = p.deployment.HostConfig(p.site.Incarnation(), p.log)
	c.Checkpoint, _ = p.site.Checkpoint()
	c.Checkpoints, c.Run, c.MostRecords = true, p.run, p.site.MostRecords()
	c.OnRemembered, c.OnMemory, c.OnRival = p.site.OnRemembered, p.site.OnMemory, p.site.OnRival
	signer := c.Signer // of the version of the network that the host has
	c.OnCheckpoint = func(of protocol.Peer, s protocol.SignedCheckpoint) { p.site.OnCheckpoint(of, signer(of, s), s) }
	c.OnFork, c.Holds, c.Forks = p.site.OnFork, p.site.Holds, p.site.Forks()
	for _, a := range p.additions {
		if a.Service != nil {
			c.Services = append(c.Services, a.Service(&c))
		}
	}
	c.Known, err = p.site.Checkpoints()
	return c, err
}

// Play implements [Player].
func (p *live) Play(ctx context.Context, fail context.CancelCauseFunc) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() { p.watch(ctx, fail) })
	if p.links != nil {
		all.Go(func() { p.confirm(ctx) })
	}
	if deployment, _ := p.now(); !deployment.idle() {
		all.Go(func() { p.look(ctx) })
	}
	if p.record != nil {
		all.Go(func() {
			if err := p.follow(ctx); err != nil {
				fail(err)
			}
		})
	}
	if p.links == nil {
		return p.site.Run(ctx, nowhere{})
	}
	return p.site.Run(ctx, p.links)
}

// watch ends the peer when its store is damaged. When the peer has to fall silent, its network ends, and decisions
// continue.
func (p *live) watch(ctx context.Context, fail context.CancelCauseFunc) {
	for {
		select {
		case <-p.alarm:
			_ = p.Silence() // the rest of the network has nothing to send
		case err := <-p.damaged:
			fail(err)
			return
		case <-ctx.Done():
			return
		}
	}
}

// confirmEvery is the time between two questions. An answer can be about the question before, so
// while neighbours answer, the state to which a recovery goes back is at most about twice as old.
const confirmEvery = 5 * time.Minute

// confirm asks neighbours now and then what they remember of this peer's ledger.
func (p *live) confirm(ctx context.Context) {
	tick := time.NewTicker(confirmEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if c, open := p.site.Checkpoint(); open {
				_, host := p.now()
				host.Confirm(ctx, c)
			}
		}
	}
}

// About implements [Player].
func (p *live) About(d *api.Status, s *node.Status, t *Deployment, host *gossip.Host) {
	d.Incarnation = uint64(p.site.Incarnation())
	if p.gain != nil && !t.idle() && !t.Spec.Give.Keeps() { // else it follows from exact rewards
		d.Gain = p.gain.Newest(t.sight(s, nil))
	}
	if host != nil {
		p.heard.note(host.Status())
		d.Stopped, d.StoppedNotice = p.stopped(t, &s.Support)
	}
	d.DocumentNotice, d.DocumentAwaits = p.documentNotice()
	d.Clones += uint64(len(p.site.Forks()))
	if d.Notice == "" && d.Clones > 0 {
		d.Notice = p.forked(t)
	}
}

// forked names the peers of whose ledgers two histories are signed; "" for none.
func (p *live) forked(t *Deployment) string {
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

// Silence implements [Player].
func (p *live) Silence() (err error) {
	if p.links != nil {
		p.silent.Do(func() { err = p.links.close() })
	}
	return err
}

// Close implements [Player].
func (p *live) Close() error { return p.site.Close() }

// nowhere is the network of a peer that must not show itself.
type nowhere struct{}

func (nowhere) Send(context.Context, []protocol.Envelope) error { return nil }

func (nowhere) Inbox() <-chan protocol.Delivery { return nil }

func (nowhere) Advance(protocol.Checkpoint) {}
