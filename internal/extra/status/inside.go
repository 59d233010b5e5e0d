package status

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
)

// mostInside is how many actions have their rewards in the line.
const mostInside = 6

// Inside writes in a line what only the people of a site may see: decisions, and exact means of actions, with most rewards first.
func Inside(w io.Writer, d *api.Inside) {
	_, _ = fmt.Fprintf(w, "inside: %s decisions, %s of them given", terminal.Number(d.Given+d.Kept), terminal.Number(d.Given))
	all := slices.DeleteFunc(slices.Clone(d.Actions), func(a api.InsideAction) bool { return a.Rewards == 0 })
	slices.SortStableFunc(all, func(a, b api.InsideAction) int { return cmp.Compare(b.Rewards, a.Rewards) })
	for i, a := range all[:min(len(all), mostInside)] {
		between, unit := ",", ""
		if i == 0 {
			between, unit = ";", " rewards"
		}
		_, _ = fmt.Fprintf(w, "%s %s %.2f (%s%s)", between, terminal.Plain(a.Name), a.Mean, terminal.Number(uint64(math.Round(a.Rewards))), unit)
	}
	if more := len(all) - mostInside; more > 0 {
		_, _ = fmt.Fprintf(w, "; %d more are in /v1/inside", more)
	}
	_, _ = fmt.Fprintln(w)
	if d.Gain != nil {
		_, _ = fmt.Fprintln(w, d.Gain.Sentence)
	}
}
