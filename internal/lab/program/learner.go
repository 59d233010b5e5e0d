package program

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// LearnerParams are the parameters of a learner that is a program.
type LearnerParams struct {
	Command   []string `want:"command" doc:"The program (docs/lab/own-ideas.md)."`
	Timeout   uint64   `want:"1..3600" unit:"seconds" doc:"How long an answer may take."`
	Parameter float64  `want:"-1e9 up to 1e9" doc:"A number for the program, in its first line."`

	run *Run // nil outside of the simulator
}

// In returns the parameters for a run.
func (p LearnerParams) In(r *Run) LearnerParams {
	p.run = r
	return p
}

// Words implements [bandit.Params].
func (LearnerParams) Words() bandit.Words {
	return bandit.Words{Name: "program", Summary: "asks a program of yours, in simulations alone"}
}

// Check implements [bandit.Checked].
func (p LearnerParams) Check(int) (field, want string) {
	if len(p.Command) == 0 {
		return "command", "the program and its arguments, such as [python3, my.py]"
	}
	return "", ""
}

// New implements [bandit.Params].
func (p LearnerParams) New(c bandit.Config) (bandit.Learner, error) {
	l := &learner{Arms: bandit.Arms{N: c.Arms}, rng: c.Rand, rested: make([]float64, c.Arms)}
	if c.Rand == nil { // it is asked for its statistic alone
		return l, nil
	}
	var err error
	if p.run != nil {
		l.self, p.run.learners = p.run.learners, p.run.learners+1
	}
	l.program, err = p.run.open(&p, &c)
	return l, err
}

// A learner is one peer's half of the conversation.
type learner struct {
	bandit.Arms
	bandit.Stateless
	self    int
	program *process
	rng     *rand.Rand // picks among forced arms
	rested  []float64
}

// A question is the line for a decision. Lists have an entry for each arm.
type question struct {
	Peer         int          `json:"peer"`
	Round        uint64       `json:"round"`
	Mean         []*float64   `json:"mean"`       // null if nothing is known
	SampleVar    []*float64   `json:"sample_var"` // null if nothing is known
	NoiseSD      []float64    `json:"noise_sd"`
	LaplaceSumSq []float64    `json:"laplace_sum_sq"`
	LaplaceMax   []float64    `json:"laplace_max"`
	GaussVar     []float64    `json:"gauss_var"`
	Pulls        []uint64     `json:"pulls"`
	Ahead        []bool       `json:"ahead"`
	Excluded     []bandit.Arm `json:"excluded"`
}

// A choice is the answer to it: one of both.
type choice struct {
	Arm   *int      `json:"arm"`
	Index []float64 `json:"index"`
}

// Choose implements [bandit.Learner]. After an error of the program it chooses anything: the world then pays nothing.
func (l *learner) Choose(b *bandit.Belief, t bandit.Turn) bandit.Choice {
	if c, ok := bandit.Forced(b, t, l.rng); ok {
		return c
	}
	line := question{
		Peer: l.self, Round: t.Round, NoiseSD: make([]float64, l.N), LaplaceSumSq: b.LaplaceSumSq, LaplaceMax: b.LaplaceMax, GaussVar: b.GaussVar,
		Pulls: b.Pulls, Ahead: b.Ahead, Excluded: t.Excluded, Mean: make([]*float64, l.N), SampleVar: make([]*float64, l.N),
	}
	if line.Excluded == nil {
		line.Excluded = []bandit.Arm{}
	}
	for k := range l.N {
		line.NoiseSD[k] = b.NoiseDev(k)
		if b.Known(k) {
			line.Mean[k], line.SampleVar[k] = &b.X[k], &b.SampleVar[k]
		}
	}
	var c choice
	want := fmt.Sprintf(`{"arm": K} with K from 0 to %d and none of excluded, or {"index": [...]} with %d finite numbers`, l.N-1, l.N)
	err := l.program.ask(line, &c, want, func() error {
		switch {
		case (c.Arm == nil) == (c.Index == nil):
			return errors.New("that is not one of both")
		case c.Index != nil && len(c.Index) != l.N:
			return fmt.Errorf("an index of %d numbers", len(c.Index))
		case c.Arm != nil && (*c.Arm < 0 || *c.Arm >= l.N):
			return fmt.Errorf("there is no arm %d", *c.Arm)
		case c.Arm != nil && slices.Contains(t.Excluded, bandit.Arm(*c.Arm)):
			return fmt.Errorf("arm %d is excluded", *c.Arm)
		}
		return nil
	})
	switch {
	case err == nil && c.Arm != nil:
		return bandit.Choice{Arm: bandit.Arm(*c.Arm)}
	case err != nil:
		c.Index = l.rested
	}
	return bandit.Choice{Arm: bandit.Greatest(b, t, c.Index, b.X), Propensity: 1}
}
