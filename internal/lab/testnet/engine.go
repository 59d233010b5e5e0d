package testnet

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
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
	case plan.Apart(s):
		return refuse("experiment.alone", "false, and experiment.alone_noised, too: peers without links are no network")
	case x.Coverage:
		return refuse("experiment.coverage", "false: the simulator alone looks into peers")
	case n < 2 || n > mostProcesses:
		return refuse("testnet.nodes", fmt.Sprintf("from 2 to %d, each a process", mostProcesses))
	}
	source, err := plan.OpenWorld(s, s.SitesOf(n))
	if err == nil {
		_, err = plan.SitesOfNetwork(source)
	}
	return err
}

// Play plays the run of a number, and returns it from the traces of the processes.
func (Processes) Play(ctx context.Context, s *config.Settings, graph *topology.Graph, run uint64) (*sim.Played, error) {
	dir, err := os.MkdirTemp("", "peerd-run-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	own := *s
	own.Seed = run
	t := &Net{Settings: &own, Dir: dir, Graph: graph, Traced: true}
	defer t.Stop()
	if err = t.up(); err != nil {
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
	played, err := t.traces()
	p := &sim.Played{Move: played.move}
	for i := range last {
		if last[i].Spent < 0 { // in lockstep, without an end
			last[i].Spent = math.Inf(1)
		}
		p.Spent, p.Refused = max(p.Spent, last[i].Spent), p.Refused+last[i].Refused
	}
	return p, err
}

// traces are what processes wrote in lockstep.
type traces struct {
	to    [][]protocol.Peer                 // neighbours, by peer
	steps []*bytes.Buffer                   // by peer
	links []map[protocol.Peer]*bytes.Buffer // by peer
}

// traces reads the files of all peers.
func (t *Net) traces() (r traces, err error) {
	r.to = config.Neighbours(len(t.Names), t.Graph.Edges())
	for i, name := range t.Names {
		read := func(file string) *bytes.Buffer {
			b, bad := os.ReadFile(filepath.Join(t.Dir, name, "trace", file))
			err = errors.Join(err, bad)
			return bytes.NewBuffer(b)
		}
		links := make(map[protocol.Peer]*bytes.Buffer)
		for _, n := range r.to[i] {
			links[n] = read(fmt.Sprintf("link-%d.txt", n))
		}
		r.steps, r.links = append(r.steps, read("steps.txt")), append(r.links, links)
	}
	return r, err
}

// errShort is the error of a trace that ends too early.
var errShort = errors.New("the trace ends before the run")

// move reads what a peer did in a round.
func (r *traces) move(t protocol.Round, i int) (arm bandit.Arm, sent []protocol.Envelope, err error) {
	line, err := r.steps[i].ReadString('\n')
	if err != nil {
		return 0, nil, errShort
	}
	round, number := uint64(0), 0
	if _, err = fmt.Sscanf(line, "%d arm=%d ", &round, &number); err != nil || round != uint64(t) {
		return 0, nil, fmt.Errorf("the trace has %.40q, want round %d", line, t)
	}
	for _, to := range r.to[i] {
		for {
			if line, err = r.links[i][to].ReadString('\n'); err != nil {
				return 0, nil, errShort
			}
			b, err := hex.DecodeString(strings.TrimSuffix(line, "\n"))
			if err != nil {
				return 0, nil, err
			}
			m, err := protocol.Decode(vouch.For(b))
			if err != nil {
				return 0, nil, err
			}
			if _, ok := m.IsRoundEnd(); ok {
				break
			}
			sent = append(sent, protocol.Envelope{To: to, Message: m})
		}
	}
	return bandit.Arm(number), sent, nil
}
