package evaluation

import (
	"fmt"
	"io"
	"text/tabwriter"

	"peerd.dev/internal/terminal"
)

// Print writes a report for people.
func (r *Report) Print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "POLICY\tDECISIONS\tWORTH\tIPS\tSNIPS\tDR\tGAIN")
	for _, e := range r.Estimates {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Policy, terminal.Number(e.Decisions), terminal.Number(uint64(e.Effective)),
			e.IPS, e.SNIPS, e.DR, e.Gain)
	}
	_ = t.Flush()
	_, _ = fmt.Fprintln(w)
	if r.Open > 0 {
		_, _ = fmt.Fprintf(w, "%s are left out, since their windows are not over.\n", counted(r.Open))
	}
	for _, s := range r.Warnings {
		_, _ = fmt.Fprintln(w, s)
	}
	_, _ = fmt.Fprintln(w, "Ranges hold 95 %. WORTH is how many decisions of the policy itself would say as much. GAIN is DR less what ran in the same decisions.")
	_, _ = fmt.Fprintln(w, Raw)
}

// Raw says what a report is.
const Raw = "This is RAW DATA for this site's own eyes: no noise was added, and no privacy budget covers it. Keep it as you keep the records that it comes from."

// String returns an estimate for people.
func (i *Interval) String() string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f (%.4f to %.4f)", i.Value, i.Low, i.High)
}
