package config

import (
	"reflect"
	"slices"
	"time"

	"peerd.dev/dp"
	"peerd.dev/node/site"
)

// siteKeys lists the settings of a site, with the parameters of its learners and protocols. Networks compare
// mode, and folders keep world.kind, so both are settings of a site, although it has no choice.
func siteKeys(blocks []block, mechanisms []string) []Key {
	learners, learning := entryNames(blocks, "learner")
	protocols, spreading := entryNames(blocks, "protocol")
	return slices.Concat([]Key{
		{
			Name: "mode", Default: string(Live), Shared: true, Laboratory: true, Rule: OneOf(string(Live)),
			Doc: "Whose data: live protects people, and rounds follow the wall clock.",
		},
		{
			Name: "dir", Default: ".peerd", Rule: pathText(true),
			Doc: "Folder of the peer: its key, its configuration, its store.",
		},
		{
			Name: "network", Default: "network.yaml", Rule: pathText(true),
			Doc: "The network file, which lists the peers and their links. A relative path starts at dir. With the default, network.json, a signed document, comes first.",
		},
		{
			Name: "listen", Default: "[/ip4/127.0.0.1/tcp/0]", Begin: "[/ip4/0.0.0.0/tcp/8471]", Rule: addresses(),
			Doc: "Addresses to listen on; port 0 picks a free one.",
		},
		{
			Name: "arms", Example: "[red, green, blue]", Shared: true, Fixed: true, Rule: names(2, mostArms),
			Doc: "The actions to choose between: the same names, in the same order, at all peers.",
		},
		{
			Name: "spare_arms", Default: "0", Begin: "4", Shared: true, Fixed: true, Later: true, Rule: Whole(0, mostArms),
			Doc: "Number of further actions that a signed network document can add while the peers run. Each has its streams from the start, and costs no budget.",
		},

		{
			Name: "privacy.epsilon", Example: "1", Shared: true, Fixed: true, Rule: budget(),
			Doc: "Privacy budget of one user for the peer's whole life. It has no default because only you can choose it.",
		},
		{
			Name: "privacy.delta", Default: "0", Shared: true, Fixed: true, Rule: Probability(),
			Doc: "With Gaussian noise, the probability by which the promise of epsilon may be exceeded; choose 0.000001 or less. 0 with Laplace noise, which never exceeds it.",
		},
		{
			Name: "privacy.mechanism", Default: dp.EachLaplace.String(), Shared: true, Fixed: true, Rule: mechanismRule(mechanisms),
			Doc: "The mechanism that adds noise to sums; docs/mechanisms.md compares them. The default is kary with protocols that carry running sums; with a delta it is blt with these, and each-gaussian with others. none adds no noise, for comparison in lockstep.",
		},
		{
			Name: "privacy.adjacency", Default: "replace-one", Shared: true, Fixed: true, Rule: OneOf(dp.ReplaceOne.String(), dp.ZeroOut.String()),
			Doc: "Which histories must be indistinguishable: with replace-one, a user's rewards are replaced by any others; with zero-out, by 0. Not used with privacy.counts: noised.",
		},
		{
			Name: "privacy.counts", Default: PublicCounts, Shared: true, Fixed: true, Rule: OneOf(PublicCounts, NoisedCounts),
			Doc: "Whether numbers of rewards are released as they are, or with noise: with noised, one of the histories that must be indistinguishable leaves the user's rewards out, so the user's presence is hidden, too. For protocols whose leaves close by the clock.",
		},
		{
			Name: "privacy.records_per_user", Default: "1", Unit: "rewards", Shared: true, Fixed: true, Rule: Whole(1, 1<<20),
			Doc: "Maximum number of rewards from one user. The noise grows in proportion.",
		},
		{
			Name: "privacy.horizon", Default: "0", Unit: "rounds", Shared: true, Fixed: true, Rule: Whole(0, MostRounds),
			Doc: "Rounds that the budget covers; after them the peer releases nothing more. 0, with mechanisms that release every leaf once, stands for a whole life. With protocol average and an application, the number of rewards of one action, after which that action alone is no longer released.",
		},
		{
			Name: "privacy.accept_weak", Default: "false", Shared: true, Rule: YesNo(),
			Doc: "Accept an epsilon above 10 or a delta above 0.001, which protect almost no one.",
		},
		{
			Name: "privacy.answers", Default: Anyone, Fixed: true, Later: true, Rule: OneOf(Anyone, Inside),
			Doc: "The people that may see what this site answers its application. With anyone, all decisions are given to the network: choices follow from releases alone, and rewards enter noised sums. With inside, only the site's own people and users may see answers: the site gives few decisions and keeps all others, whose choices follow from its own exact rewards and from what others release, and nothing of them leaves the site (docs/joining.md). A rule says which are given, and sets first and growth of protocols phases, batch and local.",
		},
		{
			Name: "privacy.inside", Default: "0", Fixed: true, Later: true, Rule: Number("0, or a number from 0.5 to 20", func(x float64) bool { return x == 0 || x >= .5 && x <= 20 }),
			Doc: "With privacy.answers: inside, the epsilon of the noise on each own reward before the learner of kept decisions sees it; 0 for none.",
		},

		{
			Name: "learner.name", Default: learners[0], Shared: true, Fixed: true, Rule: OneOf(learners...),
			Doc: "The learner, which chooses arms: " + learning + ". The default is imed with protocols that keep no sites apart and with merge: trimmed, and thompson with rows and merge: trimmed.",
		},
		{
			Name: "learner.explore", Default: "0", Rule: Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }),
			Doc: "Share of this peer's choices that are one of the actions offered, each equally likely. Above 0 every choice has an exact propensity above 0, from which other policies can be estimated (peerd decisions export). Peers need not agree on it.",
		},
	}, blockKeys(blocks, "learner", true), []Key{
		{
			Name: contextKey, Default: "[]", Shared: true, Fixed: true, Later: true, Rule: encodingRule(),
			Doc: "Features of the context by name, for a learner by features: hour=0..24 is a number in a range, and with vertical bars between words a feature is one of these categories. An application sends their values, and learner.linucb.features and learner.linucb.context follow. Without features.action each action has a feature of its own, which the peer makes.",
		},
		{
			Name: actionKey, Default: "[]", Shared: true, Fixed: true, Later: true, Rule: encodingRule(),
			Doc: "Features of an action by name, in the same form.",
		},
		{
			Name: "protocol.name", Default: protocols[0], Shared: true, Fixed: true, Rule: OneOf(protocols...),
			Doc: "The protocol, which spreads what peers learn: " + spreading + ".",
		},
	}, blockKeys(blocks, "protocol", true), []Key{
		{
			Name: "give.least", Default: "0", Unit: "rewards", Shared: true, Later: true, Changes: true, Rule: Whole(0, 1<<40),
			Doc: "Rewards that the network asks each member to have released; 0 asks for nothing. A member that has released fewer is not refused: `peerd peers` and the page say so. Only a network that begins with 1 or more can change it.",
		},
		{
			Name: "give.sites", Default: "10", Unit: "sites", Shared: true, Fixed: true, Later: true, Rule: Whole(0, 100_000),
			Doc: "Number of sites for which sites with privacy.answers: inside plan what they give, so that batches stay as they are while the network grows. With 0, in lockstep, it is the number of sites. Learners by features do not use it.",
		},
		{
			Name: "rounds.every", Default: "1s", Unit: "duration", Shared: true, Rule: between(time.Millisecond, 24*time.Hour),
			Doc: "Length of a round in mode live.",
		},

		{
			Name: "world.kind", Default: Application, Fixed: true, Laboratory: true, Rule: OneOf(Application),
			Doc: "What pays rewards: application, the site's application over the API.",
		},

		{
			Name: "api.listen", Default: `""`, Rule: loopbackAddress(),
			Doc: "Where the API listens in addition to its socket in dir, such as 127.0.0.1:8470. Only this machine can reach it, with the token in dir.",
		},
		{
			Name: "api.window", Default: "1m", Unit: "duration", Rule: between(time.Second, 30*24*time.Hour),
			Doc: "How long the reward of a decision is accepted.",
		},
	}, rewardKeys(), []Key{
		{
			Name: "api.settle", Default: string(site.AtWindow), Rule: OneOf(string(site.AtWindow), string(site.OnArrival)),
			Doc: "When a reward enters: with window, when its window ends, so that no one can see when it was reported, or whether; with arrival, at once, which shows peers that it was reported. With api.reward: last or sum, it is complete when the window ends, or the application ends it.",
		},
		{
			Name: "api.fallback", Default: `""`, Rule: Holds("the name of an action, or nothing", func(reflect.Value) bool { return true }),
			Doc: "Action that is answered until the first round is over; if empty, the learner chooses from the first decision on.",
		},
		{
			Name: "api.min_exposures", Default: "1", Unit: "decisions", Rule: Whole(0, 1<<30),
			Doc: "Decisions that every action receives before the learner takes over.",
		},
		{
			Name: "api.keep", Default: "24h", Unit: "duration", Rule: between(0, 365*24*time.Hour),
			Doc: "How long a decision is remembered after its window, so that a late report can be distinguished from a wrong one; then it is deleted with its reward.",
		},
		{
			Name: "api.shadow", Default: string(site.NoShadow), Rule: OneOf(string(site.NoShadow), string(site.ShadowPropose), string(site.ShadowLearn)),
			Doc: "Whether the application chooses by a policy of its own and says what it took (taken): with propose, the peer answers what it would have chosen, and learns nothing; with learn, it learns from what was taken, too.",
		},
		{
			Name: "api.baseline", Default: `""`, Rule: Holds("the name of an action, or nothing", func(reflect.Value) bool { return true }),
			Doc: "Action that gets api.baseline_share of the decisions for which it is on offer, whatever is learned; if empty, none does.",
		},
		{
			Name: "api.baseline_share", Default: "1", Rule: Number("a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 }),
			Doc: "Share of api.baseline. The learner chooses for the rest, and may choose the baseline there, too; exploration takes from the rest.",
		},
		{
			Name: "api.baseline_until", Default: BaselineEver, Rule: OneOf(BaselineEver, BaselineBetter),
			Doc: "When the baseline loses its share: with ever, never; with better, while this site's own releases show with 95 %, at all looks together, that another action on offer is better for its users.",
		},
		{
			Name: "api.offer", Default: "[]", Rule: Holds("a list of names of actions that were added to the network, or [all]", func(v reflect.Value) bool {
				names := v.Interface().([]string)
				return len(names) < 2 || !slices.Contains(names, site.OfferAll)
			}),
			Doc: "Actions added by `network extend` that this site chooses without being asked to: names, or all. Others are chosen only for requests that name them in actions, so that no application is answered with an action that it does not know.",
		},
		{
			Name: "api.max_body", Default: "4194304", Unit: "bytes", Rule: Whole(1<<10, 1<<28),
			Doc: "Maximum size of a request.",
		},

		{
			Name: "store.reserve", Default: "64", Unit: "MiB", Rule: Whole(1, 1<<20),
			Doc: "Disk space to keep free, at most an eighth of the disk. With less, the peer accepts nothing and loses nothing.",
		},

		{
			Name: "log.level", Default: "info", Rule: OneOf("debug", "info", "warn", "error"),
			Doc: "The lowest level that is logged.",
		},
		{
			Name: "log.format", Default: "auto", Rule: OneOf("auto", "text", "json"),
			Doc: "auto is text on a terminal and json otherwise.",
		},
	})
}
