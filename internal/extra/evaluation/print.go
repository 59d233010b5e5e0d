package evaluation

import (
	"fmt"
	"io"

	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
)

// Print writes a report for people.
func (r *Report) Print(w io.Writer) {
	t := columns.New(w)
	t.Printf("POLICY\tDECISIONS\tWORTH\tIPS\tSNIPS\tDR\tGAIN\n")
	for _, e := range r.Estimates {
		t.Printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Policy, terminal.Number(e.Decisions), terminal.Number(uint64(e.Effective)), e.IPS, e.SNIPS, e.DR, e.Gain)
	}
	t.End()
	_, _ = fmt.Fprintln(w)
	if r.Open > 0 {
		_, _ = fmt.Fprintf(w, "%s are left out, since their windows are not over.\n", counted(r.Open))
	}
	for _, s := range r.Warnings {
		_, _ = fmt.Fprintln(w, terminal.Plain(s))
	}
	_, _ = fmt.Fprintln(w, "Ranges hold 95 % at one look: of policies that gain nothing, one in four seems to gain or to lose at some look of 20. WORTH is how many decisions of the policy itself would say as much. GAIN is DR less what ran in the same decisions.")
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
