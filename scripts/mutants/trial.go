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
	"slices"
	"strings"
	"time"
)

// limit bounds the tests of one package with one mutant.
const limit = 10 * time.Minute

// endlessLimit bounds the tests of a mutant with which a test may not end.
const endlessLimit = time.Minute

// everyLimit bounds the tests of a mutant with which each of them has to fail: with PEERD_LONG these are many.
const everyLimit = 2 * time.Hour

// An outcome is the result of a mutant.
type outcome string

// The outcomes.
const (
	killed   outcome = "killed"
	survived outcome = "SURVIVES"
	harmless outcome = "harmless"
	endless  outcome = "NO END" // and the table does not say that this kills it
	broken   outcome = "BROKEN" // it does not apply, or does not compile, or all its tests are skipped
)

// A trial is a mutant with its outcome.
type trial struct {
	mutant
	outcome outcome
	by      string // the test that failed, or the error
	ran     bool   // a test has passed or failed
	took    time.Duration
}

// good reports whether the outcome is as it should be.
func (t *trial) good() bool { return t.outcome == killed || t.outcome == harmless }

func (t *trial) print() {
	by := t.by
	if t.outcome == harmless {
		by = t.harmless
	}
	fmt.Printf("%-5s %-8s %5.1fs  %-32s %s\n%23s%s\n", t.id, t.outcome, t.took.Seconds(), t.changes[0].file, t.what, "", by)
}

// try builds and runs the tests with the change, except those that fail without it.
func (m *mutant) try(ctx context.Context, dir string, before map[string]results) *trial {
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
		if t.test(ctx, p, overlay, before[p]["FAIL"]); t.by != "" && (!t.every || t.outcome != killed) {
			break
		}
	}
	if t.by == "" && !t.ran {
		t.outcome, t.by = broken, "no test of "+t.run+" is run"
	}
	t.took = time.Since(began)
	return t
}

// overlay writes the changed files and the overlay for the go command.
func (m *mutant) overlay(dir string) (string, error) {
	files, err := m.apply()
	if err != nil {
		return "", err
	}
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for name, b := range files {
		file, wrong := filepath.Abs(name)
		if wrong != nil {
			return "", wrong
		}
		replace[file] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err = os.WriteFile(replace[file], b, 0o600); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	return overlay, errors.Join(err, os.WriteFile(overlay, list, 0o600))
}

// failure finds the tests that failed.
var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)|^(panic: .*)|^(FAIL: .*)`)

// history finds the number of the random history that failed.
var history = regexp.MustCompile(`(?m)^\s*histories_test\.go:\d+: history (\d+):`)

// test runs the tests of one package.
func (t *trial) test(ctx context.Context, pkg, overlay string, failing []string) {
	bin, err := build(ctx, pkg, filepath.Dir(overlay), "-overlay="+overlay)
	if err != nil {
		t.outcome, t.by = broken, err.Error()
		return
	}
	args := []string{"-test.run=" + t.run, "-test.v"}
	if !t.every {
		args = append(args, "-test.failfast")
	}
	if len(failing) > 0 {
		args = append(args, "-test.skip=^("+strings.Join(failing, "|")+")$")
	}
	if !t.long {
		args = append(args, "-test.short")
	}
	most := limit
	switch {
	case t.timeout:
		most = endlessLimit
	case t.every:
		most = everyLimit
	}
	out, err := start(ctx, pkg, bin, append(args, "-test.timeout="+most.String())...)
	r := resultsIn(out)
	t.ran = t.ran || len(r["PASS"])+len(r["FAIL"]) > 0
	switch {
	case t.every:
		t.everyOf(out)
	case err == nil:
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
		if h := history.FindSubmatch(out); h != nil {
			t.by += ", history " + string(h[1])
		}
	}
}

// ended finds tests that have ended, in the output of a test that says everything.
var ended = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)

// everyOf judges a mutant with which each test must fail: tests that have no subtests, or whose subtests are among them.
func (t *trial) everyOf(out []byte) {
	all := ended.FindAllStringSubmatch(string(out), -1)
	fail, pass := 0, []string(nil)
	for _, x := range all {
		name := x[2]
		switch {
		case slices.ContainsFunc(all, func(o []string) bool { return strings.HasPrefix(o[2], name+"/") }):
		case x[1] == "FAIL":
			fail++
		default:
			pass = append(pass, name)
		}
	}
	if t.by += "; "; t.by == "; " {
		t.by = ""
	}
	t.by += fmt.Sprintf("%d of %d tests fail", fail, fail+len(pass))
	switch {
	case len(pass) > 0:
		t.outcome, t.by = survived, t.by+", not "+strings.Join(pass, " ")
	case fail == 0 || bytes.Contains(out, []byte("panic: ")):
		t.outcome = broken
	default:
		t.outcome = killed
	}
}

// results are the names of tests by what became of them: PASS, FAIL, SKIP.
type results map[string][]string

// resultsIn reads the output of tests that say everything, without subtests.
func resultsIn(out []byte) results {
	r := make(results)
	for _, x := range ended.FindAllSubmatch(out, -1) {
		if x[0][0] == '-' {
			r[string(x[1])] = append(r[string(x[1])], string(x[2]))
		}
	}
	return r
}

// resultsOf runs tests of a package without any mutant.
func resultsOf(ctx context.Context, pkg, run, dir string) (results, error) {
	bin, err := build(ctx, pkg, dir)
	if err != nil {
		return nil, err
	}
	out, err := start(ctx, pkg, bin, "-test.short", "-test.v", "-test.run="+run, "-test.timeout="+limit.String())
	r := resultsIn(out)
	if err != nil && (len(r["FAIL"]) == 0 || bytes.Contains(out, []byte("\npanic: "))) {
		return nil, fmt.Errorf("%s: %w: %s", pkg, err, out[max(0, len(out)-1000):])
	}
	return r, nil
}

// alternative is one of the names in a regular expression.
var alternative = regexp.MustCompile(`([^|()]|\([^()]*\))+`)

// names returns the tests that a mutant names, each as a regular expression of tests without subtests.
func (m *mutant) names() (all []string) {
	for _, name := range alternative.FindAllString(m.run, -1) {
		name, _, _ = strings.Cut(name, "/")
		all = append(all, name)
	}
	return all
}

// idle returns the names of which no test passes without a mutant. Tests without -short have not been run.
func (m *mutant) idle(before map[string]results) []string {
	if m.long {
		return nil
	}
	return slices.DeleteFunc(m.names(), func(name string) bool {
		return slices.ContainsFunc(m.packages, func(p string) bool {
			return slices.ContainsFunc(before[p]["PASS"], regexp.MustCompile(name).MatchString)
		})
	})
}

// build makes the binary of a package's tests.
func build(ctx context.Context, pkg, dir string, flags ...string) (bin string, err error) {
	bin = filepath.Join(dir, strings.ReplaceAll(pkg[2:], "/", "_")+".test")
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin}, flags...) // without what debuggers read
	if out, err := exec.CommandContext(ctx, "go", append(args, pkg)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return bin, nil
}

// start runs the binary of a package's tests, and removes it.
func start(ctx context.Context, pkg, bin string, args ...string) ([]byte, error) {
	defer func() { _ = os.Remove(bin) }()
	if usesRapid(pkg) {
		args = append(args, "-rapid.nofailfile") // it would stay in the checkout
	}
	c := exec.CommandContext(ctx, bin, args...)
	c.Dir = pkg
	return c.CombinedOutput()
}

// usesRapid reports whether the tests of a package take the flags of that library.
func usesRapid(pkg string) bool {
	names, _ := filepath.Glob(filepath.Join(pkg, "*_test.go")) // the pattern is valid
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(`"pgregory.net/rapid"`)) {
			return true
		}
	}
	return false
}
