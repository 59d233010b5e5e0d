// Package program plays learners of arms that are programs of their own and speak JSON, a line for a
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
)

// errNoRun is the error where no simulated run starts programs.
var errNoRun = errors.New("a program plays in the simulator alone: `peerd experiment run`; peers that run, testnets and audits take none")

// A Run has the program of one simulated run, which one goroutine asks for all peers.
type Run struct {
	ctx      context.Context
	seed     uint64
	rounds   uint64
	folder   string
	program  *process // nil until the first learner is made
	learners int      // that were made: peers which are alone all have number 0 in their networks
}

// NewRun returns a run without a program. Its files are looked up in a folder first.
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
	Epsilon   *float64 `json:"epsilon"` // null without noise
	Parameter float64  `json:"parameter"`
}

// A welcome is the answer to it.
type welcome struct {
	OK    bool   `json:"ok"`
	Error string `json:"error"`
}

// open returns the program, which is started if it does not run yet.
func (r *Run) open(p *LearnerParams, c *bandit.Config) (*process, error) {
	switch {
	case r == nil:
		return nil, fmt.Errorf("learner.program: %w", errNoRun)
	case r.program != nil:
		return r.program, r.program.err
	}
	_, command, err := Files(p.Command, r.folder)
	if err != nil {
		return nil, err
	}
	r.program, err = start(r.ctx, command, time.Duration(p.Timeout)*time.Second)
	if err != nil {
		return nil, err
	}
	h := hello{1, "learner", c.Arms, c.Peers, r.rounds, r.seed, finite(c.Epsilon), p.Parameter}
	var w welcome
	err = r.program.ask(h, &w, `{"ok": true}`, func() error {
		switch {
		case w.Error != "":
			return errors.New("it refuses")
		case !w.OK:
			return errors.New("that is no ok")
		}
		return nil
	})
	return r.program, err
}

// Err returns the first error of the program.
func (r *Run) Err() error {
	if r.program == nil {
		return nil
	}
	return r.program.err
}

// Close ends the program. It returns err, or else the first error that the program had.
func (r *Run) Close(err error) error {
	if r.program == nil {
		return err
	}
	if failed := r.program.close(); err == nil && failed != nil {
		return fmt.Errorf("at the end: %w", failed)
	}
	return err
}

// Guard changes worlds so that they pay nothing once the program has failed: the simulator then ends in this round.
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
