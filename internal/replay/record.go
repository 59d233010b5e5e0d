// Package replay reads logs of applications that chose by a policy of their own, and reports their decisions and rewards to a
// peer in shadow mode, as the application would.
package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
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

// ID returns the id of the record's decision: it follows from the file's name, the line's number and its text, so that a file
// that is imported again, or goes on, has no decision twice.
func (r *Record) ID(file string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", file, r.Line, r.Text))
	return "import-" + hex.EncodeToString(sum[:16])
}

// A LineError says what is wrong in a line of a log.
type LineError struct {
	Line int
	What string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

func wrong(line int, format string, args ...any) error {
	return &LineError{line, fmt.Sprintf(format, args...)}
}

// propensity reads a probability above 0.
func propensity(line int, text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p <= 1) {
		return 0, wrong(line, "propensity %q: want a number above 0, up to 1", text)
	}
	return p, nil
}
