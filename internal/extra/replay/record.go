// Package replay reads logs of applications that chose by a policy of their own, and reports their decisions and rewards to a
// peer in shadow mode, as the application would.
package replay

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"peerd.dev/node/decision"
)

// A Record is a decision of a log.
type Record struct {
	Line       int // of the file, where it begins
	Text       string
	Action     int     // its place among the log's actions, from 0
	Propensity float64 // with which the application took it
	Reward     float64 // from 0 to 1
}

// Format implements [fmt.Formatter]: a record holds a reward, so it is not printed.
func (Record) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// unmarked returns a log without a byte order mark.
func unmarked(log io.Reader) io.Reader {
	r := bufio.NewReader(log)
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		_, _ = r.Discard(3)
	}
	return r
}

// A LineError says what is wrong in a line of a log.
type LineError struct {
	Line int
	What string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// unread says why a line was not read.
func unread(line int, err error) error {
	cells := new(csv.ParseError)
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return wrong(line, "want a line of at most %d bytes", longestLine)
	case !errors.As(err, &cells):
		return wrong(line, "cannot be read: %v", err)
	case errors.Is(err, csv.ErrFieldCount):
		return wrong(cells.StartLine, "want as many cells as the first line has")
	}
	return wrong(cells.StartLine, "a quotation mark is alone: want two around a cell, and each in it doubled")
}

func wrong(line int, format string, args ...any) error {
	return &LineError{line, fmt.Sprintf(format, args...)}
}

// propensity reads a probability that a peer takes.
func propensity(line int, text string) (float64, error) {
	p, _ := strconv.ParseFloat(text, 64) // 0 if it is no number
	if want := decision.WrongPropensity(p); want != "" {
		return 0, wrong(line, "propensity %.40q: %s", text, want)
	}
	return p, nil
}
