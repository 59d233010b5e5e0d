package audit

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// A Report is what an audit found.
type Report struct {
	Passed    bool     `json:"passed"`
	Broken    []string `json:"broken"`   // the broken promises, in words
	Epsilon   float64  `json:"epsilon"`  // claimed
	Delta     float64  `json:"delta"`    // claimed
	Presence  bool     `json:"presence"` // histories differ in whether a user was there
	Mechanism string   `json:"mechanism"`
	Measure   string   `json:"measure"` // of the charge and of all bounds: ε, or μ of Gaussian noise
	Protocol  string   `json:"protocol"`
	Learner   string   `json:"learner"` // with its parameters
	Seed      uint64   `json:"seed"`    // 0: noise as for a daemon
	Runs      int      `json:"runs"`    // of every history
	Plays     uint64   `json:"plays"`
	Peers     int      `json:"peers"`
	Arms      int      `json:"arms"`
	Rounds    uint64   `json:"rounds"`   // of a play
	Horizon   uint64   `json:"horizon"`  // as configured
	Untested  int      `json:"untested"` // nodes for which only what a record moves can be checked
	Canaries  []Canary `json:"canaries"`
	Checks    []Check  `json:"checks"`
	Tests     []Test   `json:"tests"`
	TestsAt   float64  `json:"tests_at"` // P below which a test alarms
}

// alarm is the probability that any test of noise gives a false alarm.
const alarm = 1e-3

func (a *auditor) report() *Report {
	s, privacy := a.c.small(), a.c.Spec.Privacy
	r := &Report{
		Presence: a.c.Presence || privacy.NoisedCounts(),
		Epsilon:  privacy.Budget.Epsilon.Float(), Delta: privacy.Budget.Delta.Float(),
		Mechanism: privacy.Mechanism.String(), Measure: measure(privacy.Mechanism.Law()).String(),
		Protocol: s.spec.Protocol.Words().Name, Learner: fmt.Sprintf("%s %+v", a.c.Spec.Learner.Words().Name, a.c.Spec.Learner), Seed: a.c.Seed, Runs: a.c.Runs,
		Plays: a.c.Plays(), Peers: Peers, Arms: s.spec.Arms, Rounds: s.rounds, Horizon: privacy.Horizon,
		Untested: a.noise.untested, Canaries: a.found, Checks: a.exact.checks, Broken: []string{},
	}
	for _, t := range a.asIs.tests(true) {
		t.Name += ", horizon as configured"
		r.Tests = append(r.Tests, t)
	}
	r.Tests = append(r.Tests, a.noise.tests(false)...)
	r.TestsAt = alarm / float64(max(1, len(r.Tests)))
	for _, c := range r.Canaries {
		if c.Bound.Low99 > c.Bound.Charged {
			r.Broken = append(r.Broken, fmt.Sprintf("%s is at least %.3f, by canary %s and the %s; %.3f was charged", r.Measure, c.Bound.Low99, c.Name, c.Bound.Statistic, c.Bound.Charged))
		}
	}
	for _, c := range r.Checks {
		if c.Broken > 0 {
			r.Broken = append(r.Broken, fmt.Sprintf("%s: %d of %d are broken; the first: %s", c.Name, c.Broken, c.Asked, c.Example))
		}
	}
	for _, t := range r.Tests {
		if t.P < r.TestsAt {
			r.Broken = append(r.Broken, fmt.Sprintf("%s: p = %.2g%s", t.Name, t.P, paren(t.Detail)))
		}
	}
	r.Passed = len(r.Broken) == 0
	return r
}

// Write writes the report for people.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) } // Flush returns the errors
	noise := "as a daemon's"
	if r.Seed != 0 {
		noise = fmt.Sprintf("from seed %d", r.Seed)
	}
	p("played\t%d times: %d peers, protocol %s, learner %s, %d arms, %d rounds (horizon configured: %d); noise %s", r.Plays, r.Peers, r.Protocol, r.Learner, r.Arms, r.Rounds, r.Horizon, noise)
	p("noise by\tmechanism %s", r.Mechanism)
	user := "one user's rewards all 0 or all 1"
	if r.Presence {
		user = "one user absent, or there with rewards of 1"
	}
	p("with\tlost and repeated messages, restarts, and %s", user)
	p("")
	if r.Delta == 0 {
		p("ε claimed\t%v", r.Epsilon)
	} else {
		p("claimed\tε = %v with δ = %v; below is the μ of Gaussian noise that keeps this", r.Epsilon, r.Delta)
	}
	p("CANARY\tRUNS\tCHARGED\tREACH\t%s ≥ (95 %%)\t%s ≥ (99 %%)\tBY\tWHAT", r.Measure, r.Measure)
	for _, c := range r.Canaries {
		p("%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%s\t%s", c.Name, c.Bound.Runs, c.Bound.Charged, c.Bound.Reach, c.Bound.Low95, c.Bound.Low99, c.Bound.Statistic, c.What)
	}
	p("")
	p("CHECK\tASKED\tBROKEN\tWHAT")
	for _, c := range r.Checks {
		p("%s\t%d\t%d\t%s", c.Name, c.Asked, c.Broken, c.What)
	}
	p("")
	p("NOISE\tNODES\tP\tSAW")
	for _, c := range r.Tests {
		p("%s\t%d\t%.2g\t%s", c.Name, c.N, c.P, c.Detail)
	}
	p("a test alarms below\t\t%.1g", r.TestsAt)
	p("")
	if r.Passed {
		p("PASS: nothing was found. An audit cannot show that nothing is there:")
		for _, l := range r.limits() {
			p("  - %s", l)
		}
	} else {
		p("FAIL: the promise is broken")
		for _, b := range r.Broken {
			p("  - %s", b)
		}
	}
	return t.Flush()
}

// limits lists what an audit cannot show.
func (r *Report) limits() []string {
	all := []string{
		"it plays these histories and no others; the proofs in docs/proofs are for all",
		"a loss that is a little over what is charged: docs/audit.md has the losses that each number of runs can detect",
		"times below a round, the disk, the memory, the API and the actions: they are not played",
		"the quality of the operating system's generator, and noise that an attacker knows",
	}
	if r.Untested > 0 {
		all = append(all, fmt.Sprintf("the law of %d nodes of which sums said something before they could be separated; what a record moves was tested for them", r.Untested))
	}
	return all
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) + " %" }

func count(n int) string { return strconv.Itoa(n) }

func paren(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
