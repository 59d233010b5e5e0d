package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// limit bounds the tests of one package with one mutant.
const limit = 3 * time.Minute

// An outcome is what became of a mutant.
type outcome string

// The outcomes.
const (
	killed   outcome = "killed"
	survived outcome = "SURVIVES"
	harmless outcome = "harmless"
	endless  outcome = "NO END" // and the table does not say that this kills it
	broken   outcome = "BROKEN" // it does not apply, or does not compile
)

// A trial is a mutant with what became of it.
type trial struct {
	mutant
	outcome outcome
	by      string // the test that failed, or the error
	took    time.Duration
}

// good reports whether that is how it should be.
func (t *trial) good() bool { return t.outcome == killed || t.outcome == harmless }

func (t *trial) print() {
	by := t.by
	if t.outcome == harmless {
		by = t.harmless
	}
	fmt.Printf("%-5s %-8s %5.1fs  %-32s %s\n%23s%s\n", t.id, t.outcome, t.took.Seconds(), t.file, t.what, "", by)
}

// try builds and runs the tests with the change.
func (m *mutant) try(ctx context.Context, dir string) *trial {
	began := time.Now()
	t := &trial{mutant: *m, outcome: survived}
	if m.harmless != "" {
		t.outcome = harmless
	}
	overlay, err := m.overlay(filepath.Join(dir, m.id))
	if err != nil {
		t.outcome, t.by = broken, err.Error()
		return t
	}
	for _, p := range m.packages {
		if t.test(ctx, p, overlay); t.by != "" {
			break
		}
	}
	t.took = time.Since(began)
	return t
}

// overlay writes the changed file and what the go command is to make of it.
func (m *mutant) overlay(dir string) (string, error) {
	b, err := m.apply()
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(changed, b, 0o600), os.WriteFile(overlay, list, 0o600))
}

// failure finds the first test that failed.
var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(panic: .*)|^(FAIL: .*)`)

// test runs the tests of one package.
func (t *trial) test(ctx context.Context, pkg, overlay string) {
	bin := filepath.Join(filepath.Dir(overlay), strings.ReplaceAll(pkg[2:], "/", "_")+".test")
	defer func() { _ = os.Remove(bin) }()
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay="+overlay, "-o", bin, pkg).CombinedOutput(); err != nil {
		t.outcome, t.by = broken, fmt.Sprintf("%v: %s", err, bytes.TrimSpace(out))
		return
	}
	args := []string{"-test.failfast", "-test.timeout=" + limit.String(), "-test.run=" + t.run}
	if !t.long {
		args = append(args, "-test.short")
	}
	if usesRapid(pkg) {
		args = append(args, "-rapid.nofailfile") // it would stay in the checkout
	}
	c := exec.CommandContext(ctx, bin, args...)
	c.Dir = pkg
	out, err := c.CombinedOutput()
	switch {
	case err == nil:
		return
	case bytes.Contains(out, []byte("panic: test timed out")):
		t.outcome, t.by = endless, "the tests did not end"
		if t.timeout {
			t.outcome = killed
		}
	default:
		t.outcome, t.by = killed, "a test ended the process: "+err.Error()
		if f := failure.FindSubmatch(out); f != nil {
			t.by = string(bytes.Join(f[1:], nil))
		}
	}
}

// usesRapid reports whether the tests of a package take the flags of that library.
func usesRapid(pkg string) bool {
	names, _ := filepath.Glob(filepath.Join(pkg, "*_test.go")) // the pattern is a good one
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(`"pgregory.net/rapid"`)) {
			return true
		}
	}
	return false
}
