package claims

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"peerd.dev/internal/terminal/columns"
)

// Write prints the verdicts as a table, with a line for every statistic.
func (d *Document) Write(w io.Writer) {
	t := columns.New(w)
	verdict := "VERDICT"
	if d.Quick {
		verdict = "QUICK VERDICT"
	}
	t.Printf("ID\tSTATES\t%s\tSTATISTIC\tWANTED\tSEEDS\tSECONDS\n", verdict)
	for i := range d.Claims {
		c := &d.Claims[i]
		t.Printf("%s\t%s\t%s\t%s\t%s\t%d\t%.1f\n", c.ID, c.States, c.verdict(), c.line(0), c.want(0), c.Seeds, c.Core)
		for k := 1; k < len(c.Statistics); k++ {
			t.Printf("\t\t\t%s\t%s\t\t\n", c.line(k), c.want(k))
		}
	}
	t.End()
	_, _ = fmt.Fprintf(w, "%s.\nA claim holds if all its statistics are as wanted with their whole 95 %% intervals, and does not if one is wholly elsewhere.\nIntervals are each of 95 %% and not corrected for their number: by chance one of 40 lies wholly on the wrong side of its true\nvalue. Ratios are paired by seed; seconds are of one core.\n", d.count())
	if d.Quick {
		_, _ = fmt.Fprintln(w, "Quick forms have fewer rounds, and some fewer sites: a verdict of the full form may differ.")
	}
	_, _ = fmt.Fprintf(w, "results  %s  %.1f s\n", d.Out, d.Seconds)
}

// count says how many claims have which verdict.
func (d *Document) count() string {
	var parts []string
	for _, v := range []Verdict{Holds, Fails, TooClose, StandIn, Unjudged} {
		n := 0
		for i := range d.Claims {
			if d.Claims[i].Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("%d claims: %s", len(d.Claims), strings.Join(parts, ", "))
}

// verdict says a verdict, on a stand-in with what became of it there.
func (j *Judged) verdict() string {
	if j.There != "" {
		return fmt.Sprintf("%s: %s there", j.Verdict, j.There)
	}
	return string(j.Verdict)
}

// line says a statistic and, if it decides nothing, why.
func (j *Judged) line(k int) string {
	if k >= len(j.Statistics) {
		return j.Why
	}
	s := &j.Statistics[k]
	mark := ""
	if s.Verdict != Holds && len(j.Statistics) > 1 {
		mark = ": " + string(s.Verdict)
	}
	return s.What + ": " + s.Text + mark
}

func (j *Judged) want(k int) string {
	if k >= len(j.Statistics) {
		return ""
	}
	return j.Statistics[k].Wanted
}

// Page writes the page of claims in Markdown.
func (d *Document) Page(w io.Writer) {
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	p("# Claims\n\n")
	p("%s. `peerd experiment claims` plays the figures and makes this page; with `--quick`, in minutes, verdicts may differ.\n", d.count())
	p("[lab/papers.md](lab/papers.md) has the papers, and configs/claims.yaml the figures, and what is wanted of which cells.\n\n")
	if d.Quick {
		p("**This page is of quick forms**: fewer rounds, and some fewer sites.\n\n")
	}
	p("A claim **holds** if all its statistics are as wanted with their whole 95 %% intervals over seeds, and **does not hold** if one is wholly\n")
	p("elsewhere; otherwise, or with under %d seeds, it is **too close to call**. *Stand-in* is judged on other data than the paper's. Intervals are\n", fewest)
	p("not corrected for their number. Ratios are paired by seed, and wanted below 1 unless brackets say otherwise; in a chain each cell is\n")
	p("compared with the one before it. Played by %s.\n", strings.Join(d.Programs, " and "))
	for _, paper := range d.papers() {
		if paper == "peerd" {
			p("\n## Of this project\n")
		} else {
			p("\n## Paper %s\n", paper)
		}
		p("\n| claim | statistic | verdict | seeds |\n|---|---|---|---|\n")
		for i := range d.Claims {
			if c := &d.Claims[i]; c.Paper == paper {
				p("| **%s**, %s: %s | %s | %s | %d |\n", c.ID, c.Where, cell(c.States), cell(c.all()), cell(c.reasons()), c.Seeds)
			}
		}
	}
	if len(d.Errata) == 0 {
		return
	}
	p("\n## Errata of the papers\n\nEvidence is a claim above, a test, or a page.\n\n| paper | place | printed | right | evidence |\n|---|---|---|---|---|\n")
	for _, e := range d.Errata {
		p("| %s | %s | %s | %s | %s |\n", e.Paper, cell(e.Place), cell(e.Printed), cell(e.Right), e.link())
	}
}

// papers returns the papers of the claims, in their order.
func (d *Document) papers() (all []string) {
	for i := range d.Claims {
		all = append(all, d.Claims[i].Paper)
	}
	return slices.Compact(all)
}

// all says the statistics of a claim, and behind those with one wish, unless they are ratios below 1, what is wanted. What is compared
// with the cell before it is named alone; more than three cells with one result are counted.
func (j *Judged) all() string {
	var names []string
	text, last := "", ""
	for k := range j.Statistics {
		s := &j.Statistics[k]
		of, base, ok := strings.Cut(strings.ReplaceAll(s.What, " = ", "="), " to ")
		names = append(names, of)
		if ok && base != last {
			names[len(names)-1] += " to " + base
		}
		last = of
		if j.want(k) == j.want(k+1) && j.Statistics[k+1].Text == s.Text {
			continue
		}
		if len(names) > 3 {
			names = []string{fmt.Sprintf("%d cells", len(names))}
		}
		text += strings.Join(names, "; ") + strings.Replace(j.line(k)[len(s.What):], s.Text, plusMinus(s.Text), 1) + "; "
		if names = nil; j.want(k) != j.want(k+1) {
			if text, last = strings.TrimSuffix(text, "; "), ""; j.want(k) != "below 1" {
				text += " (*" + strings.ReplaceAll(j.want(k), " ± ", "±") + "*)"
			}
			text += "<br>"
		}
	}
	return strings.TrimSuffix(text, "<br>")
}

// plusMinus writes an interval around its middle with half of its length.
func plusMinus(text string) string {
	var mean, low, high float64
	_, _ = fmt.Sscanf(text, "%g (%g to %g)", &mean, &low, &high)
	value, ends, _ := strings.Cut(text, " (")
	end, _, _ := strings.Cut(ends, " ")
	_, digits, _ := strings.Cut(end, ".")
	if high <= low || math.Abs(mean-(low+high)/2) > 1.01*math.Pow10(-len(digits)) {
		return text
	}
	return fmt.Sprintf("%s±%.*f", value, len(digits), (high-low)/2)
}

// reasons says the verdict and the note.
func (j *Judged) reasons() string {
	text := "**" + string(j.Verdict) + "**"
	if j.There != "" {
		text += ": " + string(j.There) + " on " + j.StandIn
	}
	for _, more := range []string{j.Why, j.Note} {
		if more != "" {
			text += ". " + more
		}
	}
	return text
}

// cell makes a text fit into a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// link names the evidence of an erratum.
func (e *Erratum) link() string {
	switch {
	case strings.HasPrefix(e.Evidence, "Test"):
		return "`" + e.Evidence + "`"
	case strings.Contains(e.Evidence, ".md"):
		return fmt.Sprintf("[%s](%s)", e.Evidence, e.Evidence)
	}
	return "claim " + e.Evidence
}
