// Package program plays learners, worlds and protocols of arms that are programs of their own and speak JSON, a line for a
// line, over standard input and output: for the simulator, where nothing is private, and for nothing else. A program that
// is late, dies, or answers what is not wanted ends its run with an error. docs/lab/own-ideas.md has the lines.
package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/protocol"
)

// errNoRun is the error where no simulated run starts programs.
var errNoRun = errors.New("a program plays in the simulator alone: `peerd experiment run`; peers that run, testnets and audits take none")

// Params are the parameters of a learner, a protocol or a world that is a program.
type Params interface {
	// Program returns the command.
	Program() []string
}

// A Run has the programs of one simulated run. They are asked by one goroutine.
type Run struct {
	ctx    context.Context
	seed   uint64
	rounds uint64
	folder string
	all    []*process // one of each role

	learners, speakers int // that were made: peers which are alone all have number 0 in their networks
}

// NewRun returns a run without programs. Their files are looked up in a folder first.
func NewRun(ctx context.Context, seed, rounds uint64, folder string) *Run {
	return &Run{ctx: ctx, seed: seed, rounds: rounds, folder: folder}
}

// A hello is the first line that a program gets.
type hello struct {
	Peerd     int      `json:"peerd"` // version of the lines
	Role      string   `json:"role"`
	Arms      int      `json:"arms"`
	Peers     int      `json:"peers"` // with arms
	Rounds    uint64   `json:"rounds"`
	Seed      uint64   `json:"seed"`
	Epsilon   *float64 `json:"epsilon"` // null without noise, and for a world
	Parameter float64  `json:"parameter"`

	Links [][]protocol.Peer `json:"links,omitempty"` // of a protocol: the neighbours of every peer
}

// A welcome is the answer to it.
type welcome struct {
	OK    bool        `json:"ok"`
	Error string      `json:"error"`
	Means [][]float64 `json:"means"`
}

// open returns the program of a role, which is started if it does not run yet. check checks what it says to hello.
func (r *Run) open(command []string, seconds uint64, h hello, want string, check func(w *welcome) error) (*process, error) {
	if r == nil {
		return nil, fmt.Errorf("%s.program: %w", h.Role, errNoRun)
	}
	for _, p := range r.all {
		if p.role == h.Role {
			return p, p.err
		}
	}
	_, command, err := Files(command, r.folder)
	if err != nil {
		return nil, err
	}
	p, err := start(r.ctx, h.Role, command, time.Duration(seconds)*time.Second)
	if err != nil {
		return nil, err
	}
	r.all = append(r.all, p)
	h.Peerd, h.Rounds, h.Seed = 1, r.rounds, r.seed
	var w welcome
	err = p.ask(h, &w, want, func() error {
		if w.Error != "" {
			return errors.New("it refuses")
		}
		return check(&w)
	})
	return p, err
}

// agreed checks that a program says that all is well.
func agreed(w *welcome) error {
	if !w.OK || w.Means != nil {
		return errors.New("that is no ok")
	}
	return nil
}

// Err returns the first error of a program.
func (r *Run) Err() error {
	for _, p := range r.all {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// Close ends the programs. It returns err, or else the first error that a program had.
func (r *Run) Close(err error) error {
	for _, p := range r.all {
		if failed := p.close(); err == nil && failed != nil {
			err = fmt.Errorf("at the end: %w", failed)
		}
	}
	return err
}

// Guard changes worlds so that they pay nothing once a program has failed: the simulator then ends in this round.
func (r *Run) Guard(worlds []bandit.World) {
	for i, w := range worlds {
		if w != nil {
			worlds[i] = guarded{w, r}
		}
	}
}

type guarded struct {
	bandit.World
	run *Run
}

// Play implements [bandit.World].
func (g guarded) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := g.run.Err(); err != nil {
		return 0, err
	}
	return g.World.Play(a)
}

// finite returns x, or nil for what JSON has no number for.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// checkCommand returns what is wrong with a command.
func checkCommand(command []string) (field, want string) {
	if len(command) == 0 {
		return "command", "the program and its arguments, such as [python3, my.py]"
	}
	return "", ""
}
