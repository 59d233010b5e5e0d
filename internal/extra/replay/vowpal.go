package replay

import (
	"bufio"
	"io"
	"iter"
	"strconv"
	"strings"
)

// Costs are the least and the greatest cost of a log: a cost c becomes the reward (Most - c) / (Most - Least).
type Costs struct{ Least, Most float64 }

// longestLine of a log, in bytes.
const longestLine = 1 << 20

// Vowpal reads Vowpal Wabbit's text form cb, in which every line is a decision, "action:cost:probability | features", whose
// actions count from 1. Lines without a cost, which only ask for a prediction, are passed over. Features are not used.
func Vowpal(r io.Reader, costs Costs) iter.Seq2[Record, error] {
	return paragraphs(r, false, func(p *paragraph) (Record, bool, error) {
		text := p.lines[0]
		if strings.HasPrefix(text, "shared") {
			return Record{}, false, wrong(p.line, "this is the form cb_adf: want --format vw-adf")
		}
		r, ok, err := label(p.line, text, costs)
		if ok && r.Action < 0 {
			err = wrong(p.line, "want an action from 1; if lines of a paragraph are one decision, want --format vw-adf")
		}
		return r, ok, err
	})
}

// VowpalADF reads Vowpal Wabbit's text form cb_adf, in which a paragraph is a decision: a line "shared | features", if there
// are shared features, then a line for each action, of which the one that was taken begins with "number:cost:probability". The
// actions count by their place. Paragraphs without a cost are passed over. Features are not used.
func VowpalADF(r io.Reader, costs Costs) iter.Seq2[Record, error] {
	return paragraphs(r, true, func(p *paragraph) (r Record, ok bool, err error) {
		place := -1
		for i, text := range p.lines {
			if strings.HasPrefix(text, "shared") && i == 0 {
				continue
			}
			place++
			at, has, err := label(p.line+i, text, costs)
			switch {
			case err != nil:
				return r, false, err
			case has && ok:
				return r, false, wrong(p.line+i, "a second action of the paragraph has a cost: want one")
			case has:
				r, ok = at, true
				r.Action, r.Line, r.Text = place, p.line, strings.Join(p.lines, "\n")
			}
		}
		return r, ok, nil
	})
}

// paragraph has the lines of a decision.
type paragraph struct {
	line  int // of the file, of the first
	lines []string
}

// paragraphs yields what read makes of every paragraph, or of every line.
func paragraphs(r io.Reader, whole bool, read func(p *paragraph) (Record, bool, error)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := bufio.NewScanner(unmarked(r))
		lines.Buffer(nil, longestLine)
		var p paragraph
		send := func() bool {
			if len(p.lines) == 0 {
				return true
			}
			record, ok, err := read(&p)
			p.lines = nil
			return !ok && err == nil || yield(record, err) && err == nil
		}
		n := 1
		for ; lines.Scan(); n++ {
			text := strings.TrimSpace(lines.Text())
			if text == "" {
				if !send() {
					return
				}
				continue
			}
			if len(p.lines) == 0 {
				p.line = n
			}
			p.lines = append(p.lines, text)
			if !whole && !send() {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Record{}, unread(n, err))
			return
		}
		send()
	}
}

// label reads the label of a line, and whether it has one with a cost. Other actions may be listed with it, and a tag may
// follow.
func label(line int, text string, costs Costs) (r Record, ok bool, err error) {
	before, _, found := strings.Cut(text, "|")
	if !found {
		return r, false, wrong(line, "no |: want action:cost:probability | features")
	}
	for _, word := range strings.Fields(before) {
		parts := strings.Split(word, ":")
		if strings.HasPrefix(word, "'") || len(parts) == 1 {
			continue
		}
		if len(parts) != 3 || ok {
			return r, false, wrong(line, "%.40q: want one label action:cost:probability; other labels of Vowpal Wabbit are not read", before)
		}
		ok = true
		r = Record{Line: line, Text: text}
		if r.Action, err = strconv.Atoi(parts[0]); err != nil {
			return r, false, wrong(line, "want a whole number for the action")
		}
		r.Action--
		cost, err := strconv.ParseFloat(parts[1], 64)
		if err != nil || !(cost >= costs.Least && cost <= costs.Most) {
			return r, false, wrong(line, "the cost is not from %v to %v: --costs LEAST,MOST has the range", costs.Least, costs.Most)
		}
		r.Reward = (costs.Most - cost) / (costs.Most - costs.Least)
		if r.Propensity, err = propensity(line, parts[2]); err != nil {
			return r, false, err
		}
	}
	return r, ok, nil
}
