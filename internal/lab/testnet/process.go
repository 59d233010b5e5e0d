package testnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"peerd.dev/internal/ask"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/api"
)

// Process is one peer of a testnet. It is held by its standard input: when that is
// closed, for whatever reason, the peer ends.
type Process struct {
	name  string
	dir   string
	log   string
	cmd   *exec.Cmd
	leash io.Closer
	gone  chan struct{} // closed when the process has ended
	err   error         // why; valid when gone
}

// StartProcess starts `exe run` in a peer's folder, its output in a log file.
func StartProcess(exe, dir, name, log string, args ...string) (*Process, error) {
	f, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the process has its own handle
	p := &Process{name: name, dir: dir, log: log, gone: make(chan struct{})}
	p.cmd = exec.Command(exe, append([]string{"run", "--leash", "-c", filepath.Join(dir, config.FileName)}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.cmd.Env = quietEnv()
	detach(p.cmd)
	if p.leash, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	return p, nil
}

// quietEnv is the environment without settings: the peers' come from their files.
func quietEnv() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, config.EnvPrefix) || strings.HasPrefix(e, "PEERD_DATA=") {
			env = append(env, e)
		}
	}
	return env
}

// Status asks the peer how it is. Of a site that keeps decisions it has what is inside, since there is no one to protect.
func (p *Process) Status(ctx context.Context) (api.Status, error) {
	d, err := daemon.AskStatus(ctx, p.dir)
	if err != nil {
		return d, err
	}
	in, err := ask.Inside(ctx, p.dir)
	switch {
	case in != nil && len(in.Actions) == 0: // by features
		d.Pulls = []uint64{in.Given + in.Kept} // of any action
	case in != nil:
		d.Pulls, d.Means = nil, nil
		for _, a := range in.Actions {
			d.Pulls, d.Means = append(d.Pulls, a.Decisions), append(d.Means, a.Estimate)
		}
	}
	return d, err
}

// Exited returns why the process has ended, or nil if it runs.
func (p *Process) Exited() error {
	select {
	case <-p.gone:
	default:
		return nil
	}
	e := &ExitedError{Code: 1, Name: p.name, Line: lastLine(p.log)}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) && exit.ExitCode() > 0 {
		e.Code = exit.ExitCode()
	}
	return e
}

// An ExitedError reports a peer's process that ended too early.
type ExitedError struct {
	Code int // of the process
	Name string
	Line string // the last of its log
}

func (e *ExitedError) Error() string { return fmt.Sprintf("%s ended early: %s", e.Name, e.Line) }

// Release lets the process go; it ends cleanly.
func (p *Process) Release() { _ = p.leash.Close() }

// Wait waits for the end of the process and forces it after a time.
func (p *Process) Wait(patience time.Duration) {
	select {
	case <-p.gone:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.gone
	}
}

// lastLine returns the end of a log.
func lastLine(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprintf("no word in %s", name)
}
