package status

import (
	"fmt"
	"io"
	"strings"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
)

// Status writes the state of a peer and of its arms.
func Status(w io.Writer, d api.Status, arms []api.Arm) {
	_, _ = fmt.Fprintf(w, "%s %s\n%s of network %s\n", d.Name, d.State, d.ID, d.Network)
	_, _ = fmt.Fprintf(w, "round %s", round(&d))
	if d.Skipped > 0 {
		_, _ = fmt.Fprintf(w, "; since its start %s passed without this peer: before it joined, while it was stopped, or while it was late", terminal.Number(d.Skipped))
	}
	_, _ = fmt.Fprintln(w)
	_, _ = fmt.Fprintf(w, "privacy: ε %.4g is charged, in advance, for all that the site will ever release", d.Spent)
	if d.Left > 0 {
		_, _ = fmt.Fprintf(w, ", %.4g is left", d.Left)
	}
	_, _ = fmt.Fprintf(w, "; %s releases drawn, at least %s more are paid for\n", terminal.Number(d.Released), terminal.Number(d.Remaining))
	_, _ = fmt.Fprintf(w, "ledger: %d records, `peerd ledger show`; a recovery goes back to round %d, which neighbours confirmed\n", d.LedgerRecords, d.Confirmed)
	if d.Notice != "" && !strings.Contains(d.State, d.Notice) {
		_, _ = fmt.Fprintf(w, "NOTICE: %s\n", d.Notice)
	}
	if d.Clones > 0 {
		_, _ = fmt.Fprintf(w, "ALARM: keys are used twice, seen %d times: by another process with this peer's key, or in two signed histories of a ledger, which `peerd peers` names\n", d.Clones)
	}
	_, _ = fmt.Fprintf(w, "traffic: %s in, %s out, %d messages dropped, %d refused\n\n", columns.Bytes(d.BytesIn), columns.Bytes(d.BytesOut), d.Dropped, d.Refused)
	if d.ByFeatures > 0 {
		byFeatures(w, &d, arms)
	} else {
		estimates(w, &d, arms)
	}
	if d.Best != "" {
		_, _ = fmt.Fprintf(w, "%s is the best for this site's own users, with an error of at most 5 %% whenever one looks\n", terminal.Plain(d.Best))
	}
	if len(d.Drifted) > 0 {
		_, _ = fmt.Fprintf(w, "the mean of %s has changed for this site's own users (error at most 5 %%): a network with protocol.phases.window forgets old rewards\n", terminal.Plain(strings.Join(d.Drifted, ", ")))
	}
	alike(w, d.Alike)
	if d.StoppedNotice != "" {
		_, _ = fmt.Fprintf(w, "STOPPED: %s\n", d.StoppedNotice)
	}
	if d.Policy != "" {
		_, _ = fmt.Fprintf(w, "policy: %s\n", d.Policy)
	}
	if d.Users != "" {
		_, _ = fmt.Fprintf(w, "users: %s\n", d.Users)
	}
	if d.Gain != nil {
		_, _ = fmt.Fprintln(w, d.Gain.Sentence)
	}
}

// estimates writes what is known of arms.
func estimates(w io.Writer, d *api.Status, arms []api.Arm) {
	t := columns.New(w)
	t.Printf("ACTION\tCHOSEN\tESTIMATE\tREWARDS BEHIND IT\n")
	for k, a := range arms {
		pulls := "hidden"
		if k < len(d.Pulls) {
			pulls = fmt.Sprint(a.Pulls)
		}
		if a.Retired {
			pulls += ", retired"
		}
		t.Printf("%s\t%s\t%.4f\t%s\n", a.Name, pulls, a.Estimate, support(&a))
	}
	t.End()
}

// round returns the round of a peer, with the last one if there is one.
func round(d *api.Status) string {
	if d.Rounds == config.MostRounds {
		return terminal.Number(d.Round)
	}
	return terminal.Number(d.Round) + " of " + terminal.Number(d.Rounds)
}

// heard is how new a sign of life is that shows that a peer runs.
const heard = 15 * time.Second

// Peers writes the peers of a network, the links to them and what they have given.
func Peers(w io.Writer, ds []api.Peer) {
	t := columns.New(w)
	t.Printf("PEER\tLINK\tRTT\tIN\tOUT\tDROPPED\tREFUSED\tLAST SEEN\tGIVEN\tNOTE\n")
	for _, d := range ds {
		if d.LastError == api.Left && d.LastSeen.IsZero() {
			continue
		}
		link := d.State
		if d.State == string(gossip.None) {
			link = "-"
		}
		seen := "never"
		if !d.LastSeen.IsZero() {
			seen = time.Since(d.LastSeen).Round(100*time.Millisecond).String() + " ago"
		}
		note := d.LastError
		switch {
		case d.State == string(gossip.Up):
			note = ""
		case d.Neighbour && time.Since(d.LastSeen) < heard:
			note = strings.TrimSuffix("it runs, and is heard through others, but not linked: "+note, ": ")
		}
		if d.Alarm != "" {
			note = "ALARM: " + d.Alarm
		}
		given := "-"
		if d.Given > 0 {
			given = terminal.Number(d.Given)
		}
		t.Printf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", d.Name, link, d.RTT,
			columns.Bytes(d.BytesIn), columns.Bytes(d.BytesOut), d.Dropped, d.Refused, seen, given, strings.Trim(note+"; "+d.Gives, "; "))
	}
	t.End()
}
