package config

import (
	"maps"
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
	Mode      Mode     `want:"mode" default:"live" shared:"yes" lab:"yes" doc:"Whose data: live protects people, and rounds follow the wall clock."`
	Dir       string   `want:"a path" default:".peerd" page:"folder of the peer" doc:"Folder of the peer: key, configuration, store."`
	Network   string   `want:"a path" default:"network.yaml" doc:"File of peers and links, relative to dir. With the default, a signed document network.json comes first."`
	Listen    []string `want:"addresses" default:"[/ip4/127.0.0.1/tcp/0]" begin:"[/ip4/0.0.0.0/tcp/8471]" page:"where other peers reach this one" doc:"Addresses to listen on; port 0 picks a free one."`
	Arms      []string `want:"names" example:"[red, green, blue]" shared:"yes" fixed:"yes" page:"the actions: the same, in the same order, at all peers" doc:"The actions, in the same order at all peers."`
	SpareArms uint64   `key:"spare_arms" want:"0..1000" default:"0" begin:"4" shared:"yes" fixed:"yes" later:"yes" page:"room for actions that are added later" doc:"Room for actions that a signed network document adds. It costs no budget."`
	Seed      uint64   `lab:"yes" want:"0.." default:"0" doc:"Seed of all randomness in lockstep; 0 in mode live."`
	Privacy   Privacy
	Learner   Learner
	Features  Features
	Protocol  Protocol
	Give      Give
	Rounds    Rounds
	World     World
	API       API
	Store     Store
	Log       Log
	Sections  Params  // of an extension, by name
	schema    *Schema // nil for a site's
}

// Params hold the parameters of the entries of a table, or sections, by name, each a struct. Missing ones have
// their defaults. A Params is never changed, only replaced.
type Params map[string]any

// With returns p with the parameters of one entry.
func (p Params) With(name string, params any) Params {
	q := maps.Clone(p)
	if q == nil {
		q = make(Params)
	}
	q[name] = params
	return q
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

// Privacy is what a peer promises its users.
type Privacy struct {
	Epsilon        Epsilon `want:"budget" example:"1" shared:"yes" fixed:"yes" page:"budget of one user; smaller protects better" doc:"Privacy budget of one user for the peer's whole life. Only you can choose it."`
	Delta          float64 `want:"probability" default:"0" shared:"yes" fixed:"yes" doc:"Probability by which Gaussian noise may exceed epsilon: 0.000001 or less. 0 with Laplace noise."`
	Mechanism      string  `want:"mechanism" default:"each" shared:"yes" fixed:"yes" page:"how noise is added" doc:"How noise is added (docs/mechanisms.md). The default is kary with protocols that carry running sums; with a delta it is blt with these, and each-gaussian with others. none is for lockstep."`
	Adjacency      string  `want:"replace-one|zero-out" default:"replace-one" shared:"yes" fixed:"yes" doc:"Indistinguishable histories: a user's rewards are replaced by any others, or by 0. Not used with privacy.counts: noised."`
	Counts         string  `want:"public|noised" default:"public" shared:"yes" fixed:"yes" page:"noised also hides whether a user was there" doc:"With noised, a user's presence is hidden, too. For protocols whose leaves close by the clock."`
	RecordsPerUser uint64  `key:"records_per_user" want:"1..1048576" default:"1" unit:"rewards" shared:"yes" fixed:"yes" page:"times that a returning user counts in the site's whole life; noise grows as much" doc:"Most rewards of one user, in the site's whole life. The noise grows in proportion."`
	Horizon        uint64  `want:"0..1073741824" default:"0" unit:"rounds" shared:"yes" fixed:"yes" page:"rounds that the budget covers; 0 is a whole life" doc:"Rounds after which the peer releases nothing more; 0, with mechanisms that release every leaf once, is a whole life. With protocol average and an application, rewards of one action."`
	AcceptWeak     bool    `key:"accept_weak" want:"true|false" default:"false" shared:"yes" doc:"Accept an epsilon above 10 or a delta above 0.001, which protect almost no one."`
	Answers        string  `want:"anyone|inside" default:"anyone" fixed:"yes" later:"yes" page:"of this site: who may see what it answers, anyone or inside" doc:"The people that see this site's answers. With anyone, all decisions are given to the network. With inside, the site's own people and users: it gives few decisions, nothing of the others leaves it (docs/joining.md), and a rule sets first and growth of phases, batch and local."`
	Inside         float64 `want:"0 or 0.5 to 20" default:"0" fixed:"yes" later:"yes" doc:"With privacy.answers: inside, epsilon of the noise on each reward of kept decisions; 0 for none."`
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
	Name    string  `want:"learner" default:"personalized" shared:"yes" fixed:"yes" page:"how actions are chosen" doc:"The learner, which chooses arms: %s. The default is imed with protocols that keep no sites apart and with merge: trimmed, and thompson with rows and merge: trimmed."`
	Explore float64 `want:"0 to 1" default:"0" page:"share of choices made at random, for off-policy evaluation" doc:"Share of choices at random. Above 0 every choice has a propensity above 0."`
	Params  Params
}

// Features are what an application describes a decision by, with names.
type Features struct {
	Context []string `want:"features" default:"[]" shared:"yes" fixed:"yes" later:"yes" doc:"Features of the context, whose values an application sends; features and context of the learner follow. Without features.action each action has a feature of its own."` // of the decision
	Action  []string `want:"features" default:"[]" shared:"yes" fixed:"yes" later:"yes" doc:"The same of an action."`                                                                                                                                                // of each action; none if it has only a feature of its own
}

// Protocol says how what is learned spreads.
type Protocol struct {
	Name   string `want:"protocol" default:"phases" shared:"yes" fixed:"yes" page:"how what is learned spreads" doc:"How peers spread what they learn (docs/protocols.md)."`
	Params Params
}

// Give says what sites give to their network.
type Give struct {
	Least uint64 `want:"0..1099511627776" default:"0" unit:"rewards" shared:"yes" later:"yes" changes:"yes" doc:"Released rewards asked of each member; one with fewer is named, not refused. Only a network that begins with 1 or more can change it."`
	Sites uint64 `want:"0..100000" default:"10" unit:"sites" shared:"yes" fixed:"yes" later:"yes" doc:"Number of sites for which sites with privacy.answers: inside plan what they give. In lockstep, 0 is the number there is."`
}

// Rounds says when rounds happen.
type Rounds struct {
	Every time.Duration `want:"1ms..24h" default:"1s" unit:"duration" shared:"yes" page:"length of a round" doc:"Length of a round in mode live."`
	Count uint64        `lab:"yes" want:"0..1073741824" default:"0" unit:"rounds" doc:"Rounds to play; 0 plays the horizon."`
}

// World says what pays the rewards.
type World struct {
	Kind   string `want:"world" default:"application" fixed:"yes" lab:"yes" doc:"What pays rewards: application, the site's application over the API."`
	Params Params
}

// Application is the world whose rewards come over the API.
const Application = "application"

// API says how the site's application talks to the peer.
type API struct {
	Listen        string        `want:"loopback" default:"\"\"" page:"such as 127.0.0.1:8470, in addition to the socket in dir" doc:"Where the API listens, besides its socket in dir; it asks for the token in dir."`
	Window        time.Duration `want:"1s..720h" default:"1m" unit:"duration" page:"how long the reward of a decision is accepted" doc:"How long a decision's reward is accepted."`
	DefaultReward float64       `key:"default_reward" want:"finite" default:"0" page:"reward of a decision for which none came" doc:"Reward if none was reported, within api.reward_range."`
	Reward        site.Adding   `want:"first|last|sum" default:"first" page:"which reports make a reward: first, last or sum" doc:"The reward: the first report, the last of the window, or the sum of all, each with an id, clipped to api.reward_range."` // which reports make a reward
	RewardRange   []float64     `key:"reward_range" want:"two ends" default:"[0, 1]" shared:"yes" fixed:"yes" later:"yes" page:"least and greatest reward, the same at all peers, for the whole life of this folder" doc:"Least and greatest reward, in the application's units; noise is in units of the range."`
	Settle        site.Settle   `want:"window|arrival" default:"window" doc:"A reward enters when its window ends, which hides when and whether it was reported, or at once. With api.reward: last or sum, once it is complete."`
	Fallback      string        `want:"action" default:"\"\"" page:"action before the first round is over" doc:"Action until the first round is over; if empty, the learner chooses."`
	MinExposures  uint64        `key:"min_exposures" want:"0..1073741824" default:"1" unit:"decisions" page:"decisions for every action before the learner takes over" doc:"Decisions for every action before the learner takes over."`
	Keep          time.Duration `want:"0s..8760h" default:"24h" unit:"duration" page:"how long a decision is remembered after its window" doc:"How long after its window a decision is kept, so that a late report differs from a wrong one; then it is deleted."`
	Subject       string        `want:"required|optional" default:"optional" page:"required refuses a decision that names no user" doc:"Whether a decision has to name its user (subject). The promise is for each user that decisions name; init writes required."`
	Shadow        site.Shadow   `want:"off|propose|learn" default:"off" doc:"The application chooses, and the peer answers what it would have chosen (propose), or also learns from what was taken (learn)."`
	Baseline      string        `want:"action" default:"\"\"" doc:"Action that gets api.baseline_share of the decisions that offer it."`
	BaselineShare float64       `key:"baseline_share" want:"0 to 1" default:"1" doc:"Share of api.baseline; in the rest the learner may choose it, too."`
	BaselineUntil string        `key:"baseline_until" want:"ever|better" default:"ever" doc:"With better, the share ends once own releases show, with 95 % at all looks together, that another action is better for the site's users."`
	Offer         []string      `want:"offer" default:"[]" doc:"Actions added by \x60network extend\x60 that this site chooses unasked: names, or all. Others are chosen only for requests that name them."`
}

// How long a baseline keeps its share, and whether decisions have to name their users.
const (
	BaselineEver   = "ever"
	BaselineBetter = "better"
	Required       = "required"
)

// Range returns what rewards are from and to, in the application's units.
func (a *API) Range() (r site.Range) {
	copy(r[:], a.RewardRange)
	return r
}

// Adds reports whether the values of a decision add up.
func (a API) Adds() bool { return a.Reward == site.Sum }

// Shadows reports whether the application chooses.
func (a API) Shadows() bool { return a.Shadow != site.NoShadow }

// Store says how the peer's store uses the disk.
type Store struct {
	Reserve uint64 `want:"1..1048576" default:"64" unit:"MiB" page:"MiB of disk to keep free" doc:"Disk space to keep free, at most an eighth of the disk. With less, the peer accepts nothing."` // MiB
}

// Log says what is logged and how.
type Log struct {
	Level  string `want:"debug|info|warn|error" default:"info" page:"debug, info, warn or error" doc:"The lowest level that is logged."`
	Format string `want:"auto|text|json" default:"auto" page:"auto, text or json" doc:"auto is text on a terminal and json otherwise."`
}

// The keys that code names.
const (
	answersKey   = "privacy.answers"
	actionKey    = "features.action" // of which an entry is NAME=LOW..HIGH or NAME=A|B|C
	contextKey   = "features.context"
	deltaKey     = "privacy.delta"
	dirKey       = "dir" // where a peer's folder lies differs after the folder is copied or mounted
	everyKey     = "rounds.every"
	exploreKey   = "learner.explore"
	exposuresKey = "api.min_exposures"
	horizonKey   = "privacy.horizon"
	learnerKey   = "learner.name"
	mechanismKey = "privacy.mechanism"
	protocolKey  = "protocol.name"
	spareKey     = "spare_arms"
)
