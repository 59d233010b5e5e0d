package testnet

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/gossip/topology"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// Processes is the engine that plays a run of an experiment as a network of processes in lockstep on this machine.
type Processes struct{}

// Name returns what manifests call it.
func (Processes) Name() string { return "processes" }

// Refuse returns which setting processes cannot play.
func (Processes) Refuse(s *config.Settings) error {
	n, x := plan.TestnetOf(s).Nodes, plan.ExperimentOf(s)
	refuse := func(key, want string) error {
		return config.Failf(config.ErrRefused, "%s with --engine processes: want %s", s.With(key), want)
	}
	if err := plan.NoPrograms(s); err != nil {
		return err
	}
	switch key := plan.Disturbance(s); {
	case s.Mode != config.Lockstep:
		return refuse("mode", "lockstep, whose noise comes from seeds as the simulator's does: --set mode=lockstep --set seed=1")
	case key != "":
		return refuse(key, "no faults and no liars, which the simulator alone has")
	case x.Alone:
		return refuse("experiment.alone", "false: peers without links are no network")
	case x.Lemmas:
		return refuse("experiment.lemmas", "false: the simulator alone looks into peers")
	case x.Coverage:
		return refuse("experiment.coverage", "false: the simulator alone looks into peers")
	case n < 2 || n > mostProcesses:
		return refuse("testnet.nodes", fmt.Sprintf("from 2 to %d, each a process", mostProcesses))
	}
	source, err := plan.OpenWorld(s, s.SitesOf(n))
	if err == nil {
		_, err = plan.SitesOfNetwork(s, source)
	}
	return err
}

// Play plays the run of a number, and returns it from the traces of the processes.
func (Processes) Play(ctx context.Context, s *config.Settings, graph *topology.Graph, run uint64) (_ *sim.Played, err error) {
	dir, err := os.MkdirTemp("", "peerd-run-")
	if err != nil {
		return nil, err
	}
	own := *s
	own.Seed = run
	t := &Net{Settings: &own, Dir: dir, Graph: graph, Traced: true}
	played := &traces{net: t}
	defer func() {
		t.Stop()
		if err != nil {
			played.close()
		}
	}()
	if err = t.WriteFolders(); err != nil {
		return nil, err
	}
	if err = t.Start(); err != nil {
		return nil, err
	}
	if err = t.WaitReady(ctx); err != nil {
		return nil, err
	}
	last, err := t.Watch(ctx, 20*time.Millisecond, func([]api.Status, bool) {})
	if err != nil {
		return nil, err
	}
	t.Stop() // a peer's trace is complete when it has ended by itself
	p := &sim.Played{Move: played.move, Close: played.close}
	for i := range last {
		if last[i].Spent < 0 { // in lockstep, without an end
			last[i].Spent = math.Inf(1)
		}
		p.Spent, p.Refused = max(p.Spent, last[i].Spent), p.Refused+last[i].Refused
	}
	return p, played.open()
}

// traces reads what processes wrote in lockstep.
type traces struct {
	net   *Net
	to    [][]protocol.Peer                 // neighbours, by peer
	steps []*bufio.Reader                   // by peer
	links []map[protocol.Peer]*bufio.Reader // by peer
	files []*os.File
}

// open opens the files of all peers.
func (r *traces) open() error {
	r.to = config.Neighbours(len(r.net.Names), r.net.Graph.Edges())
	for i, name := range r.net.Names {
		read := func(file string) (*bufio.Reader, error) {
			f, err := os.Open(filepath.Join(r.net.Dir, name, "trace", file))
			if err == nil {
				r.files = append(r.files, f)
			}
			return bufio.NewReader(f), err
		}
		steps, err := read("steps.txt")
		if err != nil {
			return err
		}
		to := make(map[protocol.Peer]*bufio.Reader)
		for _, n := range r.to[i] {
			if to[n], err = read(fmt.Sprintf("link-%d.txt", n)); err != nil {
				return err
			}
		}
		r.steps, r.links = append(r.steps, steps), append(r.links, to)
	}
	return nil
}

// close removes the folder of the run.
func (r *traces) close() {
	for _, f := range r.files {
		_ = f.Close()
	}
	_ = os.RemoveAll(r.net.Dir)
}

// move reads what a peer did in a round.
func (r *traces) move(t protocol.Round, i int) (arm bandit.Arm, sent []protocol.Envelope, err error) {
	line, err := r.steps[i].ReadString('\n')
	if err != nil {
		return 0, nil, whole(err)
	}
	round, number := uint64(0), 0
	if _, err = fmt.Sscanf(line, "%d arm=%d ", &round, &number); err != nil || round != uint64(t) {
		return 0, nil, fmt.Errorf("the trace has %.40q, want round %d: %w", line, t, err)
	}
	for _, to := range r.to[i] {
		for {
			m, err := r.frame(i, to)
			if err != nil {
				return 0, nil, whole(err)
			}
			if _, ok := m.IsRoundEnd(); ok {
				break
			}
			sent = append(sent, protocol.Envelope{To: to, Message: m})
		}
	}
	return bandit.Arm(number), sent, nil
}

// frame reads the next message that a peer sent to another.
func (r *traces) frame(from int, to protocol.Peer) (m protocol.Message, err error) {
	line, err := r.links[from][to].ReadString('\n')
	if err != nil {
		return m, err
	}
	b, err := hex.DecodeString(strings.TrimSuffix(line, "\n"))
	if err != nil {
		return m, err
	}
	return protocol.Decode(vouch.For(b))
}

// whole says that a trace ended too early.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the trace ends before the run")
	}
	return err
}
