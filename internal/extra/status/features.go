package status

import (
	"fmt"
	"io"
	"math"
	"strings"

	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
)

// mostEffects is how many effects have a column.
const mostEffects = 6

// byFeatures writes what a learner by features knows.
func byFeatures(w io.Writer, d *api.Status, arms []api.Arm) {
	names := ""
	if len(d.Features) > 0 {
		names = ": " + terminal.Plain(strings.Join(d.Features, ", "))
	}
	_, _ = fmt.Fprintf(w, "learns by features, %s numbers%s\n", terminal.Number(uint64(d.ByFeatures)), names)
	behind := "0"
	if len(arms) > 0 && arms[0].Samples > 0 {
		if behind = support(&arms[0]); behind == "-" {
			behind = terminal.Number(uint64(math.Round(arms[0].Samples)))
		}
	}
	_, _ = fmt.Fprintf(w, "rewards behind what is known: %s\n", behind)
	if d.Error > 0 && d.Error < 1 {
		_, _ = fmt.Fprintf(w, "the estimated reward of any features is at most %.2g off, with probability .99\n", d.Error)
	}
	if d.Raised > 0 {
		_, _ = fmt.Fprintf(w, "in %d of %d directions of features the noise is greater than what the records say: few decisions differ in these\n", d.Raised, d.ByFeatures)
	}
	effects(w, arms)
}

// effects writes what is known of actions with only a feature of their own.
func effects(w io.Writer, arms []api.Arm) {
	if len(arms) == 0 || len(arms[0].Effects) == 0 {
		return
	}
	_, _ = fmt.Fprintln(w)
	t := columns.New(w)
	shown := min(mostEffects, len(arms[0].Effects))
	t.Printf("ACTION\tREWARD")
	for _, e := range arms[0].Effects[:shown] {
		if e.Category != "" {
			e.Feature += "=" + e.Category
		}
		t.Printf("\t%s", e.Feature)
	}
	for _, a := range arms {
		if t.Printf("\n%s", a.Name); a.Retired {
			t.Printf(", retired")
		}
		t.Printf("\t%.2f ± %.2f", a.Estimate, a.Error)
		for _, e := range a.Effects[:min(shown, len(a.Effects))] {
			t.Printf("\t%+.2f ± %.2f", e.Change, e.Error)
		}
	}
	t.Printf("\n")
	t.End()
	_, _ = fmt.Fprintln(w, "REWARD is the mean in the middle of all features; a column is what the upper end of a range, or a category, adds; ± is a standard error")
	if more := len(arms[0].Effects) - shown; more > 0 {
		_, _ = fmt.Fprintf(w, "%d more columns are in /v1/arms\n", more)
	}
}

// support returns what is behind the estimate of an arm, such as "1,240 own, 3,400 borrowed from 6 sites".
func support(a *api.Arm) string {
	if a.Own == 0 && a.Sites == 0 {
		return "-"
	}
	number := func(x float64) string { return terminal.Number(uint64(math.Round(x))) }
	text := number(a.Own) + " own"
	switch a.Sites {
	case 0:
		return text
	case 1:
		return fmt.Sprintf("%s, %s borrowed from 1 site", text, number(a.Borrowed))
	}
	return fmt.Sprintf("%s, %s borrowed from %d sites", text, number(a.Borrowed), a.Sites)
}

// mostAlike is how many other sites are named.
const mostAlike = 5

// alike writes which sites are like this one.
func alike(w io.Writer, all []api.Alike) {
	if len(all) == 0 {
		return
	}
	var named []string
	for _, o := range all[:min(len(all), mostAlike)] {
		named = append(named, fmt.Sprintf("%s %.2g", o.Name, o.Apart))
	}
	more := ""
	if n := len(all) - mostAlike; n > 0 {
		more = fmt.Sprintf(", and %d more, up to %.2g", n, all[len(all)-1].Apart)
	}
	_, _ = fmt.Fprintf(w, "sites by how far their means are from the ones here: %s%s\n", strings.Join(named, ", "), more)
}
