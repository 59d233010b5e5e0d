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
// reads better, after the keys of the structs around it. Settings that are not in its schema are
// zero.
type Settings struct {
	Mode      Mode
	Dir       string
	Network   string
	Listen    []string
	Arms      []string
	SpareArms uint64 `key:"spare_arms"`
	Seed      uint64
	Privacy   Privacy
	Learner   Learner
	Features  Features
	Protocol  Protocol
	Give      struct{ Least, Sites uint64 }
	Rounds    Rounds
	World     World
	API       API
	Store     Store
	Log       Log
	Sections  Params  // of an extension, by name
	schema    *Schema // nil for a site's
}

// Schema returns the schema of the settings.
func (s *Settings) Schema() *Schema {
	if s.schema == nil {
		return Site()
	}
	return s.schema
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
	Adjacency      string
	Counts         string
	RecordsPerUser uint64 `key:"records_per_user"`
	Horizon        uint64
	AcceptWeak     bool `key:"accept_weak"`
	Answers        string
	Inside         float64
}

// The people that may see what a site answers its application.
const (
	Anyone = "anyone" // all decisions are given
	Inside = "inside" // only the site's own people and users; few decisions are given, and all others are kept
)

// What is done with numbers of rewards.
const (
	PublicCounts = "public"
	NoisedCounts = "noised"
)

// MostRounds is the greatest horizon: the leaves that a stream may have.
const MostRounds = 1 << 30

// Rounds returns the rounds that the budget covers: the horizon, or the greatest number if a
// reward is in one release and the horizon costs nothing.
func (p Privacy) Rounds() uint64 {
	if p.Horizon == 0 {
		return MostRounds
	}
	return p.Horizon
}

// drawn returns 1/b for the scale b of Laplace noise that has the deviation of a single draw: ε
// with Laplace noise and √2/σ with Gaussian, divided by the records of a user. Settings without
// noise are refused elsewhere.
func (p Privacy) drawn() float64 {
	epsilon := float64(p.Epsilon)
	if m, err := dp.ParseMechanism(p.Mechanism); err == nil && m.Law() == dp.Gaussian {
		if sigma, err := account.Sigma(epsilon, p.Delta, 1); err == nil {
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

// World says what pays the rewards.
type World struct {
	Kind   string
	Params Params
}

// Application is the world whose rewards come over the API.
const Application = "application"

// API says how the site's application talks to the peer.
type API struct {
	Listen        string
	Window        time.Duration
	DefaultReward float64     `key:"default_reward"`
	Reward        site.Adding // which reports make a reward
	RewardRange   []float64   `key:"reward_range"`
	Settle        site.Settle
	Fallback      string
	MinExposures  uint64 `key:"min_exposures"`
	Keep          time.Duration
	Shadow        site.Shadow
	Baseline      string
	BaselineShare float64 `key:"baseline_share"`
	BaselineUntil string  `key:"baseline_until"`
	Offer         []string
	MaxBody       uint64 `key:"max_body"`
}

// How long a baseline keeps its share.
const (
	BaselineEver   = "ever"
	BaselineBetter = "better"
)

// Adds reports whether the values of a decision add up.
func (a API) Adds() bool { return a.Reward == site.Sum }

// Shadows reports whether the application chooses.
func (a API) Shadows() bool { return a.Shadow != site.NoShadow }

// Store says how the peer's store uses the disk.
type Store struct {
	Reserve uint64 // MiB
}

// Log says what is logged and how.
type Log struct {
	Level  string
	Format string
}
