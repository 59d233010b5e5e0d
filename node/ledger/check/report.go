package check

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node/ledger"
)

// A Report is what an export shows. Costs are in nano-ε, and nano-μ² of Gaussian noise.
type Report struct {
	Peer     string         `json:"peer"`
	Network  string         `json:"network"`
	Policy   ledger.Hash    `json:"policy"`
	Mode     ledger.Mode    `json:"mode"`
	Unit     string         `json:"unit"`
	Signed   bool           `json:"signed"` // false before the end of the export
	Records  uint64         `json:"records"`
	Next     uint64         `json:"next"` // number of the record after the last one
	Head     ledger.Hash    `json:"head"`
	Budget   dp.Cost        `json:"budget_nano_epsilon"`
	Delta    account.Delta  `json:"budget_atto_delta"`
	Charged  dp.Cost        `json:"charged_nano_epsilon"`
	Square   account.Square `json:"charged_nano_mu_squared"`
	Used     float64        `json:"epsilon_used"` // the ε of all charges at the budget's δ; -1 for infinity
	Releases uint64         `json:"releases"`
	Sealed   uint64         `json:"sealed"`       // releases that the file only commits to
	Round    uint64         `json:"newest_round"` // the newest of a release
	Groups   []GroupReport  `json:"groups"`
	Streams  []StreamReport `json:"streams"`
	Gaps     []GapReport    `json:"gaps"`
}

// A GroupReport is about one charge.
type GroupReport struct {
	What           string         `json:"what"`
	Stream         dp.StreamID    `json:"first_stream"`
	Streams        int            `json:"streams"`
	Mechanism      string         `json:"mechanism"`
	RecordsPerUser uint64         `json:"records_per_user"`
	Leaves         uint64         `json:"leaves"`
	Adjacency      string         `json:"adjacency"`
	Mode           string         `json:"mode"`
	Cost           dp.Cost        `json:"nano_epsilon"`
	Square         account.Square `json:"nano_mu_squared"`
	Law            string         `json:"law"`
	Scale          uint64         `json:"noise_scale"` // in units of 2^-20
}

// A StreamReport is about one stream.
type StreamReport struct {
	Stream   dp.StreamID `json:"stream"`
	Releases uint64      `json:"releases"`
	Leaf     uint64      `json:"leaf"` // the newest that was released
	Leaves   uint64      `json:"leaves"`
}

// A GapReport is about one restored backup.
type GapReport struct {
	Seq         uint64   `json:"seq"`
	Claimed     uint64   `json:"claimed"` // records that peers remember
	Had         uint64   `json:"had"`     // records that are here, or that an earlier gap counted as lost
	Lost        uint64   `json:"lost"`    // the other records that peers remember
	Incarnation uint32   `json:"incarnation"`
	GivenUp     uint64   `json:"given_up"` // leaves of all streams
	Since       uint64   `json:"since"`    // decisions may be lost from this round
	Round       uint64   `json:"round"`    // to this one
	Waiting     uint64   `json:"waiting"`  // decisions that no longer count
	Without     []string `json:"without"`  // ids of neighbours for which the recovery did not wait
}

// Report returns what the lines so far show.
func (v *Verifier) Report() Report {
	used, err := v.genesis.Budget.Used(v.charged)
	if err != nil || math.IsInf(used, 1) {
		used = -1
	}
	r := Report{
		Peer: v.genesis.Peer, Network: v.genesis.Network, Policy: v.genesis.Policy, Mode: v.genesis.Mode,
		Unit: v.genesis.Unit, Signed: v.ended, Records: v.chain.Next - v.skipped, Next: v.chain.Next, Head: v.chain.Head,
		Budget: v.genesis.Budget.Epsilon, Delta: v.genesis.Budget.Delta, Charged: v.charged.Pure, Square: v.charged.Square, Used: used, Sealed: v.sealed, Round: v.round,
		Groups: []GroupReport{}, Streams: []StreamReport{}, Gaps: append([]GapReport{}, v.gaps...),
	}
	for _, o := range v.opens {
		r.Groups = append(r.Groups, GroupReport{
			o.What, o.Stream, o.Streams, o.Mechanism.String(), o.RecordsPerUser, o.Leaves,
			o.Adjacency.String(), o.Mode.String(), o.Loss.Pure, o.Loss.Square, o.Mechanism.Law().String(), o.Scale,
		})
	}
	for i, s := range v.streams {
		r.Releases += s.releases
		r.Streams = append(r.Streams, StreamReport{dp.StreamID(i), s.releases, s.last, v.opens[s.open].Leaves})
	}
	return r
}

// maxRows bounds the lines that a report has for groups, streams and gaps each.
const maxRows = 20

// Write writes r for people.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what, format string, args ...any) {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	signed := "no signed end yet"
	if r.Signed {
		signed = "the end signed by that peer"
	}
	row("peer", "%s in network %q", r.Peer, r.Network)
	if r.Next == r.Records {
		row("records", "%d, every one in its place, %s", r.Records, signed)
	} else {
		row("records", "%d, every one in its place; %d lost, see the gaps; %s", r.Records, r.lost(), signed)
	}
	row("head", "%v", r.Head)
	row("privacy", "%s", r.privacy())
	row("unit", "%s", r.Unit)
	rows(len(r.Groups), func(i int) {
		row("opened", "%s", r.Groups[i])
		row("", "%s", r.Groups[i].noise())
	}, func(n int) { row("", "and %d more groups", n) })
	row("releases", "%d, each paid for, with the noise that was charged, and no leaf twice", r.Releases)
	if r.Sealed > 0 {
		row("", "the numbers of %d are not public, and not in this file", r.Sealed)
	}
	rows(len(r.Streams), func(i int) {
		s := r.Streams[i]
		row("", "stream %d: %d, up to leaf %d of %d", s.Stream, s.Releases, s.Leaf, s.Leaves)
	}, func(n int) { row("", "and %d more streams", n) })
	rows(len(r.Gaps), func(i int) { row("gap", "%s", r.Gaps[i]) }, func(n int) { row("", "and %d more gaps", n) })
	if r.Mode == ledger.Lockstep {
		row("lockstep", "NOT PRIVATE: noise came from seeds, and this is for simulated data")
	}
	for i, s := range r.unproved() {
		what := ""
		if i == 0 {
			what = "not shown"
		}
		row(what, "%s", s)
	}
	return t.Flush()
}

// privacy describes what is charged.
func (r *Report) privacy() string {
	charged, budget := account.Loss{Pure: r.Charged, Square: r.Square}, account.Budget{Epsilon: r.Budget, Delta: r.Delta}
	if r.Square == 0 {
		left := r.Budget
		if left != dp.Infinite {
			left -= r.Charged
		}
		return fmt.Sprintf("%s of %s charged, ε %s left; the charges add up", ledger.LossText(charged), ledger.BudgetText(budget), ledger.Exact(left))
	}
	return fmt.Sprintf("%s charged, which is ε %.6g with δ %v, of %s; the charges add up", ledger.LossText(charged), r.Used, r.Delta, ledger.BudgetText(budget))
}

// rows writes the first of n rows and how many more there are.
func rows(n int, each, more func(int)) {
	for i := range min(n, maxRows) {
		each(i)
	}
	if n > maxRows {
		more(n - maxRows)
	}
}

// String describes what was paid for.
func (g GroupReport) String() string {
	return fmt.Sprintf("%s, %s, leaves: %d each, records of a user: %d, %s, %s",
		g.What, ledger.StreamsText(g.Stream, g.Streams), g.Leaves, g.RecordsPerUser, g.Adjacency, ledger.LossText(account.Loss{Pure: g.Cost, Square: g.Square}))
}

// noise describes the noise that protects the group.
func (g GroupReport) noise() string {
	if g.Scale == 0 {
		return "no noise"
	}
	return fmt.Sprintf("%s, %s noise of scale %d/2^%d = %.4g, recomputed from the line above",
		g.Mechanism, g.Law, g.Scale, -dp.GridExponent, float64(g.Scale)/(1<<-dp.GridExponent))
}

// String describes what was lost.
func (g GapReport) String() string {
	without := ""
	if len(g.Without) > 0 {
		without = "; without the memory of " + strings.Join(g.Without, ", ")
	}
	return fmt.Sprintf("record %d: peers remembered %d records, %d of them lost here; leaves given up: %d; of rounds %d to %d; decisions that count no more: %d; continues as incarnation %d%s",
		g.Seq, g.Claimed, g.Lost, g.GivenUp, g.Since, g.Round, g.Waiting, g.Incarnation, without)
}

// lost returns how many records all gaps lost.
func (r *Report) lost() (n uint64) {
	for i := range r.Gaps {
		n += r.Gaps[i].Lost
	}
	return n
}

// unproved returns what a ledger cannot show.
func (r *Report) unproved() []string {
	u := []string{
		"that rewards were true, and no user gave more of them than the unit says",
		"that the program was peerd as published, and drew its noise from a good generator",
		"that everything the peer sent is in the ledger; compare with what other peers received",
		"that the peer keeps no second ledger; compare the head with other peers' and with earlier exports",
	}
	if n := len(r.Gaps); n > 0 {
		u = append(u, "what the lost records held; if they belong to a ledger with another beginning, that ledger charged a budget of its own",
			fmt.Sprintf("that a user counts no more than the unit says: whose decisions were lost is not known, so a user of the rounds of a gap who came again may count up to %d times what the unit says, and pay for as much", n+1))
	}
	if strings.TrimSpace(r.Unit) == "" {
		u = append(u, "whom the charges protect: the ledger names no unit")
	}
	return u
}
