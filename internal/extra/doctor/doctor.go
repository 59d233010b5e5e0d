// Package doctor checks a peer's folder, machine and neighbours, running or stopped.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/explain"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node"
	"peerd.dev/node/api"
)

// Outcome is the result of a check.
type Outcome string

// The outcomes.
const (
	Pass Outcome = "PASS"
	Warn Outcome = "WARN"
	Fail Outcome = "FAIL"
)

// A Finding is one line of a doctor's report.
type Finding struct {
	Check  string  `json:"check"`
	Result Outcome `json:"result"`
	Detail string  `json:"detail"`
	Remedy string  `json:"remedy,omitempty"`
	kind   error   // of a FAIL
}

// A Report is what a doctor found. Kind is the kind of error that it amounts to; nil if all is
// well or nothing more is known.
type Report struct {
	OK       bool
	Kind     error
	Running  bool
	Checks   []Finding
	warnings int
	failures int
}

// doctor examines a peer.
type doctor struct {
	load       func() (*config.Config, error)
	read       func() (*config.Config, error)
	c          *config.Config
	deployment *daemon.Deployment
	running    bool
	status     api.Status // if running
	found      []Finding
}

func (d *doctor) pass(check, format string, args ...any) {
	d.found = append(d.found, Finding{Check: check, Result: Pass, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, remedy, format string, args ...any) {
	d.found = append(d.found, Finding{Check: check, Result: Warn, Detail: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (d *doctor) fail(kind error, check, remedy, format string, args ...any) {
	d.found = append(d.found, Finding{Check: check, Result: Fail, Detail: fmt.Sprintf(format, args...), Remedy: remedy, kind: kind})
}

// refuse adds the error of reading a file, with a line for each problem of a refusal.
func (d *doctor) refuse(check, remedy string, err error) {
	var refused *config.Refusal
	if !errors.As(err, &refused) {
		d.fail(severe(err), check, remedy, "%v", err)
		return
	}
	for _, p := range refused.Problems {
		d.fail(config.ErrRefused, check, remedy, "%v", p)
	}
}

// severe returns which of a doctor's kinds an error has.
func severe(err error) error {
	for _, kind := range []error{config.ErrRefused, config.ErrNetwork} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return config.ErrUnexpected
}

// Examine checks the peer of the configuration that load returns. If load fails, it uses the one
// that read returns, of which only keys and types are checked.
func Examine(ctx context.Context, load, read func() (*config.Config, error)) *Report {
	d := &doctor{load: load, read: read}
	d.examine(ctx)
	return d.report()
}

// examine makes all checks that can be made. Later checks use the results of earlier ones.
func (d *doctor) examine(ctx context.Context) {
	if !d.configuration() {
		return
	}
	if !d.folder() || !d.socket() {
		return
	}
	d.secrets()
	d.clock()
	d.disk()
	if !d.place() {
		return
	}
	d.offered()
	unlock, ok := d.daemon(ctx)
	defer unlock()
	if !ok {
		return
	}
	d.ports(ctx)
	if d.running {
		d.links(ctx)
		d.budget()
		return
	}
	remembered := d.probe(ctx)
	d.ledger(remembered)
}

// configuration reads the settings. Even a refused configuration may contain the folder.
func (d *doctor) configuration() bool {
	c, err := d.load()
	if err == nil {
		d.c = c
		where := c.File
		if where == "" {
			where = "no file was read"
		}
		d.pass("configuration", "%s", where)
		for _, l := range explain.LosingIn(&c.Settings) {
			d.warn("configuration", l.Do, "%s: %s", l.Key, l.What)
		}
		if why := c.NothingGiven(); why != "" {
			d.pass("giving", "%s", why)
		}
		return true
	}
	d.refuse("configuration", "fix it; `peerd config check` tries again", err)
	d.c, err = d.read()
	return err == nil
}

// place finds the peer in the network file.
func (d *doctor) place() bool {
	const again = "use the same file at every peer; docs/network.md says what it holds"
	if d.found[0].Result == Fail { // the settings are not known
		return false
	}
	path := d.c.NetworkPath()
	n, err := config.ReadNetwork(path)
	if err != nil {
		d.refuse("network file", again, err)
		return false
	}
	d.deployment, err = daemon.NewDeployment(&d.c.Settings)
	if err != nil {
		d.refuse("network file", again, err)
		return false
	}
	d.pass("network file", "%s: %d peers; this one is %s, with %d neighbours", path, len(n.Peers), n.Peers[d.deployment.Self].Name, len(d.deployment.Links))
	return true
}

// daemon finds out whether the peer runs. If not, the folder stays locked until unlock is called,
// so that the peer does not start during the examination.
func (d *doctor) daemon(ctx context.Context) (unlock func(), ok bool) {
	var err error
	d.status, err = daemon.AskStatus(ctx, d.c.Dir)
	if err == nil {
		d.running = true
		d.life()
		d.users()
		return func() {}, true
	}
	if !errors.Is(err, api.ErrNotRunning) {
		d.fail(config.ErrUnexpected, "peer", "look at its log", "runs, but does not say how it is: %v", err)
		return func() {}, false
	}
	unlock, err = daemon.LockDir(d.c.Dir)
	if err != nil {
		d.fail(config.ErrUnexpected, "peer", "wait if it has just been started; otherwise read its log", "does not answer, but: %v", err)
		return func() {}, false
	}
	d.pass("peer", "stopped")
	return unlock, true
}

// life reports on a running peer.
func (d *doctor) life() {
	switch s := d.status; {
	case s.DiskFull:
		d.fail(config.ErrUnexpected, "peer", "free space on the disk; the peer resumes by itself", "runs, and %s", s.State)
	case s.BlockedReason != "" && len(s.Addresses) == 0:
		d.fail(config.ErrUnexpected, "peer", "docs/durability.md says what to do", "runs, keeps off the network and %s", s.State)
	case s.Learning == string(node.Waits):
		d.warn("peer", "see that this clock is right and NTP runs; docs/durability.md#the-clock says how to go on", "runs, and %s", s.State)
	case s.BlockedReason != "":
		d.warn("peer", "see that its neighbours run", "runs, and %s", s.State)
	default:
		d.pass("peer", "runs, in round %d; it %s", s.Round, s.State)
	}
	if ahead := d.status.ClockAhead; ahead != nil {
		by := time.Duration(*ahead * float64(time.Second))
		if text := daemon.WrongClock(by, d.deployment.Network.Every); text != "" {
			d.warn("clock of others", "set the clock and keep NTP running", "%s", text)
		} else {
			d.pass("clock of others", "this one is %v ahead, as their median", by.Round(time.Millisecond))
		}
	}
	if text := d.status.DocumentNotice; strings.HasPrefix(text, daemon.Split) {
		d.fail(config.ErrNetwork, "document", "docs/network.md#two-versions", "%s", text)
	} else if text != "" {
		d.warn("document", "docs/network.md#signers", "%s", text)
	}
	if text := d.status.StoppedNotice; text != "" {
		d.warn("stopped sites", fmt.Sprintf("start %s again, or take it out with `peerd network remove`: estimates then rest on the others", d.status.Stopped[0].Name), "%s", text)
	}
	if drifted := d.status.Drifted; len(drifted) > 0 {
		d.warn("means", "a network with protocol.phases.window forgets old rewards", "the mean of %s has changed for this site's own users, with an error of at most 5 %%", strings.Join(drifted, ", "))
	}
}

// users finds out whether decisions name their users, whom the promise is for.
func (d *doctor) users() {
	text := d.status.Users
	if d.c.Privacy.Counts == config.NoisedCounts && d.c.World.Kind == config.Application && d.c.API.Subject != config.Required {
		text = "decisions may name no user (api.subject: optional), and how many do is hidden (privacy.counts: noised)"
	}
	if text != "" {
		d.warn("users", "send subject with each decision, then set api.subject: required", "%s", text)
	}
}

// report makes the report.
func (d *doctor) report() *Report {
	doc := &Report{Checks: d.found, Running: d.running}
	for _, f := range d.found {
		switch f.Result {
		case Pass:
		case Warn:
			doc.warnings++
		case Fail:
			doc.failures++
			if doc.failures == 1 || errors.Is(f.kind, config.ErrRefused) || errors.Is(doc.Kind, config.ErrNetwork) {
				doc.Kind = f.kind
			}
		}
	}
	doc.OK = doc.failures == 0
	return doc
}

func (doc *Report) Write(w io.Writer) {
	t := columns.New(w)
	for _, f := range doc.Checks {
		t.Printf("%s\t%s\t%s\n", f.Result, f.Check, oneLine(f.Detail))
		if f.Remedy != "" {
			t.Printf("\t\t→ %s\n", f.Remedy)
		}
	}
	t.End()
	_, _ = fmt.Fprintf(w, "\n%d checks, %d failed, %d with a warning\n", len(doc.Checks), doc.failures, doc.warnings)
}

// oneLine removes what would break a table.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
