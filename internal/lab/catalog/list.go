package catalog

import (
	"fmt"
	"io"
	"strconv"

	"peerd.dev/internal/terminal/columns"
)

// A List is the catalog as a document.
type List struct {
	Figures []Figure `json:"figures"`
	Seconds float64  `json:"quick_seconds"` // of all quick forms
}

// NewList returns all figures.
func NewList() *List {
	l := &List{Figures: Figures()}
	for _, f := range l.Figures {
		l.Seconds += f.Seconds
	}
	return l
}

// Write prints a row for each figure.
func (l *List) Write(w io.Writer) {
	t := columns.New(w)
	t.Printf("NAME\tPAPER\tFIGURE\tQUICK, S\tFULL, MIN\tSHOWS\n") // the widest last, for narrow terminals
	for _, f := range l.Figures {
		shows := f.Shows
		if f.Needs != "" {
			shows += " (PEERD_DATA/" + f.Needs + ")"
		}
		t.Printf("%s\t%s\t%s\t%.0f\t%s\t%s\n", f.Name, f.Paper, f.Figure, f.Seconds, f.Full(), shows)
	}
	t.End()
	_, _ = fmt.Fprintf(w, "%d figures; times are of two cores, and all quick forms together take %.1f minutes.\n`peerd experiment run NAME --quick` plays one, and `run all --quick` all.\n",
		len(l.Figures), l.Seconds/60)
}

// Full writes the minutes of the whole figure.
func (f *Figure) Full() string {
	if f.Minutes == 0 {
		return "not timed"
	}
	return strconv.FormatFloat(f.Minutes, 'g', -1, 64)
}
