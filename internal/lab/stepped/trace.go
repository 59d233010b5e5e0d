package stepped

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"peerd.dev/internal/daemon"
	"peerd.dev/node/lab/lockstep"
	"peerd.dev/protocol"
)

// trace opens the files of a trace: steps.txt and link-N.txt.
func (p *peer) trace(dir string, t *daemon.Deployment) (*lockstep.Trace, func(protocol.Peer, []byte), error) {
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
	// The tap is called from one goroutine per link, so all files are made before.
	links := make([]io.Writer, len(t.Network.Peers))
	for _, n := range t.Links {
		if links[n], err = p.create(dir, "link-"+strconv.Itoa(int(n))+".txt"); err != nil {
			return nil, nil, err
		}
	}
	record := &lockstep.Trace{Steps: steps, Links: func(to protocol.Peer) io.Writer { return links[to] }}
	return record, func(to protocol.Peer, frame []byte) {
		_ = record.Frame(to, frame) // a full disk shows when the file is closed
	}, nil
}

// create makes a buffered file that p closes.
func (p *peer) create(dir, name string) (io.Writer, error) {
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
