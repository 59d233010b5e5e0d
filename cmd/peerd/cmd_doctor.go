package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"peerd.dev/node/api"
)

func newDoctor(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check a peer's folder, machine and neighbours, running or stopped",
		Long: `Check what a peer needs, a line each: PASS, WARN (it works, and somebody should know)
or FAIL, with what is wrong and how to mend it. The peer may run or be stopped;
it is left as it is, and no message is sent.

Of a stopped peer the whole ledger is verified, and each neighbour with an address is
dialled and asked whether it agrees on the network and how much it remembers of this
peer. That finds a folder that was restored from a backup before it is started.

The clock is compared with the network's start, with the times of the peer's files and
with itself. No time server is asked and peers do not tell each other the time, so a
clock that is wrong by less is not found: keep NTP running.

The exit code is 0 without a FAIL. Otherwise it is the first that applies: 4 for the
configuration, the network file or a neighbour that has other ones, 1 for the folder,
the machine or the ledger, 3 for the network.`,
		Example: `  peerd doctor --dir hospital-a
  peerd doctor --dir hospital-a --json | jq '.checks[] | select(.result != "PASS")'`,
		Args: cobra.NoArgs,
		RunE: o.run(func(ctx context.Context) error {
			d := &doctor{o: o}
			d.examine(ctx)
			if err := ctx.Err(); err != nil {
				return err
			}
			doc := d.document()
			if err := o.print(doc, doc.write); err != nil || doc.OK {
				return err
			}
			return &shownError{doc.Code}
		}),
	}
}

// A shownError ends the process with a code. What is wrong was shown as the result.
type shownError struct{ code code }

func (e *shownError) Error() string { return "not all is well" }

// Unwrap gives the error its code.
func (e *shownError) Unwrap() error { return &exitError{e.code, errors.New(e.Error())} }

// outcome is what a check comes to.
type outcome string

const (
	pass outcome = "PASS"
	warn outcome = "WARN"
	fail outcome = "FAIL"
)

// A finding is one line of a doctor's report.
type finding struct {
	Check  string  `json:"check"`
	Result outcome `json:"result"`
	Detail string  `json:"detail"`
	Remedy string  `json:"remedy,omitempty"`
	code   code    // of a FAIL
}

// A doctorDoc is the report.
type doctorDoc struct {
	OK       bool      `json:"ok"`
	Code     code      `json:"code"` // of the process
	Running  bool      `json:"running"`
	Checks   []finding `json:"checks"`
	warnings int
	failures int
}

// doctor examines a peer.
type doctor struct {
	o       *options
	c       *Config
	seat    *seat
	running bool
	status  api.Status // if running
	found   []finding
}

func (d *doctor) pass(check, format string, args ...any) {
	d.found = append(d.found, finding{Check: check, Result: pass, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, remedy, format string, args ...any) {
	d.found = append(d.found, finding{Check: check, Result: warn, Detail: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (d *doctor) fail(c code, check, remedy, format string, args ...any) {
	d.found = append(d.found, finding{Check: check, Result: fail, Detail: fmt.Sprintf(format, args...), Remedy: remedy, code: c})
}

// refuse enters an error of reading a file: a line for each problem of a refusal.
func (d *doctor) refuse(check, remedy string, err error) {
	var refused *refusal
	if !errors.As(err, &refused) {
		d.fail(severe(codeOf(coded(err))), check, remedy, "%v", err)
		return
	}
	for _, p := range refused.problems {
		d.fail(exitConfig, check, remedy, "%v", p)
	}
}

// severe returns the nearest of a doctor's codes.
func severe(c code) code {
	switch c {
	case exitConfig, exitNetwork:
		return c
	default:
		return exitUnexpected
	}
}

// examine makes all checks that can be made. What one finds out the next ones use.
func (d *doctor) examine(ctx context.Context) {
	if !d.configuration() {
		return
	}
	if !d.folder() {
		return
	}
	d.secrets()
	d.clock()
	d.disk()
	if !d.place() {
		return
	}
	unlock, ok := d.daemon(ctx)
	defer unlock()
	if !ok {
		return
	}
	d.ports()
	if d.running {
		d.links(ctx)
		d.budget()
		return
	}
	told := d.probe(ctx)
	d.ledger(told)
}

// configuration reads the settings. A refused configuration may still say where the
// folder is.
func (d *doctor) configuration() bool {
	c, err := d.o.load()
	if err == nil {
		d.c = c
		where := c.File
		if where == "" {
			where = "no file was read"
		}
		d.pass("configuration", "%s", where)
		return true
	}
	d.refuse("configuration", "mend it; `peerd config check` tries again", err)
	d.c, err = d.o.read()
	return err == nil
}

// place finds the peer in the network file.
func (d *doctor) place() bool {
	const again = "use the same file at every peer; docs/network.md says what it holds"
	if d.found[0].Result == fail { // what the settings are is not known
		return false
	}
	path := d.c.NetworkPath()
	n, err := readNetwork(path)
	if err != nil {
		d.refuse("network file", again, err)
		return false
	}
	d.seat, err = newSeat(&d.c.Settings)
	if err != nil {
		d.refuse("network file", again, err)
		return false
	}
	d.pass("network file", "%s: %d peers; this one is %s, with %d neighbours", path, len(n.Peers), n.Peers[d.seat.self].Name, len(d.seat.links))
	return true
}

// daemon finds out whether the peer runs. If not, the folder stays locked until
// unlock is called, so that the peer does not start while it is examined.
func (d *doctor) daemon(ctx context.Context) (unlock func(), ok bool) {
	err := api.Get(ctx, d.c.Dir, statusPath, &d.status)
	if err == nil {
		d.running = true
		d.life()
		return func() {}, true
	}
	if !errors.Is(err, api.ErrNotRunning) {
		d.fail(exitUnexpected, "peer", "look at its log", "runs, but does not say how it is: %v", err)
		return func() {}, false
	}
	unlock, err = lockDir(d.c.Dir)
	if err != nil {
		d.fail(exitUnexpected, "peer", "wait if it has just been started; else look at its log", "does not answer, but: %v", err)
		return func() {}, false
	}
	d.pass("peer", "stopped")
	return unlock, true
}

// life is about a running peer.
func (d *doctor) life() {
	switch s := d.status; {
	case s.DiskFull:
		d.fail(exitUnexpected, "peer", "make room on the disk; it goes on by itself", "runs, and takes nothing in: the disk is full")
	case s.Hold != "" && len(s.Addresses) == 0:
		d.fail(exitUnexpected, "peer", "docs/durability.md says what to do", "runs, keeps off the network and releases nothing: %s", s.Hold)
	case s.Hold != "":
		d.warn("peer", "see that its neighbours run", "runs, and releases nothing yet: %s", s.Hold)
	default:
		d.pass("peer", "runs, in round %d of %d", s.Round, s.Rounds)
	}
}

// document sums up.
func (d *doctor) document() doctorDoc {
	doc := doctorDoc{Checks: d.found, Running: d.running}
	for _, f := range d.found {
		switch f.Result {
		case pass:
		case warn:
			doc.warnings++
		case fail:
			doc.failures++
			if doc.Code == exitOK || f.code == exitConfig || doc.Code == exitNetwork {
				doc.Code = f.code
			}
		}
	}
	doc.OK = doc.failures == 0
	return doc
}

func (doc doctorDoc) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range doc.Checks {
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", f.Result, f.Check, oneLine(f.Detail))
		if f.Remedy != "" {
			_, _ = fmt.Fprintf(t, "\t\t→ %s\n", f.Remedy)
		}
	}
	_ = t.Flush()
	_, _ = fmt.Fprintf(w, "\n%d checks, %d failed, %d with a warning\n", len(doc.Checks), doc.failures, doc.warnings)
}

// oneLine takes out what would break a table.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
