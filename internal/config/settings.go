package config

import (
	"math"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/site"
)

// Settings is a configuration. The key of a field is its lower-case name, or the tag where that
// reads better, after the keys of the structs around it.
type Settings struct {
	Mode       Mode
	Dir        string
	Seed       uint64
	Network    string
	Listen     []string
	Arms       []string
	SpareArms  uint64 `key:"spare_arms"`
	Privacy    Privacy
	Learner    Learner
	Protocol   Protocol
	Rounds     Rounds
	World      World
	API        API
	Store      Store
	Testnet    Testnet
	Experiment Experiment
	Log        Log
}

// Mode says whose data a peer holds.
type Mode string

// The modes.
const (
	Live     Mode = "live"     // people's; rounds follow the wall clock
	Lockstep Mode = "lockstep" // simulated data; rounds wait for each other and come from a seed
)

// Curator returns the mode for package dp.
func (m Mode) Curator() dp.Mode {
	if m == Lockstep {
		return dp.Lockstep
	}
	return dp.Private
}

// Epsilon is a budget; +Inf protects no one.
type Epsilon float64

// Infinite reports whether e protects no one.
func (e Epsilon) Infinite() bool { return math.IsInf(float64(e), 1) }

// Privacy is what a peer promises its users.
type Privacy struct {
	Epsilon        Epsilon
	Delta          float64
	Mechanism      string
	Calibration    string
	Adjacency      string
	Counts         string
	RecordsPerUser uint64 `key:"records_per_user"`
	Horizon        uint64
	AcceptWeak     bool `key:"accept_weak"`
}

// What is done with numbers of rewards.
const (
	PublicCounts = "public"
	NoisedCounts = "noised"
)

// mostRounds is the greatest horizon: the leaves that a stream may have.
const mostRounds = 1 << 30

// Rounds returns the rounds that the budget covers: the horizon, or the greatest number if a
// reward is in one release and the horizon costs nothing.
func (p Privacy) Rounds() uint64 {
	if p.Horizon == 0 {
		return mostRounds
	}
	return p.Horizon
}

// drawn returns 1/b for the scale b of Laplace noise that has the deviation of a single draw: ε
// with Laplace noise and √2/σ with Gaussian, divided by the records of a user. Settings without
// noise are refused elsewhere.
func (p Privacy) drawn() float64 {
	epsilon := float64(p.Epsilon)
	if m, err := dp.ParseMechanism(p.Mechanism); err == nil && m.Law() == dp.Gaussian {
		formula := account.Analytic
		if p.Calibration == dp.Paper.String() {
			formula = account.Papers
		}
		if sigma, err := formula.Sigma(epsilon, p.Delta, 1); err == nil {
			epsilon = math.Sqrt2 / sigma
		}
	}
	return epsilon / float64(max(1, p.RecordsPerUser))
}

// Budget returns what the peer may spend.
func (p Privacy) Budget() (b account.Budget, err error) {
	if b.Epsilon, err = account.Epsilon(float64(p.Epsilon)); err != nil {
		return b, err
	}
	b.Delta, err = account.DeltaOf(p.Delta)
	return b, err
}

// promise returns the same in the form of agents.
func (p Privacy) promise(m Mode) (node.Privacy, error) {
	budget, err := p.Budget()
	if err != nil {
		return node.Privacy{}, err
	}
	mechanism, err := dp.ParseMechanism(p.Mechanism)
	if err != nil {
		return node.Privacy{}, err
	}
	out := node.Privacy{
		Mode: m.Curator(), Budget: budget, Mechanism: mechanism, RecordsPerUser: p.RecordsPerUser, Horizon: p.Rounds(),
	}
	if p.Calibration == dp.Paper.String() {
		out.Calibration = dp.Paper
	}
	switch {
	case p.Counts == NoisedCounts:
		out.Adjacency = dp.AddOrRemove
	case p.Adjacency == dp.ZeroOut.String():
		out.Adjacency = dp.ZeroOut
	}
	return out, nil
}

// Learner says how arms are chosen.
type Learner struct {
	Name    string
	Explore float64
	Params  Params
}

// Protocol says how what is learned spreads.
type Protocol struct {
	Name   string
	Params Params
}

// Rounds says when rounds happen.
type Rounds struct {
	Every time.Duration
	Count uint64
}

// Application is the world whose rewards come over the API.
const Application = "application"

// API says how the site's application talks to the peer.
type API struct {
	Listen        string
	Window        time.Duration
	DefaultReward float64 `key:"default_reward"`
	Settle        site.Settle
	Fallback      string
	MinExposures  uint64 `key:"min_exposures"`
	Keep          time.Duration
	MaxBody       uint64 `key:"max_body"`
}

// Store says how the peer's store uses the disk.
type Store struct {
	Reserve uint64 // MiB
}

// World says what pays the rewards.
type World struct {
	Kind    string
	Traffic []float64 // shares of rounds with a decision, which sites take in turn
	Params  Params
}

// Testnet is a network on one machine.
type Testnet struct {
	Nodes    int
	Topology string
	Seeds    int
}

// Experiment is a simulation.
type Experiment struct {
	Seeds     uint64
	FirstSeed uint64 `key:"first_seed"`
	Instances uint64
	Cells     []Cell
	Alone     bool
	Lemmas    bool `key:"lemmas"`
	Coverage  bool
	Faults    Faults
	Liars     Liars
	Cost      Cost
	Figure    Figure
}

// Cell is a part of an experiment: settings that replace the configuration's. A key with a list
// of values stands for as many cells.
type Cell struct {
	Name string         `yaml:",omitempty"`
	Set  map[string]any `yaml:",omitempty"`
}

// Figure says what an experiment draws.
type Figure struct {
	Kind  string
	X     string
	Log   string
	Bound bool
	Runs  int
	Title string
}

// Faults are what the simulated network does to messages.
type Faults struct {
	Loss      float64
	Duplicate float64
	Reorder   float64
	Delay     int
	Partition []uint64 // none, or from and before which round
	Churn     float64
}

// Liars are simulated peers that make false claims.
type Liars struct {
	Count    int
	Claim    string
	Pay      string
	Noise    string
	Messages string
}

// Cost is the cost of a release over a link in a round.
type Cost struct {
	Hub  float64 // of a peer without arms
	Link float64 // between peers with arms
}

// Log says what is logged and how.
type Log struct {
	Level  string
	Format string
}
