// Package columns writes tables for people.
package columns

import (
	"fmt"
	"io"
	"text/tabwriter"

	"peerd.dev/internal/terminal"
)

// A Table aligns columns.
type Table struct{ t *tabwriter.Writer }

// New returns a table that is written to w when it ends.
func New(w io.Writer) Table { return Table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// Printf writes cells, after each of which format has a tab, or a line feed at the end of a row. Text among args
// is written by [terminal.Plain], so that no name ends a cell.
func (t Table) Printf(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = terminal.Plain(text)
		}
	}
	_, _ = fmt.Fprintf(t.t, format, args...) // what w refuses is its owner's to report
}

// End writes the table.
func (t Table) End() { _ = t.t.Flush() }

// Bytes writes a number of bytes for people.
func Bytes(n uint64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d B", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
