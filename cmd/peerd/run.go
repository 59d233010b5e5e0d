package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/libp2p/go-libp2p/gologshim"
	"github.com/spf13/cobra"

	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/api"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// readyTimeout is for how long lockstep waits for all neighbours.
const readyTimeout = 30 * time.Second

func newRun(o *options) *cobra.Command {
	var r runOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run this peer until it is interrupted",
		Long: `Run this peer: connect to its neighbours in the network file, play a round a slot,
and release only what the privacy budget pays for. Interrupt it once and it ends
cleanly within three seconds.

The budget is for the life of the folder: a peer that has released anything does
not start again in the same folder, because it has forgotten what it released.`,
		Example: `  peerd init --dir hospital-a
  peerd run --dir hospital-a
  peerd status --dir hospital-a`,
		Args: cobra.NoArgs,
		RunE: o.run(func(ctx context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			return runPeer(ctx, &c.Settings, r, o.stderr)
		}),
	}
	cmd.Flags().StringVar(&r.trace, "trace", "", "in lockstep, write every decision, release and frame to this folder")
	cmd.Flags().BoolVar(&r.leash, "leash", false, "end when standard input is closed, so that no peer outlives who started it")
	return cmd
}

type runOptions struct {
	trace string
	leash bool
}

// runPeer runs one peer until ctx is done.
func runPeer(ctx context.Context, s *Settings, r runOptions, stderr io.Writer) error {
	if r.trace != "" && s.Mode != Lockstep {
		return failf(exitUsage, "--trace writes down what a peer keeps to itself; it needs mode: lockstep")
	}
	if r.leash {
		var cut context.CancelFunc
		ctx, cut = context.WithCancel(ctx)
		defer cut()
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // ends with an error or at the end: either way nobody holds the leash
			cut()
		}()
	}
	log, err := newLogger(stderr, s.Log)
	if err != nil {
		return err
	}
	gologshim.SetDefaultHandler(log.Handler()) // before libp2p's first line
	unlock, err := lockDir(s.Dir)
	if err != nil {
		return err
	}
	defer unlock()

	p, err := newDaemon(s, r, log)
	if err != nil {
		return err
	}
	defer p.close(log)
	return p.run(ctx, s, log)
}

// daemon is a running peer's parts.
type daemon struct {
	self    protocol.Peer
	network *Network
	host    *gossip.Host
	node    *node.Node
	closers []io.Closer // in the order of closing
}

func newDaemon(s *Settings, r runOptions, log *slog.Logger) (_ *daemon, err error) {
	p := &daemon{}
	defer func() {
		if err != nil {
			p.close(log)
		}
	}()
	if p.network, err = readNetwork(s.NetworkPath()); err != nil {
		return nil, err
	}
	if problems := s.checkNetwork(p.network); len(problems) > 0 {
		return nil, &refusal{"configuration, beside network file " + s.NetworkPath() + ",", problems}
	}
	id, err := s.identity()
	if err != nil {
		return nil, err
	}
	self, ok := p.network.index(id.ID())
	if !ok {
		return nil, failf(exitNetwork, "peer %s is not in %s: add it there, on every peer", id.ID(), s.NetworkPath())
	}
	p.self = self
	policy := policyHash(s, p.network)
	ring, err := gossip.NewKeyring(s.domain(policy), p.network.ids())
	if err != nil {
		return nil, failf(exitNetwork, "%w", err)
	}
	keys, err := ring.Keys(id)
	if err != nil {
		return nil, err
	}
	n := len(p.network.Peers)
	spec, err := s.spec(n)
	if err != nil {
		return nil, err
	}
	coins, err := s.randomness()
	if err != nil {
		return nil, err
	}
	links := neighbours(n, p.network.Links)[self]
	agent, err := spec.Agent(node.Seat{
		Self: self, Incarnation: coins.incarnation, Neighbours: links, Seed: coins.seed, Noise: coins.noise,
		Keys: keys, Topic: s.Mode == Slots, Marks: s.Mode == Lockstep,
	})
	if err != nil {
		return nil, err
	}
	sites, err := s.sites(n)
	if err != nil {
		return nil, err
	}
	w, err := sites.world(int(self), coins.seed.Rand("world"))
	if err != nil {
		return nil, err
	}
	ledger, err := p.ledger(s)
	if err != nil {
		return nil, err
	}
	trace, tap, err := p.trace(r.trace)
	if err != nil {
		return nil, err
	}
	p.host, err = gossip.NewHost(gossip.Config{
		Identity: id, Listen: s.Listen, Self: self, Incarnation: coins.incarnation,
		Peers: p.network.infos(), Neighbours: links, Network: p.network.Name, Policy: policy,
		Lossless: s.Mode == Lockstep, Topic: s.Mode == Slots, Tap: tap, Logger: log,
	})
	if err != nil {
		return nil, failf(exitNetwork, "%w", err)
	}
	c := node.Config{
		Agent: agent, World: w, Transport: p.host, Ledger: ledger, Neighbours: links,
		Rounds: s.RoundCount(), Trace: trace, Logger: log,
	}
	if s.Mode == Slots {
		c.Slots = &node.Slots{Start: p.network.Start, Every: p.network.Every}
	}
	p.node = node.New(c)
	return p, nil
}

// run plays until ctx is done or something breaks.
func (p *daemon) run(ctx context.Context, s *Settings, log *slog.Logger) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := api.Serve(ctx, s.Dir, p.answers()); err != nil {
			cancel(err)
		}
	}()
	go func() {
		select {
		case <-p.host.Done():
			cancel(failf(exitNetwork, "%w", p.host.Err()))
		case <-ctx.Done():
		}
	}()
	log.Info("peer is up", "peer", p.self, "network", p.network.Name, "addresses", p.host.Addrs())
	if s.Mode == Lockstep {
		ready, stop := context.WithTimeout(ctx, readyTimeout)
		defer stop()
		if err := p.host.Ready(ready); err != nil && ctx.Err() == nil {
			return failf(exitNetwork, "%w", err)
		}
	}
	err := p.node.Run(ctx)
	cause := context.Cause(ctx)
	cancel(nil)
	<-served
	if err != nil {
		return err
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func (p *daemon) close(log *slog.Logger) {
	if p.host != nil {
		if err := p.host.Close(); err != nil {
			log.Warn("network not closed cleanly", "err", err)
		}
	}
	for _, c := range p.closers {
		if err := c.Close(); err != nil {
			log.Error("not closed cleanly", "err", err)
		}
	}
}

// ledger opens the account of the folder. Lockstep guards nobody and keeps none.
func (p *daemon) ledger(s *Settings) (node.Ledger, error) {
	if s.Mode == Lockstep {
		return noLedger{}, nil
	}
	a, err := store.OpenAccount(s.Dir)
	if errors.Is(err, store.ErrSpent) {
		return nil, failf(exitPrivacy, "%w: start in a new folder with new users, or leave this peer down", err)
	}
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, a)
	return a, nil
}

// noLedger forgets.
type noLedger struct{}

func (noLedger) Append(...dp.Charge) error { return nil }

// trace opens the files of a trace: steps.txt and link-N.txt.
func (p *daemon) trace(dir string) (*node.Trace, func(protocol.Peer, []byte), error) {
	if dir == "" {
		return nil, nil, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	steps, err := p.create(dir, "steps.txt")
	if err != nil {
		return nil, nil, err
	}
	// The tap is called from one goroutine a link, so all files exist before.
	links := make([]io.Writer, len(p.network.Peers))
	for _, n := range neighbours(len(links), p.network.Links)[p.self] {
		if links[n], err = p.create(dir, "link-"+strconv.Itoa(int(n))+".txt"); err != nil {
			return nil, nil, err
		}
	}
	t := &node.Trace{Steps: steps, Links: func(to protocol.Peer) io.Writer { return links[to] }}
	return t, func(to protocol.Peer, frame []byte) {
		_ = t.Frame(to, frame) // a full disk shows when the file is closed
	}, nil
}

// create makes a buffered file that p closes.
func (p *daemon) create(dir, name string) (io.Writer, error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	b := bufio.NewWriter(f)
	p.closers = append(p.closers, closer(func() error { return errors.Join(b.Flush(), f.Close()) }))
	return b, nil
}

type closer func() error

func (c closer) Close() error { return c() }

// lockDir makes sure that one peer at a time uses a folder.
func lockDir(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, "lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("dir %s: %w; `peerd init --dir %s` makes one", dir, err, dir)
	}
	if !ok {
		return nil, failf(exitUnexpected, "dir %s is in use by another peerd", dir)
	}
	return func() { _ = l.Unlock() }, nil // the process ends with it anyway
}
