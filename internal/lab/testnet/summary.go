package testnet

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/experiment"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
)

// Document is the result of a testnet.
type Document struct {
	Nodes       int          `json:"nodes"`
	Topology    string       `json:"topology"`
	Protocol    string       `json:"protocol"`
	Private     bool         `json:"private"`
	Epsilon     float64      `json:"epsilon"` // -1 for infinity
	Rounds      uint64       `json:"rounds"`
	Together    float64      `json:"regret_together"` // mean over sites
	Alone       float64      `json:"regret_alone"`
	OwnTogether float64      `json:"own_regret_together"` // against the best arm of each site; 0 where arms have no means
	OwnAlone    float64      `json:"own_regret_alone"`
	OwnExpected float64      `json:"own_regret_expected,omitempty"` // together, if sites choose for their own users, in the mean of simulated runs to the end
	Groups      []Group      `json:"groups,omitempty"`
	Best        string       `json:"best_arm"`    // over all sites; empty where arms have no means
	Right       int          `json:"sites_right"` // that favour the best arm: over all sites, or their own if they choose for their own users
	Learners    int          `json:"sites_with_arms"`
	Skipped     uint64       `json:"rounds_skipped"`
	Bytes       uint64       `json:"bytes_sent"`
	Seconds     float64      `json:"seconds"`
	Sites       []api.Status `json:"sites"`
	Seeds       *Comparison  `json:"seeds,omitempty"`
}

func (t *Net) summary(all []api.Status, took time.Duration) Document {
	round, r := t.progress(all)
	n := plan.TestnetOf(t.Settings)
	d := Document{
		Nodes: n.Nodes, Topology: n.Topology, Protocol: t.Settings.Protocol.Name,
		Private: t.Settings.Mode == config.Live, Epsilon: float64(t.Settings.Privacy.Epsilon), Rounds: round,
		Together: r.together, Alone: r.alone, OwnTogether: r.ownTogether, OwnAlone: r.ownAlone, OwnExpected: r.expected, Groups: t.groups(all), Learners: t.Settings.SitesOf(n.Nodes), Seconds: took.Seconds(), Sites: all,
	}
	if t.Settings.Privacy.Epsilon.Infinite() {
		d.Epsilon = -1
	}
	if best := slices.Index(t.baseline.Gaps, 0); best >= 0 {
		d.Best = t.Settings.Arms[best]
	}
	for i, s := range all {
		if arg, _ := plan.ArgMax(s.Means); t.learns(i) && arg == t.best(i) {
			d.Right++
		}
		d.Skipped += s.Skipped
		d.Bytes += s.BytesOut
	}
	return d
}

// most is the greatest ε that a site has charged.
func (d *Document) most() (eps float64) {
	for _, s := range d.Sites {
		eps = max(eps, s.Spent)
	}
	return eps
}

// selfish reports whether sites choose for their own users, and the best action of each is known.
func (d *Document) selfish(s *config.Settings) bool {
	return bandit.TraitsOf(s.LearnerParams()).Selfish && d.Best != ""
}

// writeRegret prints what sites lose, against what they choose: the best arm of their own, or the one that is
// best over all sites.
func (d *Document) writeRegret(w io.Writer, s *config.Settings) {
	if d.selfish(s) {
		writeJoined(w, s, d.OwnTogether-d.OwnAlone)
		_, _ = fmt.Fprintf(w, "to expect is what sites lose together in the mean of %d simulated runs: %.1f less than alone\n", experiment.BaselineRuns, d.OwnAlone-d.OwnExpected)
		_, _ = fmt.Fprintf(w, "%d of %d sites favour the action that is best for their own users\n", d.Right, d.Learners)
		return
	}
	if len(d.Groups) == 0 {
		_, _ = fmt.Fprintf(w, "regret of a site   together %.1f   alone %.1f   (lower is better)\n", d.Together, d.Alone)
	}
	writeJoined(w, s, d.Together-d.Alone)
	if d.Best != "" {
		_, _ = fmt.Fprintf(w, "best action over all sites: %s; %d of %d sites favour it\n", d.Best, d.Right, d.Learners)
		_, _ = fmt.Fprintf(w, "of its own users' rewards a site loses   together %.1f   alone %.1f\n", d.OwnTogether, d.OwnAlone)
	}
}

// writeGroups prints what sites lose of their own users' rewards.
func (d *Document) writeGroups(w io.Writer, together, alone float64) {
	t := columns.New(w)
	t.Printf("REGRET OF A SITE, OF ITS OWN USERS' REWARDS\tTOGETHER\tALONE\tTO EXPECT\n")
	for _, g := range d.Groups {
		t.Printf("%s, %s\t%.1f\t%.1f\t%.1f\n", sitesText(g.Sites), g.Name, g.Together, g.Alone, g.Expected)
	}
	t.Printf("all\t%.1f\t%.1f\t%.1f\n", together, alone, d.OwnExpected)
	t.End()
}

// sitesText names a site, or says how many there are.
func sitesText(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%d sites", len(names))
}

// writeJoined says plainly what joining cost or saved.
func writeJoined(w io.Writer, s *config.Settings, cost float64) {
	what := "cost"
	if cost < 0 {
		what = "saved"
	}
	_, _ = fmt.Fprintf(w, "joining %s a site %.1f rewards, compared with being %s\n", what, math.Abs(cost), experiment.Alone(s))
}

// Write prints the summary.
func (d *Document) Write(w io.Writer, s *config.Settings) {
	_, _ = fmt.Fprintf(w, "\n%d rounds, %d processes, %.1f s\n", d.Rounds, d.Nodes, d.Seconds)
	if d.selfish(s) {
		d.writeGroups(w, d.OwnTogether, d.OwnAlone)
	} else if len(d.Groups) > 0 {
		d.writeGroups(w, d.Together, d.Alone)
	}
	d.say(w, s)
	if d.Seeds != nil {
		d.Seeds.write(w, s)
	}
}

// say prints the sentences of the summary, which the page has, too.
func (d *Document) say(w io.Writer, s *config.Settings) {
	d.writeRegret(w, s)
	if d.Private {
		_, _ = fmt.Fprintf(w, "privacy: only noised releases left the sites; ε charged %g of %g at the site that charged most\n", d.most(), d.Epsilon)
	} else {
		raw := ""
		if what := plan.ExperimentOf(s).Raw.String(); what != "" {
			raw = ", and " + what + " follow from raw records"
		}
		_, _ = fmt.Fprintf(w, "NOT PRIVATE: lockstep draws noise from a seed%s\n", raw)
	}
	if d.Skipped > 0 {
		_, _ = fmt.Fprintf(w, "%d rounds were skipped: this machine was too busy for rounds of %v\n", d.Skipped, s.Rounds.Every)
	}
}
