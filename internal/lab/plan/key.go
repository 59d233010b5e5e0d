package plan

import (
	"math"
	"reflect"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/world"
)

// keys lists the settings of simulated worlds, testnets and experiments.
func keys() []config.Key {
	const many = math.MaxUint64
	kinds, paying := []string{config.Application}, []string(nil)
	for _, w := range worlds() {
		name := w.Words().Name
		kinds, paying = append(kinds, name), append(paying, name+" "+w.Words().Summary)
	}
	all := []config.Key{
		{
			Name: "mode", Default: string(config.Live), Shared: true, Rule: config.OneOf(string(config.Live), string(config.Lockstep)),
			Doc: "Whose data: live protects people, and rounds follow the wall clock; lockstep protects no one, and simulated rounds wait for each other.",
		},
		{
			Name: "seed", Default: "0", Rule: config.Whole(0, many),
			Doc: "Seed of all randomness in lockstep; 0 in mode live, where noise comes from the operating system.",
		},
		{
			Name: "rounds.count", Default: "0", Unit: "rounds", Rule: config.Whole(0, config.MostRounds),
			Doc: "Number of rounds to play; 0 plays the horizon.",
		},
		{
			Name: "world.kind", Default: config.Application, Fixed: true, Rule: config.OneOf(kinds...),
			Doc: "What pays rewards: application, the site's application over the API; or a simulated world: " + strings.Join(paying, "; ") + ".",
		},
		{
			Name: "world.traffic", Default: "[1]", Rule: shares(),
			Doc: "Share of rounds in which a simulated site has a decision to make: one number for all sites, or several numbers that sites take in turn. In the other rounds the peer receives and sends as always.",
		},
		{
			Name: "world.late.sites", Default: "0", Unit: "sites", Rule: config.Whole(0, 100_000),
			Doc: "Number of sites that begin after the others: the last ones with arms. A simulated site has no decision before it begins; its peer receives and sends as always.",
		},
		{
			Name: "world.late.every", Default: "1000", Unit: "rounds", Rule: config.Whole(1, config.MostRounds),
			Doc: "Rounds between the beginnings of late sites: the first begins in this round, counted from 0, and the second in twice this round. The other sites begin in round 0.",
		},
		{
			Name: "world.late.life", Default: "0", Unit: "rounds", Rule: config.Whole(0, config.MostRounds),
			Doc: "Number of rounds from its beginning in which a simulated site, late or not, has decisions, or the share of them that world.traffic says. Afterwards it has none, and its peer receives and sends as always. 0 is to the end.",
		},
		{
			Name: "testnet.nodes", Default: "5", Unit: "peers", Rule: config.Whole(1, 100_000),
			Doc: "Peers of a testnet or an experiment.",
		},
		{
			Name: "testnet.topology", Default: "ring", Rule: graphText(),
			Doc: "Links of a testnet or an experiment.",
		},
		{
			Name: "testnet.seeds", Default: "0", Unit: "runs", Rule: config.Whole(0, 10_000),
			Doc: "Simulated runs for the closing table; 0 omits it.",
		},
		{
			Name: "experiment.seeds", Default: "20", Unit: "runs", Rule: config.Whole(1, 100_000),
			Doc: "Number of runs, each with its own seed.",
		},
		{
			Name: "experiment.first_seed", Default: "1", Rule: config.Whole(1, many),
			Doc: "Seed of the first run; the others follow it.",
		},
		{
			Name: "experiment.instances", Default: "0", Unit: "instances", Rule: config.Whole(0, many),
			Doc: "Number of instances that runs take in turn, where the world draws means for every run: run i + instances plays the instance of run i with its own coins and noise. With 0 every run has its own instance.",
		},
		{
			Name: "experiment.cells", Default: "[]", Rule: cellList(),
			Doc: "What is compared over the same seeds: a list of cells, each with a name, settings that it sets, or both. A setting with a list of values makes one cell for each, and so does each, a list of cells within a cell. Without cells, the configuration is the only one.",
		},
		{
			Name: "experiment.alone", Default: "false", Rule: config.YesNo(),
			Doc: "Remove all links: every peer learns alone from its own rewards, at once and without noise, and nothing leaves it.",
		},
		{
			Name: "experiment.alone_noised", Default: "false", Rule: config.YesNo(), Later: true,
			Doc: "Remove all links, and nothing else: every peer learns from its own releases alone, with the same noise and batches as in a network.",
		},
		{
			Name: "experiment.listen", Default: "false", Shared: true, Fixed: true, Later: true, Rule: config.YesNo(),
			Doc: "Sites with privacy.answers: inside give no decisions: they keep all, and learn from what others release, as far as others release anything.",
		},
		{
			Name: "experiment.noise", Default: tightNoise, Shared: true, Fixed: true, Later: true, Rule: config.OneOf(tightNoise, printedNoise, provenNoise),
			Doc: "How much Gaussian noise there is: what epsilon and delta ask for (tight); what papers 000 and 002 (docs/lab/papers.md) print for records with features in mechanism tree-gaussian, for comparison (printed); or, with protocol.shuffle.sees: sum, what the paper's source proves (proven). With protocol shuffle what is printed or proven is for mode: lockstep.",
		},
		{
			Name: "experiment.raw.choices", Default: "false", Shared: true, Fixed: true, Later: true, Rule: config.YesNo(),
			Doc: "Choices within a batch follow from the records of that batch, too, as in Algorithm 1 of paper 002 (docs/lab/papers.md). That is not private, and for mode: lockstep.",
		},
		{
			Name: "experiment.raw.news", Default: "0", Shared: true, Fixed: true, Later: true, Rule: config.Number("a number from 0 to 1000000000", func(x float64) bool { return x >= 0 && x <= 1e9 }),
			Doc: "A site sends the sum over its batches only when its records since the last message, times what they add to the log-determinant of what it knew then, are this much, as in Algorithm 1 of paper 000 (docs/lab/papers.md), where it is D over 2. All batches are released and charged for. With 0 it sends every batch. That messages follow from records is not private, and for mode: lockstep.",
		},
		{
			Name: "experiment.coverage", Default: "false", Rule: config.YesNo(),
			Doc: "Count in every round how many estimates lie outside their confidence radius, and fail if more do than the radius allows.",
		},
		{
			Name: "experiment.faults.loss", Default: "0", Rule: config.Probability(),
			Doc: "Probability that a message is lost.",
		},
		{
			Name: "experiment.faults.duplicate", Default: "0", Rule: config.Probability(),
			Doc: "Probability that a message arrives twice.",
		},
		{
			Name: "experiment.faults.reorder", Default: "0", Rule: config.Probability(),
			Doc: "Probability that a message is delayed by up to 3 rounds, so that later ones overtake it.",
		},
		{
			Name: "experiment.faults.delay", Default: "0", Unit: "rounds", Rule: config.Whole(0, 1000),
			Doc: "Maximum delay of a message in rounds; delays are uniform from 0.",
		},
		{
			Name: "experiment.faults.partition", Default: "[]", Unit: "rounds", Rule: span(),
			Doc: "The first round, and the round after the last, in which no message crosses between the halves of the network.",
		},
		{
			Name: "experiment.faults.churn", Default: "0", Rule: config.Probability(),
			Doc: "Probability, each round, that a peer goes away for a while.",
		},
		{
			Name: "experiment.faults.stop", Default: "0", Unit: "rounds", Rule: config.Whole(0, many),
			Doc: "Round from which the first honest site is away for ever; its regret does not count. 0 for never.",
		},
		{
			Name: "experiment.faults.resume", Default: "0", Unit: "rounds", Rule: config.Whole(0, many),
			Doc: "Round in which the site that stopped resumes, with its memory; its regret counts then. 0 for never.",
		},
		{
			Name: "experiment.liars.count", Default: "0", Unit: "peers", Rule: config.Whole(0, many),
			Doc: "Number of peers that claim what is not so, and sign it.",
		},
		{
			Name: "experiment.liars.claim", Default: "huge", Rule: config.OneOf("honest", "huge", "t", "half", "few", "million"),
			Doc: "How many pulls of every arm liars claim: their own, 2^63, the rounds so far, half of them, 1, or 1,000,000, which peers refuse if privacy.horizon is less.",
		},
		{
			Name: "experiment.liars.pay", Default: "honest", Rule: config.OneOf("honest", "inside", "outside", "fork", "reversed", "late", "drift", "swapped", "near", "copycat", "patient"),
			Doc: "What liars claim that arms pay: inside is 1 for the worst arm and 0 for others, outside 1,000 and -1,000, fork is inside to half of the peers and the truth to the others, reversed 1 minus the truth, late the truth for half of the rounds and then reversed, drift a mean that moves evenly from the truth to reversed, swapped the means of the best and the worst arm over all sites, exchanged, near the truth, with the best arm 0.03 below the second best one, copycat the same of the best arm, and for the others the newest means of the first honest site, and patient all means of that site for a twentieth of the rounds, and then near.",
		},
		{
			Name: "experiment.liars.noise", Default: "honest", Rule: config.OneOf("honest", "quiet", "loud", "many"),
			Doc: "How much noise liars claim to be in their sums: what there is, next to none, 1,024 times the scale, or as many draws as rewards.",
		},
		{
			Name: "experiment.liars.messages", Default: "sound", Rule: config.OneOf("sound", "silent", "withheld", "malformed"),
			Doc: "Which messages liars send: an honest peer's, with the lies above in them; none, if they are silent; none about the best arm over all sites, if it is withheld; or malformed ones, with labels and arms that do not exist.",
		},
		{
			Name: "experiment.cost.hub", Default: "1", Rule: config.Number("a number from 0", func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }),
			Doc: "What a round costs in which releases go over a link of a peer without arms: c₁ of paper 003 (docs/lab/papers.md).",
		},
		{
			Name: "experiment.cost.link", Default: "1", Rule: config.Number("a number from 0", func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }),
			Doc: "What a round costs in which releases go over a link between peers with arms: c₂ of paper 003.",
		},
		{
			Name: "experiment.figure.kind", Default: "curves", Rule: config.OneOf("none", "curves", "final"),
			Doc: "What is drawn: curves is regret by round, one line for each cell; final is regret at the end against x.",
		},
		{
			Name: "experiment.figure.x", Default: `""`, Rule: axisText(),
			Doc: "What final is drawn against: spectral_gap, cost, bytes, or a setting that holds a number; cells that differ only in it are joined by a line; with cost and bytes, cells of one name are. Bytes are those on the wire that a peer sends in a run.",
		},
		{
			Name: "experiment.figure.regret", Default: "shared", Rule: config.OneOf(regrets()...),
			Doc: "Which regret final draws: against the best arm over all sites (shared), or against the best arm of each peer's own site (own), of odd sites alone where a cell has some (odd).",
		},
		{
			Name: "experiment.figure.panels", Default: "[]", Rule: panelList(),
			Doc: "Panels of final, in place of x and regret: each has an x, a regret (shared without one), and at, a setting=value of its cells. A panel against a setting shows the cells that sweep it.",
		},
		{
			Name: "experiment.figure.facet", Default: `""`, Rule: facetText(),
			Doc: "A setting, or name: each of its values in cells has a panel of its own, with the same axes.",
		},
		{
			Name: "experiment.figure.log", Default: "none", Rule: config.OneOf("none", "x", "y", "both"),
			Doc: "Which axes are logarithmic.",
		},
		{
			Name: "experiment.figure.bound", Default: "false", Rule: config.YesNo(),
			Doc: "Draw the asymptotic lower bound on regret, where one is computed: for rewards of 0 and 1 and peers that are neither alone nor liars; with experiment.figure.regret: own or odd the one without noise for sites that are alone.",
		},
		{
			Name: "experiment.figure.runs", Default: "0", Unit: "runs", Rule: config.Whole(0, 1000),
			Doc: "Runs of each cell that curves also show one by one, as thin lines, for means of runs that differ in kind.",
		},
		{
			Name: "experiment.figure.title", Default: `""`, Rule: config.Holds("text", func(reflect.Value) bool { return true }),
			Doc: "Title of the figure; if empty, the configuration's name.",
		},
	}
	for i := range all {
		all[i].Laboratory = true
	}
	return all
}

// shares allows lists of shares of rounds.
func shares() config.Rule {
	return config.Rule{Want: "a list of numbers over 0 up to 1: one for all sites, or several that sites take in turn", Check: func(v reflect.Value) string {
		list := v.Interface().([]float64)
		if len(list) == 0 {
			return "want a list of numbers over 0 up to 1; [1] is a decision in every round"
		}
		if _, want := world.CheckTraffic(world.Config{Traffic: list}); want != "" {
			return "want " + want
		}
		return ""
	}}
}

// span allows no rounds, or from one round to before another.
func span() config.Rule {
	return config.Holds("[] or [from, to] in rounds, from below to", func(v reflect.Value) bool {
		list := v.Interface().([]uint64)
		return len(list) == 0 || len(list) == 2 && list[0] < list[1]
	})
}

// graphText allows the short form of a topology.
func graphText() config.Rule {
	return config.Rule{Want: "a topology, such as ring or regular(4); `peerd topology --help` lists them", Check: func(v reflect.Value) string {
		if _, err := graphs.ParseSpec(v.String()); err != nil {
			return "want a topology; " + strings.TrimPrefix(err.Error(), "topology: ")
		}
		return ""
	}}
}
