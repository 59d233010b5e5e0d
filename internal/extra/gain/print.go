package gain

import (
	"fmt"
	"io"

	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
)

// Print writes what joining has gained.
func Print(w io.Writer, g *api.Gain) {
	_, _ = fmt.Fprintln(w, g.Sentence)
	if g.Saved == nil {
		return
	}
	first := ""
	if g.Simulated < g.Decisions {
		first = fmt.Sprintf(" (the first %s of them, alone)", terminal.Number(g.Simulated))
	}
	_, _ = fmt.Fprintf(w, "In %s decisions%s these have lost, against the best action for them:\n", terminal.Number(g.Decisions), first)
	for _, x := range []struct {
		name string
		r    *api.Range
	}{{"with the network", g.Together}, {"alone, simulated: without noise", g.Alone}, {"gained by joining", g.Saved}} {
		_, _ = fmt.Fprintf(w, "  %-35s %8.1f rewards (%.1f to %.1f)\n", x.name, x.r.Median, x.r.Low, x.r.High)
	}
	if g.Waited > 0 {
		_, _ = fmt.Fprintf(w, "Both waited for their first rewards: %s decisions at once.\n", terminal.Number(g.Waited))
	}
}
