package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/libp2p/go-libp2p/gologshim"
	"github.com/spf13/cobra"

	"peerd.dev/node"
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

Everything is on the disk before it is told anybody: stop the peer, or lose power, and
the next start goes on where it stopped. The budget is for the life of the folder.

With world.kind: application the site's application asks for actions and reports
rewards over the API: see docs/api.md.`,
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
	if s.Mode == Slots {
		keepPrivate()
	}
	unlock, err := lockDir(s.Dir)
	if err != nil {
		return err
	}
	defer unlock()

	p, err := newDaemon(s, r, log)
	if err != nil {
		return err
	}
	return errors.Join(p.run(ctx, s, log), p.close())
}

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
