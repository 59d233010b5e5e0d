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

// A change is one replacement in one file.
type change struct {
	file     string // by its path from the root
	old, new string // text that occurs once, and its replacement
}

// A mutant is a mistake: one change or several.
type mutant struct {
	id       string
	what     string // the mistake, in words
	changes  []change
	packages []string
	run      string // names of tests, as a regular expression; all if empty
	every    bool   // all of these tests must fail
	long     bool   // tests without -short
	timeout  bool   // a test that does not end kills it, too
	harmless string // why it does not matter if it survives
}

// readTables reads all tables of a directory.
//
// In a table every mutant is a paragraph. Its first line is the id and what is wrong, the second
// the file. Lines that begin with - are the old text and those with + the new one; "file: path" begins
// another change. With them there is "run: names of tests", unless the mutant is harmless, and there may be "packages: ./a ./b" for tests in place of
// the ones of the first file's package, "every" if each of these tests must fail, with each of its subtests, "long" for tests
// without -short, "timeout", and "harmless: reason". A # begins a comment.
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
	m.packages = []string{"./" + path.Dir(lines[1])}
	m.changes = []change{{file: lines[1]}}
	for _, line := range lines[2:] {
		key, value, _ := strings.Cut(line, ": ")
		c := &m.changes[len(m.changes)-1]
		switch {
		case strings.HasPrefix(line, "-"):
			c.old += "\n" + line[1:]
		case strings.HasPrefix(line, "+"):
			c.new += "\n" + line[1:]
		case key == "file":
			m.changes = append(m.changes, change{file: value})
		case key == "run":
			m.run = value
		case key == "packages":
			m.packages = strings.Fields(value)
		case key == "harmless":
			m.harmless = value
		case line == "every":
			m.every = true
		case line == "long":
			m.long = true
		case line == "timeout":
			m.timeout = true
		default:
			return m, fmt.Errorf("%s: what is %q?", m.id, line)
		}
	}
	for i := range m.changes {
		c := &m.changes[i]
		if c.old, c.new = strings.TrimPrefix(c.old, "\n"), strings.TrimPrefix(c.new, "\n"); c.old == "" || c.old == c.new {
			return m, fmt.Errorf("%s: the old text and the new one are the same", m.id)
		}
	}
	_, err = regexp.Compile(m.run)
	return m, err
}

// apply returns the changed files, by their paths.
func (m *mutant) apply() (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, c := range m.changes {
		b, ok := files[c.file]
		if !ok {
			var err error
			if b, err = os.ReadFile(c.file); err != nil {
				return nil, fmt.Errorf("%s: %w", m.id, err)
			}
		}
		if n := bytes.Count(b, []byte(c.old)); n != 1 {
			return nil, fmt.Errorf("%s: the old text is %d times in %s, want once:\n%s", m.id, n, c.file, c.old)
		}
		files[c.file] = bytes.Replace(b, []byte(c.old), []byte(c.new), 1)
	}
	return files, nil
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
