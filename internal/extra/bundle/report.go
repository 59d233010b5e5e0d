package bundle

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Write writes r for people.
func (r *Report) Write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(what, format string, args ...any) {
		_, _ = fmt.Fprintf(t, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	row("site", "%s in network %s, by key %s", r.Site, r.Network, r.Peer)
	row("made", "%s, by the site's clock", r.Made.Format(time.RFC3339))
	row("promise", "%s", r.Promise)
	row("ledger", "%d records, %d releases, each paid for; head %v", r.Ledger.Records, r.Ledger.Releases, r.Ledger.Head)
	row("used", "ε %.6g with δ %v", r.Ledger.Used, r.Ledger.Delta)
	row("network", "version %d, each signed by its signers", r.Version)
	for _, m := range r.Members {
		row("", "%s: %s", m.Name, m.Standing)
	}
	for i, x := range r.Witnesses {
		what := ""
		if i == 0 {
			what = "witnesses"
		}
		if x.Records == 0 {
			row(what, "%s: has signed nothing about this ledger", x.Name)
		} else {
			row(what, "%s: saw records 0 to %d at %s", x.Name, x.Records-1, x.Time.Format(time.RFC3339))
		}
	}
	row("build", "%s", strings.TrimSpace(r.Build.text()))
	row("", "SHA-256 of the program: %s", r.Build.SHA256)
	for i, text := range r.unproved() {
		what := ""
		if i == 0 {
			what = "not shown"
		}
		row(what, "%s", text)
	}
	_ = t.Flush()
}

// text returns what the program says of itself, on one line.
func (p *Program) text() string {
	var b strings.Builder
	p.Write(&b)
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n", "; ")
}

// unproved returns what the bundle cannot show.
func (r *Report) unproved() []string {
	seen := uint64(0)
	for _, x := range r.Witnesses {
		seen = max(seen, x.Records)
	}
	after := "whether this is the site's only ledger: no neighbour has signed anything about it"
	if seen > 0 {
		after = fmt.Sprintf("whether the records from %d on are the only ones: no neighbour has signed anything about them", seen)
	}
	if seen == r.Ledger.Next {
		after = "that the witnesses do not lie together with the site"
	}
	return []string{
		after,
		"that rewards were true, and no user gave more of them than the promise says",
		"that the program is the one that it says it is: compare its SHA-256 with the release's",
		"that the clocks of the site and of its witnesses were right",
	}
}
