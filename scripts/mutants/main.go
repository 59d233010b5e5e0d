// Mutants changes one place of the program at a time, as a mistake or an attacker would, and runs
// the tests that its table names with the change. Every mutant must make one of them fail, except those that
// the table lists as harmless, and each of these tests must exist and pass without a change. The changes are
// overlays of the go command: no file of the checkout is modified.
//
//	go run ./scripts/mutants              # all of them, two at a time
//	go run ./scripts/mutants -only '^D'   # those whose id matches
//	go run ./scripts/mutants -only '^halved$' -build FILE ./cmd/peerd  # a program with that one
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"time"
)

func main() {
	only := flag.String("only", "", "regular expression of ids")
	jobs := flag.Int("j", 2, "mutants at a time")
	keep := flag.String("keep", "", "file of outcomes: a run that was ended goes on, where nothing has changed")
	out := flag.String("build", "", "the only mutant becomes a program in this file, from the package that is the argument")
	flag.Parse()
	ctx := context.Background()
	do := func() error { return run(ctx, *only, *jobs, *keep) }
	if *out != "" {
		do = func() error { return program(ctx, *only, *out, flag.Arg(0)) }
	}
	if err := do(); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// mutants returns the mutants whose ids match.
func mutants(only string) ([]mutant, error) {
	id, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	all, err := readTables("scripts/mutants")
	if err != nil {
		return nil, fmt.Errorf("%w (run it from the root of the repository)", err)
	}
	return slices.DeleteFunc(all, func(m mutant) bool { return !id.MatchString(m.id) }), nil
}

// program builds a package with a mutant.
func program(ctx context.Context, only, out, pkg string) error {
	all, err := mutants(only)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("%d mutants match %s, want 1", len(all), only)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	overlay, err := all[0].overlay(dir)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "go", "build", "-overlay="+overlay, "-o", out, pkg)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	return c.Run()
}

// run tries the mutants whose ids match and prints the outcome of each.
func run(ctx context.Context, only string, jobs int, keep string) error {
	all, err := mutants(only)
	if err != nil {
		return err
	}
	kept, err := openKept(keep)
	if err != nil {
		return err
	}
	count := make(map[outcome]int)
	total := len(all)
	if keep != "" {
		all = slices.DeleteFunc(all, func(m mutant) bool {
			key, failed := kept.key(ctx, &m)
			err = errors.Join(err, failed)
			was, tried := kept.outcomes[key]
			if tried {
				count[was]++
			}
			return tried
		})
		if err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	began := time.Now()
	before, bad := make(map[string]results), 0
	tests := testsOf(all)
	for _, p := range slices.Sorted(maps.Keys(tests)) {
		if before[p], err = resultsOf(ctx, p, tests[p], dir); err != nil {
			return err
		}
		for _, name := range before[p]["FAIL"] {
			bad++
			fmt.Printf("%s of %s fails without any mutant, and is left out\n", name, p)
		}
	}
	for _, m := range all {
		for _, name := range m.idle(before) {
			bad++
			fmt.Printf("%s: of %s no test passes without the mutant\n", m.id, name)
		}
	}
	next := make(chan mutant)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for m := range next {
				t := m.try(ctx, dir, before)
				mu.Lock()
				count[t.outcome]++
				if !t.good() {
					bad++
				}
				t.print()
				kept.keep(ctx, t)
				mu.Unlock()
			}
		})
	}
	for _, m := range all {
		next <- m
	}
	close(next)
	wg.Wait()
	fmt.Printf("\n%d mutants in %v: %d killed, %d survive and are harmless, %d survive, %d have no end, %d do not compile or name no test\n", total,
		time.Since(began).Round(time.Second), count[killed], count[harmless], count[survived], count[endless], count[broken])
	if bad > 0 {
		return errors.New("a mutant or a test is not as it should be") // without a digit: the line before is what counts
	}
	return nil
}
