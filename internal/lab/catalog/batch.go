package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal/columns"
)

// A Part is one of several experiments that are played one after the other.
type Part struct {
	Name    string         // also of its folder
	Config  *config.Config // nil if it is skipped
	Skipped string         // why, as a sentence
}

// A Batch says what became of several experiments.
type Batch struct {
	Out     string      `json:"out"`
	Parts   []BatchPart `json:"experiments"`
	Seconds float64     `json:"seconds"`
}

// A BatchPart says what became of one of them.
type BatchPart struct {
	Name    string  `json:"name"`
	Out     string  `json:"out,omitempty"` // its folder
	Cells   int     `json:"cells,omitempty"`
	Seeds   uint64  `json:"seeds,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Skipped string  `json:"skipped,omitempty"`
	Failed  string  `json:"failed,omitempty"`
}

// PlayEach plays experiments in folders of their own below out, and says on w which. One that fails does not stop
// those after it; its error is among those returned. play fills in what it knows.
func PlayEach(ctx context.Context, w io.Writer, out string, parts []Part, play func(p *Part, done *BatchPart) error) (*Batch, error) {
	b := &Batch{Out: out}
	begin, failed := time.Now(), error(nil)
	for i := range parts {
		p := &parts[i]
		_, _ = fmt.Fprintf(w, "%s (%d of %d) %s\n", p.Name, i+1, len(parts), p.Skipped)
		done := BatchPart{Name: p.Name, Skipped: p.Skipped}
		if p.Skipped == "" {
			done.Out = filepath.Join(out, p.Name)
			err := play(p, &done)
			if ctx.Err() != nil {
				return nil, config.Failf(context.Canceled, "interrupted in %s; finished runs are kept, and the same command with -o %s goes on", p.Name, out)
			}
			if err != nil {
				if done.Failed = err.Error(); done.Cells == 0 {
					done.Out = "" // it has no results
				}
				failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name, err))
			}
		}
		b.Parts = append(b.Parts, done)
	}
	b.Seconds = time.Since(begin).Seconds()
	return b, failed
}

// Write prints a row for each experiment.
func (b *Batch) Write(w io.Writer) {
	t := columns.New(w)
	t.Printf("NAME\tCELLS\tSEEDS\tSECONDS\tRESULTS\n")
	for _, p := range b.Parts {
		t.Printf("%s\t%d\t%d\t%.1f\t%s\n", p.Name, p.Cells, p.Seeds, p.Seconds, p.Out+p.Skipped)
		if p.Failed != "" {
			t.Printf("\t\t\t\t%s\n", p.Failed)
		}
	}
	t.End()
	_, _ = fmt.Fprintf(w, "results  %s  %.1f s; `peerd experiment report FOLDER` prints the table of one\n", b.Out, b.Seconds)
}
