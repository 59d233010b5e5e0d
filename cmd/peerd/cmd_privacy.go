package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node/site"
)

func newPrivacy(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "Say what a configuration promises its users",
		Long: `Say what a configuration promises its users. What a peer has spent and released is
in its ledger, see peerd ledger.`,
		Example: `  peerd privacy explain -c peerd.yaml`,
		Args:    cobra.NoArgs,
		RunE:    help,
	}
	cmd.AddCommand(newPrivacyExplain(o))
	return cmd
}

func newPrivacyExplain(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "explain",
		Short: "Print a page for a privacy officer: promise, noise, horizon, what is not covered",
		Long: `Print a page for a privacy officer: who is protected, against whom and how far, by
which noise, for how long, what the noise does to the results, what is public and what
is not covered. It is made from the configuration and, for the date on which the budget
ends, the network file if there is one. No peer has to run.

Of everything that can be predicted, the noise is: the page warns where it is greater
than what is to be learnt, and says which setting would halve it.`,
		Example: `  peerd privacy explain -c configs/application.yaml
  peerd privacy explain --dir hospital-a --json | jq .mechanism
  peerd privacy explain -c configs/rows.yaml --set privacy.epsilon=0.1`,
		Args: cobra.NoArgs,
		RunE: o.run(func(context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			doc, err := c.explain()
			if err != nil {
				return err
			}
			return o.print(doc, func(w io.Writer) { doc.write(w, &c.Settings) })
		}),
	}
}

// A privacyDoc is what a configuration promises.
type privacyDoc struct {
	File       string        `json:"file"`
	Private    bool          `json:"private"`
	World      string        `json:"world"`
	Unit       unitDoc       `json:"unit"`
	Budget     *budgetDoc    `json:"budget,omitempty"`
	Mechanism  *mechanismDoc `json:"mechanism,omitempty"`
	Horizon    horizonDoc    `json:"horizon"`
	Error      *errorDoc     `json:"error,omitempty"`
	Users      []string      `json:"users,omitempty"` // how they are told apart
	Public     []string      `json:"public"`
	NotCovered []string      `json:"not_covered"`
	Warnings   []warningDoc  `json:"warnings"`
	Documents  []paperDoc    `json:"documents"`
}

type unitDoc struct {
	RecordsPerUser uint64 `json:"records_per_user"`
	Scope          string `json:"scope"`
	Neighbours     string `json:"neighbours"`
	Against        string `json:"against"`
}

type budgetDoc struct {
	Epsilon     float64 `json:"epsilon"`
	NanoEpsilon dp.Cost `json:"nano_epsilon"`
	Delta       float64 `json:"delta"`
	Chance      float64 `json:"chance_from_even_odds"`
	Power       float64 `json:"power_at_5_percent_false_alarms"`
	Mu          float64 `json:"gdp_mu"`
	Rho         float64 `json:"zcdp_rho"`
}

// A paperDoc is a page of the documentation on which the promise rests.
type paperDoc struct {
	Path  string `json:"path"`
	About string `json:"about"`
}

type mechanismDoc struct {
	Name        string  `json:"name"`
	Protocol    string  `json:"protocol"`
	Streams     int     `json:"streams"`
	Leaves      uint64  `json:"leaves"`
	Levels      int     `json:"levels"`       // nodes that a leaf lies in, at most
	Most        int     `json:"nodes_in_sum"` // at most
	Sensitivity float64 `json:"sensitivity"`  // of one record, in rewards
	Scale       float64 `json:"scale"`        // in rewards
	ScaleGrid   uint64  `json:"scale_grid"`   // exactly, in units of 2^grid_exponent rewards
	Grid        int     `json:"grid_exponent"`
	SD          float64 `json:"sd"` // of the noise in one node, in rewards
}

type horizonDoc struct {
	Rounds   uint64     `json:"rounds"`
	Round    string     `json:"round"`
	Released string     `json:"released"` // when
	Lasts    string     `json:"lasts,omitempty"`
	Start    *time.Time `json:"start,omitempty"`
	End      *time.Time `json:"end,omitempty"`
}

// explain returns the document of a valid configuration.
func (c *Config) explain() (*privacyDoc, error) {
	s := &c.Settings
	doc := &privacyDoc{
		File: c.File, Private: s.Mode == Slots, World: s.World.Kind,
		Unit:       unitDoc{s.Privacy.RecordsPerUser, "this site", neighboursText, againstText},
		Users:      s.users(),
		Public:     s.publicThings(),
		NotCovered: s.uncovered(),
		Documents:  papers(),
		Warnings:   []warningDoc{},
	}
	network, err := s.knownNetwork()
	if err != nil {
		return nil, err
	}
	doc.Horizon = s.horizon(network)
	charge, err := s.Charge()
	if err != nil {
		return nil, err
	}
	if charge.Mechanism == dp.None {
		return doc, nil
	}
	if doc.Budget, err = budgetOf(charge.Loss.Pure); err != nil {
		return nil, err
	}
	n := s.noise(charge)
	sites, source := s.Testnet.Nodes, "testnet.nodes"
	if network != nil {
		sites, source = len(network.Peers), "the network file"
	}
	_, most := ones(charge.Leaves)
	doc.Mechanism = &mechanismDoc{
		Name: "binary tree with discrete Laplace noise in every node", Protocol: s.Protocol.Name,
		Streams: charge.Streams, Leaves: charge.Leaves, Levels: n.levels(), Most: int(most),
		Sensitivity: math.Ldexp(float64(charge.Hi-charge.Lo), dp.GridExponent),
		Scale:       math.Ldexp(float64(charge.Scale), dp.GridExponent),
		ScaleGrid:   charge.Scale, Grid: dp.GridExponent, SD: n.node,
	}
	doc.Error = n.document(s.Privacy.Horizon, sites, source)
	if doc.Private {
		doc.Warnings = s.warnings(doc, n, network)
	}
	return doc, nil
}

// knownNetwork returns the network file, or nil if there is none.
func (s *Settings) knownNetwork() (*Network, error) {
	if _, err := os.Stat(s.NetworkPath()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return readNetwork(s.NetworkPath())
}

func budgetOf(cost dp.Cost) (*budgetDoc, error) {
	chance, err1 := account.Chance(cost)
	power, err2 := account.Power(cost, 0.05)
	mu, err3 := account.MuOf(cost)
	rho, err4 := account.RhoOf(cost)
	return &budgetDoc{cost.Float(), cost, 0, chance, power, float64(mu), float64(rho)}, errors.Join(err1, err2, err3, err4)
}

// horizon says how long the budget lasts.
func (s *Settings) horizon(network *Network) horizonDoc {
	h := s.Privacy.Horizon
	doc := horizonDoc{Rounds: h, Round: durationText(s.Rounds.Every), Released: "after every reward"}
	if s.Protocol.Name == "rows" {
		doc.Released = "every " + counted(s.Protocol.Rows.Every, "round")
	}
	if s.Mode != Slots {
		doc.Round = "as fast as it is computed"
		return doc
	}
	doc.Lasts = spanText(float64(h) * s.Rounds.Every.Seconds())
	if network != nil && h <= uint64(math.MaxInt64/s.Rounds.Every) {
		start := network.Start.UTC()
		end := start.Add(s.Rounds.Every * time.Duration(h))
		doc.Start, doc.End = &start, &end
	}
	return doc
}

const (
	neighboursText = "two histories of this site that differ in all rewards of that user, each replaced by another from 0 to 1"
	againstText    = "everybody who sees all that the peer sends, with sizes, order and times: all other peers together, the network between them, and the actions that applications see elsewhere"
)

// papers lists what to read.
func papers() []paperDoc {
	return []paperDoc{
		{"docs/privacy.md", "the promise, and how the program keeps it"},
		{"docs/proofs/tree.md", "the noisy tree is private, with choices that follow from releases"},
		{"docs/proofs/samplers.md", "the noise is drawn exactly"},
		{"docs/proofs/skip.md", "a folder that was restored pays nothing twice"},
		{"docs/proofs/account.md", "what epsilon means in other currencies"},
		{"docs/ledger.md", "what a peer has spent and released, for anyone to verify"},
	}
}

// users says how an application's users are told apart and capped.
func (s *Settings) users() []string {
	if s.World.Kind != Application {
		return nil
	}
	k := s.Privacy.RecordsPerUser
	return []string{
		fmt.Sprintf("a decision may name its user as subject; after %s of a subject, further ones are answered and not learnt from", counted(k, "decision")),
		"a subject's name never leaves the site and is not stored: a salted hash is",
		"decisions without a subject are not capped: then it is the application that promises at most " + counted(k, "reward") + " a user",
	}
}

// publicThings lists what is released without noise.
func (s *Settings) publicThings() []string {
	list := []string{"which actions were taken, in which order, and how often each: choices follow from released numbers alone"}
	if s.Protocol.Name == "rows" {
		list = append(list, "how many rewards of every action each row holds")
	} else {
		list = append(list, "how many rewards every action has had, after every round")
	}
	switch {
	case s.World.Kind != Application:
	case s.API.Settle == site.OnArrival:
		list = append(list, "that a decision was made, for which action, and when, to a round; with api.settle: arrival also when its reward was reported, and whether")
	default:
		list = append(list, fmt.Sprintf("that a decision was made, for which action, and when, to a round; not when its reward was reported, or whether (api.settle: window): what was reported within %s counts at its end, and what was not counts as %v",
			durationText(s.API.Window), s.API.DefaultReward))
	}
	return append(list, "when, to whom and how much the peer sends; these settings and the network file")
}

// uncovered lists what the promise does not speak of.
func (s *Settings) uncovered() []string {
	list := []string{"the actions themselves, for those who see them at the site"}
	switch s.World.Kind {
	case Application:
		list = append(list, "a user without a subject in the application's requests, or under several")
	case "replay": // caps the records of each
	default:
		list = append(list, "a user with more than "+counted(s.Privacy.RecordsPerUser, "reward"))
	}
	return append(list,
		"a user of several sites: each promises for itself, and the epsilons add up",
		"whoever reads the site's memory or disk",
		"a folder that was restored from a backup or runs twice, where no neighbour remembers it or its operator overrides them",
		"timing below a round: messages leave when a round's arithmetic is done",
	)
}
