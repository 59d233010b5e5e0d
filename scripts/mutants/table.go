package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A mutant is one change of one file.
type mutant struct {
	id       string
	what     string // the mistake, in words
	file     string // by its path from the root
	old, new string // text that occurs once, and its replacement
	packages []string
	run      string // names of tests, as a regular expression; all if empty
	long     bool   // tests without -short
	timeout  bool   // a test that does not end kills it, too
	harmless string // why it does not matter if it survives
}

// readTables reads all tables of a directory.
//
// In a table every mutant is a paragraph. Its first line is the id and what is wrong, the second
// the file. Lines that begin with - are the old text and those with + the new one. Between them
// there may be "run: names of tests", "packages: ./a ./b" for other tests than the package's own,
// "long" for tests without -short, "timeout", and "harmless: reason". A # begins a comment.
func readTables(dir string) (all []mutant, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no table in %s", dir)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for paragraph := range bytes.SplitSeq(b, []byte("\n\n")) {
			lines := strings.Split(strings.Trim(string(paragraph), "\n"), "\n")
			for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
				lines = lines[1:]
			}
			if len(lines) == 0 || lines[0] == "" {
				continue
			}
			m, err := parseMutant(lines)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

func parseMutant(lines []string) (m mutant, err error) {
	var ok bool
	if m.id, m.what, ok = strings.Cut(lines[0], " "); !ok || len(lines) < 4 {
		return m, fmt.Errorf("%q: want an id and words, a file, the old text and the new one", lines[0])
	}
	m.file = lines[1]
	m.packages = []string{"./" + path.Dir(m.file)}
	var old, now []string
	for _, line := range lines[2:] {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(line, "-"):
			old = append(old, line[1:])
		case strings.HasPrefix(line, "+"):
			now = append(now, line[1:])
		case key == "run":
			m.run = value
		case key == "packages":
			m.packages = strings.Fields(value)
		case key == "harmless":
			m.harmless = value
		case line == "long":
			m.long = true
		case line == "timeout":
			m.timeout = true
		default:
			return m, fmt.Errorf("%s: what is %q?", m.id, line)
		}
	}
	m.old, m.new = strings.Join(old, "\n"), strings.Join(now, "\n")
	if m.old == "" || m.old == m.new {
		return m, fmt.Errorf("%s: the old text and the new one are the same", m.id)
	}
	_, err = regexp.Compile(m.run)
	return m, err
}

// apply returns the file with the change.
func (m *mutant) apply() ([]byte, error) {
	b, err := os.ReadFile(m.file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.id, err)
	}
	if n := bytes.Count(b, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s: the old text is %d times in %s, want once:\n%s", m.id, n, m.file, m.old)
	}
	return bytes.Replace(b, []byte(m.old), []byte(m.new), 1), nil
}

// testsOf returns the packages whose tests are run for any of the mutants, with the names of the
// tests as a regular expression.
func testsOf(all []mutant) map[string]string {
	runs := make(map[string][]string)
	for _, m := range all {
		for _, p := range m.packages {
			run := ".*"
			if m.run != "" {
				run = m.run
			}
			if !slices.Contains(runs[p], run) {
				runs[p] = append(runs[p], run)
			}
		}
	}
	tests := make(map[string]string)
	for p, run := range runs {
		tests[p] = strings.Join(run, "|")
	}
	return tests
}
