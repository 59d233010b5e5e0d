// Package explain writes what a configuration promises its users, for a privacy officer: the
// promise, its noise, its horizon, and what is not covered.
package explain

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"time"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/config"
	"peerd.dev/node/site"
	"peerd.dev/protocol"
)

// A Document is what a configuration promises.
type Document struct {
	Head       headDoc       `json:"head"`
	File       string        `json:"file"`
	Private    bool          `json:"private"`
	World      string        `json:"world"`
	Unit       unitDoc       `json:"unit"`
	Budget     *budgetDoc    `json:"budget,omitempty"`
	Inside     *insideDoc    `json:"inside,omitempty"`   // of a site that keeps decisions
	Promises   []string      `json:"promises,omitempty"` // against some peers, where a protocol has several
	Mechanism  *mechanismDoc `json:"mechanism,omitempty"`
	Horizon    horizonDoc    `json:"horizon"`
	Error      *errorDoc     `json:"error,omitempty"`
	Users      []string      `json:"users,omitempty"` // how they are identified
	Public     []string      `json:"public"`
	Protected  []string      `json:"protected"`
	NotCovered []string      `json:"not_covered"`
	Warnings   []warningDoc  `json:"warnings"`
	Documents  []paperDoc    `json:"documents"`

	facts                     []claim
	publicItems, guardedItems []statement // of Public, and of Protected
}

type unitDoc struct {
	RecordsPerUser uint64 `json:"records_per_user"`
	Scope          string `json:"scope"`
	Adjacency      string `json:"adjacency"`
	Neighbours     string `json:"neighbours"`
	Against        string `json:"against"`
}

// A budgetDoc is the promise, and its charge in other units.
type budgetDoc struct {
	Epsilon     float64        `json:"epsilon"`
	NanoEpsilon dp.Cost        `json:"nano_epsilon"`
	Delta       float64        `json:"delta"`
	AttoDelta   account.Delta  `json:"atto_delta"`
	Used        float64        `json:"epsilon_used"` // the ε of the charge at that δ
	Square      account.Square `json:"nano_mu_squared"`
	Replaced    float64        `json:"epsilon_against_replacement"`
	Chance      float64        `json:"chance_from_even_odds"`
	Power       float64        `json:"power_at_5_percent_false_alarms"`
	Seen        [2]float64     `json:"of_10_percent"` // the probability of an event that has 10 % under a neighbour
	Mu          float64        `json:"gdp_mu"`
	Rho         float64        `json:"zcdp_rho"`
}

// A paperDoc is a page of the documentation on which the promise rests.
type paperDoc struct {
	Path  string `json:"path"`
	About string `json:"about"`
}

type mechanismDoc struct {
	Name        string  `json:"name"`
	About       string  `json:"about"`
	Protocol    string  `json:"protocol"`
	Streams     int     `json:"streams"`
	Spare       uint64  `json:"spare,omitempty"`    // leaves for actions that the network can add
	Features    int     `json:"features,omitempty"` // of an action, if records have features
	Centred     bool    `json:"centred,omitempty"`  // 1/2 is subtracted from rewards, and the last feature is 1/2
	Width       int     `json:"width"`              // numbers of a sum
	Leaves      uint64  `json:"leaves"`
	Leaf        string  `json:"leaf"` // what a leaf is called
	Law         string  `json:"law"`
	Norm        string  `json:"norm"`
	Column      float64 `json:"column"`      // that norm of the change in everything drawn, if one leaf changes by 1
	Sensitivity float64 `json:"sensitivity"` // of one record, in rewards
	Scale       float64 `json:"scale"`       // of the noise, in rewards
	ScaleGrid   uint64  `json:"scale_grid"`  // exactly, in units of 2^grid_exponent rewards
	Grid        int     `json:"grid_exponent"`
	SD          float64 `json:"sd"`                // of one term of the noise, in rewards
	Rewards     string  `json:"rewards,omitempty"` // how reports of an application become rewards from 0 to 1
}

type horizonDoc struct {
	Rounds   uint64     `json:"rounds"`
	Round    string     `json:"round"`
	Released string     `json:"released"` // when
	Lasts    string     `json:"lasts,omitempty"`
	Start    *time.Time `json:"start,omitempty"`
	End      *time.Time `json:"end,omitempty"`
}

// New returns the document of a valid configuration, printed at a time.
func New(c *config.Config, printed time.Time) (*Document, error) {
	s := &c.Settings
	charge, err := s.Charge()
	if err != nil {
		return nil, err
	}
	doc := &Document{
		File: c.File, Private: s.Mode == config.Live, World: s.World.Kind,
		Unit:       unitDoc{s.Privacy.RecordsPerUser, "this site", charge.Adjacency.String(), neighboursText(&charge), againstText},
		Users:      users(s),
		NotCovered: uncovered(s),
		Documents:  papers(s, &charge),
		Inside:     insideOf(s),
		Warnings:   []warningDoc{},
		facts:      standings(s, charge),
	}
	doc.publicItems, doc.guardedItems = publicThings(s, doc), protectedThings(s, doc)
	doc.Public, doc.Protected = texts(doc.publicItems), texts(doc.guardedItems)
	network, err := knownNetwork(s)
	if err != nil {
		return nil, err
	}
	doc.Head, doc.Horizon = headOf(s, network, printed), horizonOf(s, network)
	if charge.Mechanism == dp.None {
		return doc, nil
	}
	if doc.Budget, err = budgetOf(s, charge); err != nil {
		return nil, err
	}
	if p, ok := s.ProtocolParams().(protocol.Promising); ok {
		doc.Promises = p.Promises(charge, s.Privacy.Delta)
	}
	n := newNoise(s, charge)
	peers, source := s.Simulated().Peers, "testnet.nodes"
	if network != nil {
		peers, source = len(network.Peers), "the network file"
	}
	sites := s.SitesOf(peers)
	if network != nil && sites == 0 {
		return nil, &config.Refusal{What: "configuration, with network file " + s.NetworkPath() + ",", Problems: s.CheckNetwork(network)}
	}
	doc.Mechanism = mechanismOf(s, n)
	doc.Error = n.document(s.Privacy.Rounds(), sites, source)
	doc.Error.LeastNoise = leastNoise(s, n)
	if doc.Private {
		doc.Warnings = warnings(s, doc, n, network)
	}
	return doc, nil
}

// knownNetwork returns the network file, or nil if there is none.
func knownNetwork(s *config.Settings) (*config.Network, error) {
	if _, err := os.Stat(s.NetworkPath()); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return config.ReadNetwork(s.NetworkPath())
}

// budgetOf returns what a charge means.
func budgetOf(s *config.Settings, charge dp.Charge) (*budgetDoc, error) {
	b, err := s.Privacy.Budget()
	if err != nil {
		return nil, err
	}
	l := charge.Loss
	doc := &budgetDoc{Epsilon: b.Epsilon.Float(), NanoEpsilon: b.Epsilon, Delta: b.Delta.Float(), AttoDelta: b.Delta, Square: l.Square}
	var errs [7]error
	doc.Used, errs[0] = b.Used(l)
	doc.Chance, errs[1] = l.Chance()
	doc.Power, errs[2] = l.Power(0.05)
	mu, rho := l.Square.Mu(), account.Rho(float64(l.Square)/account.Nano/2)
	if l.Square == 0 {
		mu, errs[3] = account.MuOf(l.Pure)
		rho, errs[4] = account.RhoOf(l.Pure)
	}
	doc.Mu, doc.Rho = float64(mu), float64(rho)
	doc.Replaced, errs[5] = replaced(s, charge, b)
	doc.Seen, errs[6] = seenIn(l)
	return doc, errors.Join(errs[:]...)
}

// replaced returns the ε to which the same noise amounts if records are replaced by any others.
func replaced(s *config.Settings, charge dp.Charge, b account.Budget) (float64, error) {
	other := *s
	other.Privacy.Adjacency = dp.ReplaceOne.String()
	replace, err := other.Asked()
	if err != nil {
		return 0, err
	}
	times := float64(replace.Scale) / float64(charge.Scale) // of two costs at one scale
	switch {
	case charge.Adjacency == dp.AddOrRemove:
		times = 2 // one user's records are removed and another's added
	case charge.Loss.Square > 0:
		times *= math.Sqrt(float64(replace.Loss.Square) / float64(charge.Loss.Square))
	default:
		times *= float64(replace.Loss.Pure) / float64(charge.Loss.Pure)
	}
	return b.Used(account.Loss{
		Pure:   dp.Cost(math.Ceil(float64(charge.Loss.Pure) * times)),
		Square: account.Square(math.Ceil(float64(charge.Loss.Square) * times * times)),
	})
}

// mechanismOf describes the noise in the sums of a charge.
func mechanismOf(s *config.Settings, n noise) *mechanismDoc {
	c := &n.charge
	doc := &mechanismDoc{
		Name: c.Mechanism.String(), About: c.Mechanism.Describe().Summary, Protocol: s.Protocol.Name,
		Streams: c.Streams, Spare: s.SpareArms, Width: c.Width(), Leaves: c.Leaves, Leaf: s.Cadence().Noun, Law: c.Mechanism.Law().String(), Norm: "L1",
		Rewards: rewards(s), Sensitivity: math.Ldexp(float64(c.Change()), dp.GridExponent),
		Scale:     math.Ldexp(float64(c.Scale), dp.GridExponent),
		ScaleGrid: c.Scale, Grid: dp.GridExponent,
		SD: n.rewards(dp.Noise{Law: c.Mechanism.Law(), Scale: c.Scale, VarianceUnits: dp.VarianceScale}.Variance()),
	}
	if c.Shape == dp.Linear || c.Shape == dp.Corner {
		doc.Features, doc.Centred = c.Dim, c.Lo < 0
	}
	loss := c.Loss.Pure.Float()
	if c.Mechanism.Law() == dp.Gaussian {
		doc.Norm = "L2"
		loss = float64(c.Loss.Square.Mu())
	}
	doc.Column = doc.Scale * loss / doc.Sensitivity / float64(c.RecordsPerUser)
	return doc
}

// horizonOf describes how long the budget lasts.
func horizonOf(s *config.Settings, network *config.Network) horizonDoc {
	h := s.Privacy.Rounds()
	doc := horizonDoc{Rounds: h, Round: config.DurationText(s.Rounds.Every), Released: s.Cadence().Text()}
	if s.Mode != config.Live {
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

const againstText = "anyone who sees everything that the peer sends, with sizes, order and times: all other peers together, the network between them, and the actions that applications see elsewhere"

// neighboursText describes the neighbouring histories.
func neighboursText(c *dp.Charge) string {
	if c.Shape == dp.Linear || c.Shape == dp.Corner {
		by := "other features and another reward from 0 to 1"
		if c.Adjacency == dp.ZeroOut {
			by = "features and a reward of 0"
		}
		return "two histories of this site that differ in all records of that user, each replaced by one with " + by
	}
	by := "another from 0 to 1"
	switch c.Adjacency {
	case dp.ZeroOut:
		by = "0"
	case dp.AddOrRemove:
		return "two histories of this site, one with all decisions and rewards of that user and one without"
	case dp.ReplaceOne:
	}
	return "two histories of this site that differ in all rewards of that user, each replaced by " + by
}

// papers lists what to read.
func papers(s *config.Settings, c *dp.Charge) []paperDoc {
	records := paperDoc{"docs/proofs/records.md", "how far one record can move a sum"}
	if c.Adjacency == dp.AddOrRemove {
		records = paperDoc{"docs/proofs/counts.md", "noised counts hide who was there, and what one user's records move"}
	}
	list := []paperDoc{
		{"docs/privacy.md", "the promise, and how the program keeps it"},
		{proofOf(c.Mechanism), "sums with this noise are private, with choices that follow from releases"},
		{"docs/proofs/promise.md", "the promise as one theorem, with its assumptions"},
		records,
		{"docs/proofs/samplers.md", "the noise is drawn exactly"},
		{"docs/proofs/skip.md", "a folder that was restored pays nothing twice"},
		{"docs/proofs/account.md", "what epsilon means in other currencies"},
		{"docs/mechanisms.md", "which mechanism has how much noise"},
		{"docs/ledger.md", "what a peer has spent and released, for anyone to verify"},
	}
	if s.Privacy.Answers == config.Inside {
		list = slices.Insert(list, 3, paperDoc{"docs/proofs/kept.md", "what is given and what is kept, and what both need of the world"})
	}
	return list
}

// users returns sentences on how the users of an application are identified and how many
// rewards each may have.
func users(s *config.Settings) []string {
	if s.World.Kind != config.Application {
		return nil
	}
	k := s.Privacy.RecordsPerUser
	after, further, most := "decision", "answered but not learnt from", "reward"
	if s.Privacy.Answers == config.Inside {
		after, further, most = "given decision", "kept", "decision"
	}
	return []string{
		fmt.Sprintf("a decision names its user as subject; after %s of a subject, further ones are %s", config.Counted(k, after), further),
		"a subject's name never leaves the site and is not stored: a salted hash is",
		fmt.Sprintf("a decision without a subject is refused if api.subject is required (it is %s); else nothing caps these, and the application promises at most %s a user", s.API.Subject, config.Counted(k, most)),
	}
}

// uncovered lists what the promise does not cover.
func uncovered(s *config.Settings) []string {
	list := []string{"the actions themselves, for those who see them at the site"}
	if s.Privacy.Answers == config.Inside {
		list[0] += ": kept ones follow from rewards of the site's own users"
		list = append(list, "what follows from answers to kept decisions, or from numbers that only the site may see, and can be seen elsewhere: what is left to offer, who comes again, a change of the network")
	}
	switch people := s.Simulated(); {
	case s.World.Kind == config.Application:
		list = append(list, "a user without a subject in the application's requests, or under several")
	case people.Records > 0: // the world caps the records of each
	default:
		list = append(list, "a user with more than "+config.Counted(s.Privacy.RecordsPerUser, "reward"))
	}
	if s.API.Shadow != site.NoShadow {
		list = append(list, "what the application's own policy shows by how it treats other users: what was taken for a user is protected with the user's reward, what follows from it elsewhere is not")
	}
	return append(list,
		"a user of several sites: each promises for itself, and the epsilons add up",
		"anyone who reads the site's memory or disk",
		"a folder that was restored from a backup or runs twice, if no neighbour remembers it or its operator overrides them",
		"timing below a round: messages leave when a round's arithmetic is done",
	)
}

// proofOf returns the page that proves a mechanism private.
func proofOf(m dp.Mechanism) string { return "docs/proofs/" + m.Describe().Family + ".md" }
