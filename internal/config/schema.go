package config

import (
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"peerd.dev/dp"
	"peerd.dev/node/site"
)

// Schema lists every setting, in the order in which people read them. The daemon,
// the testnet and experiments share it. The documentation, the example file and
// `peerd config show --schema` are made of it. The list is shared and not to be changed.
func Schema() []Key {
	schema.once.Do(func() { schema.keys = makeSchema() })
	return schema.keys
}

//nolint:gochecknoglobals // made once, then only read
var schema struct { // no OnceValue, since rules of some keys ask for others
	once sync.Once
	keys []Key
}

func makeSchema() []Key {
	const many = math.MaxUint64
	learners, learning := entryNames("learner")
	protocols, spreading := entryNames("protocol")
	worlds, paying := entryNames("world", Application)
	return slices.Concat([]Key{
		{
			Name: "mode", Default: string(Live), Shared: true, rule: oneOf(string(Live), string(Lockstep)),
			Doc: "Whose data: live protects people, and rounds follow the wall clock; lockstep protects no one, and simulated rounds wait for each other.",
		},
		{
			Name: "dir", Default: ".peerd", rule: pathText(true),
			Doc: "Folder of the peer: its key, its configuration, its store.",
		},
		{
			Name: "seed", Default: "0", rule: whole(0, many),
			Doc: "Seed of all randomness in lockstep; 0 in mode live, where noise comes from the operating system.",
		},
		{
			Name: "network", Default: "network.yaml", rule: pathText(true),
			Doc: "The network file, which lists the peers and their links. A relative path starts at dir. With the default, network.json, a signed document, comes first.",
		},
		{
			Name: "listen", Default: "[/ip4/127.0.0.1/tcp/0]", Begin: "[/ip4/0.0.0.0/tcp/8471]", rule: addresses(),
			Doc: "Addresses to listen on; port 0 picks a free one.",
		},
		{
			Name: "arms", Example: "[red, green, blue]", Shared: true, Fixed: true, rule: names(2, mostArms),
			Doc: "The actions to choose between: the same names, in the same order, at all peers.",
		},
		{
			Name: "spare_arms", Default: "0", Begin: "4", Shared: true, Fixed: true, Later: true, rule: whole(0, mostArms),
			Doc: "Number of further actions that a signed network document can add while the peers run. Each has its streams from the start, and costs no budget.",
		},

		{
			Name: "privacy.epsilon", Example: "1", Shared: true, Fixed: true, rule: budget(),
			Doc: "Privacy budget of one user for the peer's whole life. It has no default because only you can choose it.",
		},
		{
			Name: "privacy.delta", Default: "0", Shared: true, Fixed: true, rule: probability(),
			Doc: "With Gaussian noise, the probability by which the promise of epsilon may be exceeded; choose 0.000001 or less. 0 with Laplace noise, which never exceeds it.",
		},
		{
			Name: "privacy.mechanism", Default: dp.EachLaplace.String(), Shared: true, Fixed: true, rule: oneOf(mechanismNames()...),
			Doc: "The mechanism that adds noise to sums; docs/mechanisms.md compares them. The default is tree with protocols that carry running sums. none adds no noise, for comparison in lockstep.",
		},
		{
			Name: "privacy.calibration", Default: "tight", Shared: true, Fixed: true, rule: oneOf(dp.Tight.String(), dp.Paper.String()),
			Doc: "How the scale of Gaussian noise is computed from epsilon and delta: tight is exact; paper is the formula that papers print, for comparison.",
		},
		{
			Name: "privacy.adjacency", Default: "replace-one", Shared: true, Fixed: true, rule: oneOf(dp.ReplaceOne.String(), dp.ZeroOut.String()),
			Doc: "Which histories must be indistinguishable: with replace-one, a user's rewards are replaced by any others; with zero-out, by 0. Not used with privacy.counts: noised.",
		},
		{
			Name: "privacy.counts", Default: PublicCounts, Shared: true, Fixed: true, rule: oneOf(PublicCounts, NoisedCounts),
			Doc: "Whether numbers of rewards are released as they are, or with noise: with noised, one of the histories that must be indistinguishable leaves the user's rewards out, so the user's presence is hidden, too. For protocols whose leaves close by the clock.",
		},
		{
			Name: "privacy.records_per_user", Default: "1", Unit: "rewards", Shared: true, Fixed: true, rule: whole(1, 1<<20),
			Doc: "Maximum number of rewards from one user. The noise grows in proportion.",
		},
		{
			Name: "privacy.horizon", Default: "0", Unit: "rounds", Shared: true, Fixed: true, rule: whole(0, mostRounds),
			Doc: "Rounds that the budget covers; after them the peer releases nothing more. 0, with mechanisms that release every leaf once, stands for a whole life. With protocol average and an application, the number of rewards of one action, after which that action alone is no longer released.",
		},
		{
			Name: "privacy.accept_weak", Default: "false", Shared: true, rule: yesNo(),
			Doc: "Accept an epsilon above 10 or a delta above 0.001, which protect almost no one.",
		},

		{
			Name: "learner.name", Default: learners[0], Shared: true, Fixed: true, rule: oneOf(learners...),
			Doc: "The learner, which chooses arms: " + learning + ".",
		},
		{
			Name: "learner.explore", Default: "0", rule: number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }),
			Doc: "Share of this peer's choices that are one of the actions offered, each equally likely. Above 0 every choice has an exact propensity above 0, from which other policies can be estimated (peerd decisions export). Peers need not agree on it.",
		},
	}, blockKeys("learner", true), []Key{
		{
			Name: "protocol.name", Default: protocols[0], Shared: true, Fixed: true, rule: oneOf(protocols...),
			Doc: "The protocol, which spreads what peers learn: " + spreading + ".",
		},
	}, blockKeys("protocol", true), []Key{
		{
			Name: "rounds.every", Default: "1s", Unit: "duration", Shared: true, rule: between(time.Millisecond, 24*time.Hour),
			Doc: "Length of a round in mode live.",
		},
		{
			Name: "rounds.count", Default: "0", Unit: "rounds", rule: whole(0, mostRounds),
			Doc: "Number of rounds to play; 0 plays the horizon.",
		},

		{
			Name: "world.kind", Default: worlds[0], Fixed: true, rule: oneOf(worlds...),
			Doc: "What pays rewards: application, the site's application over the API; or a simulated world: " + paying + ".",
		},
		{
			Name: "world.traffic", Default: "[1]", rule: shares(),
			Doc: "Share of rounds in which a simulated site has a decision to make: one number for all sites, or several numbers that sites take in turn. In the other rounds the peer receives and sends as always.",
		},
	}, blockKeys("world", false), []Key{
		{
			Name: "api.listen", Default: `""`, rule: loopbackAddress(),
			Doc: "Where the API listens in addition to its socket in dir, such as 127.0.0.1:8470. Only this machine can reach it, with the token in dir.",
		},
		{
			Name: "api.window", Default: "1m", Unit: "duration", rule: between(time.Second, 30*24*time.Hour),
			Doc: "How long the reward of a decision is accepted.",
		},
		{
			Name: "api.default_reward", Default: "0", rule: number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }),
			Doc: "Reward of a decision for which none was reported in its window.",
		},
		{
			Name: "api.settle", Default: string(site.AtWindow), rule: oneOf(string(site.AtWindow), string(site.OnArrival)),
			Doc: "When a reward enters: with window, when its window ends, so that no one can see when it was reported, or whether; with arrival, at once, which shows peers that it was reported.",
		},
		{
			Name: "api.fallback", Default: `""`, rule: holds("the name of an action, or nothing", func(reflect.Value) bool { return true }),
			Doc: "Action that is answered until the first round is over; if empty, the learner chooses from the first decision on.",
		},
		{
			Name: "api.min_exposures", Default: "1", Unit: "decisions", rule: whole(0, 1<<30),
			Doc: "Decisions that every action receives before the learner takes over.",
		},
		{
			Name: "api.keep", Default: "24h", Unit: "duration", rule: between(0, 365*24*time.Hour),
			Doc: "How long a decision is remembered after its window, so that a late report can be distinguished from a wrong one; then it is deleted with its reward.",
		},
		{
			Name: "api.max_body", Default: "4194304", Unit: "bytes", rule: whole(1<<10, 1<<28),
			Doc: "Maximum size of a request.",
		},

		{
			Name: "store.reserve", Default: "64", Unit: "MiB", rule: whole(1, 1<<20),
			Doc: "Disk space to keep free, at most an eighth of the disk. With less, the peer accepts nothing and loses nothing.",
		},

		{
			Name: "testnet.nodes", Default: "5", Unit: "peers", rule: whole(1, 100_000),
			Doc: "Peers of a testnet or an experiment.",
		},
		{
			Name: "testnet.topology", Default: "ring", rule: graphText(),
			Doc: "Links of a testnet or an experiment.",
		},
		{
			Name: "testnet.seeds", Default: "0", Unit: "runs", rule: whole(0, 10_000),
			Doc: "Simulated runs for the closing table; 0 omits it.",
		},

		{
			Name: "experiment.seeds", Default: "20", Unit: "runs", rule: whole(1, 100_000),
			Doc: "Number of runs, each with its own seed.",
		},
		{
			Name: "experiment.first_seed", Default: "1", rule: whole(1, many),
			Doc: "Seed of the first run; the others follow it.",
		},
		{
			Name: "experiment.instances", Default: "0", Unit: "instances", rule: whole(0, many),
			Doc: "Number of instances that runs take in turn, where the world draws means for every run: run i + instances plays the instance of run i with its own coins and noise. With 0 every run has its own instance.",
		},
		{
			Name: "experiment.cells", Default: "[]", rule: cellList(),
			Doc: "What is compared over the same seeds: a list of cells, each with a name, settings that it sets, or both. A setting with a list of values makes one cell for each. Without cells, the configuration is the only one.",
		},
		{
			Name: "experiment.alone", Default: "false", rule: yesNo(),
			Doc: "Remove all links, so that every peer learns alone.",
		},
		{
			Name: "experiment.lemmas", Default: "false", rule: yesNo(),
			Doc: "Check in every round what paper 004 (docs/papers.md) claims about protocol average: the sum of estimates and Lemmas 1 to 3.",
		},
		{
			Name: "experiment.coverage", Default: "false", rule: yesNo(),
			Doc: "Count in every round how many estimates lie outside their confidence radius, and fail if more do than the radius allows.",
		},
		{
			Name: "experiment.faults.loss", Default: "0", rule: probability(),
			Doc: "Probability that a message is lost.",
		},
		{
			Name: "experiment.faults.duplicate", Default: "0", rule: probability(),
			Doc: "Probability that a message arrives twice.",
		},
		{
			Name: "experiment.faults.reorder", Default: "0", rule: probability(),
			Doc: "Probability that a message is delayed by up to 3 rounds, so that later ones overtake it.",
		},
		{
			Name: "experiment.faults.delay", Default: "0", Unit: "rounds", rule: whole(0, 1000),
			Doc: "Maximum delay of a message in rounds; delays are uniform from 0.",
		},
		{
			Name: "experiment.faults.partition", Default: "[]", Unit: "rounds", rule: span(),
			Doc: "The first round, and the round after the last, in which no message crosses between the halves of the network.",
		},
		{
			Name: "experiment.faults.churn", Default: "0", rule: probability(),
			Doc: "Probability, each round, that a peer goes away for a while.",
		},
		{
			Name: "experiment.liars.count", Default: "0", Unit: "peers", rule: whole(0, many),
			Doc: "Number of peers that claim what is not so, and sign it.",
		},
		{
			Name: "experiment.liars.claim", Default: "huge", rule: oneOf("honest", "huge", "t", "half", "few"),
			Doc: "How many pulls of every arm liars claim: their own, 2^63, the rounds so far, half of them, or 1.",
		},
		{
			Name: "experiment.liars.pay", Default: "honest", rule: oneOf("honest", "inside", "outside", "fork"),
			Doc: "What liars claim that arms pay: inside is 1 for the worst arm and 0 for others, outside 1,000 and -1,000, and fork is inside to half of the peers and the truth to the others.",
		},
		{
			Name: "experiment.liars.noise", Default: "honest", rule: oneOf("honest", "quiet", "loud", "many"),
			Doc: "How much noise liars claim to be in their sums: what there is, next to none, 1,024 times the scale, or as many draws as rewards.",
		},
		{
			Name: "experiment.liars.messages", Default: "sound", rule: oneOf("sound", "silent", "malformed"),
			Doc: "Which messages liars send: an honest peer's, with the lies above in them; none, if they are silent; or malformed ones, with labels and arms that do not exist.",
		},
		{
			Name: "experiment.cost.hub", Default: "1", rule: number("a number from 0", func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }),
			Doc: "What a round costs in which releases go over a link of a peer without arms: c₁ of paper 003 (docs/papers.md).",
		},
		{
			Name: "experiment.cost.link", Default: "1", rule: number("a number from 0", func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }),
			Doc: "What a round costs in which releases go over a link between peers with arms: c₂ of paper 003.",
		},
		{
			Name: "experiment.figure.kind", Default: "curves", rule: oneOf("none", "curves", "final"),
			Doc: "What is drawn: curves is regret by round, one line for each cell; final is regret at the end against x.",
		},
		{
			Name: "experiment.figure.x", Default: `""`, rule: axisText(),
			Doc: "What final is drawn against: spectral_gap, cost, or a setting that holds a number; cells that differ only in it are joined by a line; with cost, cells of one name are.",
		},
		{
			Name: "experiment.figure.log", Default: "none", rule: oneOf("none", "x", "y", "both"),
			Doc: "Which axes are logarithmic.",
		},
		{
			Name: "experiment.figure.bound", Default: "false", rule: yesNo(),
			Doc: "Draw the asymptotic lower bound on regret, where one is computed: for rewards of 0 and 1 and peers that are neither alone nor liars.",
		},
		{
			Name: "experiment.figure.runs", Default: "0", Unit: "runs", rule: whole(0, 1000),
			Doc: "Runs of each cell that curves also show one by one, as thin lines, for means of runs that differ in kind.",
		},
		{
			Name: "experiment.figure.title", Default: `""`, rule: holds("text", func(reflect.Value) bool { return true }),
			Doc: "Title of the figure; if empty, the configuration's name.",
		},

		{
			Name: "log.level", Default: "info", rule: oneOf("debug", "info", "warn", "error"),
			Doc: "The lowest level that is logged.",
		},
		{
			Name: "log.format", Default: "auto", rule: oneOf("auto", "text", "json"),
			Doc: "auto is text on a terminal and json otherwise.",
		},
	})
}
