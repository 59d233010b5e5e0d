package testnet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/terminal"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/api"
)

// liveTable draws a table over and over: in place on a terminal, else a line every
// few seconds.
type liveTable struct {
	w     io.Writer
	tty   bool
	lines int // drawn last
	next  time.Time
}

func newLiveTable(w io.Writer) *liveTable { return &liveTable{w: w, tty: terminal.IsTerminal(w)} }

func (l *liveTable) every() time.Duration {
	if l.tty {
		return 250 * time.Millisecond
	}
	return 100 * time.Millisecond // to notice the end; lines come every 5 s
}

// show draws what f writes: wide is the whole table, else one line.
func (l *liveTable) show(last bool, f func(w io.Writer, wide bool)) {
	if !l.tty {
		if now := time.Now(); last || now.After(l.next) {
			l.next = now.Add(5 * time.Second)
			f(l.w, last)
		}
		return
	}
	var b bytes.Buffer
	f(&b, true)
	if l.lines > 0 {
		_, _ = fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.lines)
	}
	l.lines = bytes.Count(b.Bytes(), []byte("\n"))
	_, _ = l.w.Write(b.Bytes())
}

// write writes the state of all peers.
func (t *Net) write(w io.Writer, all []api.Status, wide bool) {
	round, r := t.progress(all)
	together, alone := r.shown(t.selfish())
	if !wide {
		var out uint64
		for _, d := range all {
			out += d.BytesOut
		}
		_, _ = fmt.Fprintf(w, "round %d/%d  regret together %.1f  alone %.1f  sent %s\n",
			round, t.Settings.RoundCount(), together, alone, columns.Bytes(out))
		return
	}
	const width = 30
	filled := int(float64(width) * float64(round) / float64(max(1, t.Settings.RoundCount())))
	_, _ = fmt.Fprintf(w, "\n[%s%s] round %d of %d   regret a site: together %.1f, alone %.1f\n",
		strings.Repeat("#", filled), strings.Repeat("-", width-filled), round, t.Settings.RoundCount(), together, alone)
	tw := columns.New(w)
	tw.Printf("SITE\tROUND\tREGRET\tFAVOURS\tε SPENT\tε LEFT\tRELEASES\tSENT\tRECEIVED\tLINKED\n")
	for i, d := range all {
		linked := "yes"
		if !d.LinksUp {
			linked = "no"
		}
		regret, favours := "-", "(no arms)"
		if t.learns(i) {
			r := t.regrets(all, []int{i})
			lost, _ := r.shown(t.selfish())
			regret, favours = fmt.Sprintf("%.1f", lost), "-"
			if t.baseline.Gaps != nil {
				arg, _ := plan.ArgMax(d.Means)
				favours = t.Settings.Arms[arg]
			}
		}
		tw.Printf("%s\t%d\t%s\t%s\t%.3g\t%.3g\t%d\t%s\t%s\t%s\n", t.Names[i], d.Round, regret,
			favours, d.Spent, d.Left, d.Released, columns.Bytes(d.BytesOut), columns.Bytes(d.BytesIn), linked)
	}
	tw.End()
}
