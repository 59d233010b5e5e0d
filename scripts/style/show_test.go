package style

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A row of scripts/show/table.txt.
type row struct {
	name   string
	fields map[string]string
	run    []string
}

var (
	rowName   = regexp.MustCompile(`^[a-z0-9-]+$`)
	rowField  = regexp.MustCompile(`^\t(shows|more|time|needs|run): +(\S.*)$`)
	inTree    = regexp.MustCompile(`(?:^|\s)(?:\./)?((?:bandit|cmd|configs|dp|gossip|internal|node|protocol|scripts)(?:/[\w./-]+)?)`)
	chosen    = regexp.MustCompile(`-(?:run|bench|skip|fuzz) ('[^']*'|"[^"]*"|\S+)`)
	mentioned = regexp.MustCompile(`scripts/show(?:\.sh ([a-z][a-z0-9-]*[a-z0-9])|/([a-z0-9-]+)\.(?:sh|bash))`)
)

// TestRowsOfShow: every row of scripts/show/table.txt says what it shows, and its commands name packages, files and tests
// that exist; every script of the folder is a row's, and what is mentioned elsewhere is a row.
func TestRowsOfShow(t *testing.T) {
	rows := showRows(t)
	all := files(t)
	if len(rows) < 50 {
		t.Errorf("%d rows, want 50 or more", len(rows))
	}
	used := make(map[string]bool)
	for _, r := range rows {
		for _, key := range []string{"shows", "time"} {
			if r.fields[key] == "" {
				t.Errorf("%s: no %s", r.name, key)
			}
		}
		if len(r.run) == 0 {
			t.Errorf("%s: no command", r.name)
		}
		for _, c := range r.run {
			var packages []string
			for _, m := range inTree.FindAllStringSubmatch(c, -1) {
				used[m[1]] = true
				info, err := os.Stat(filepath.Join(root, m[1]))
				if err != nil {
					t.Errorf("%s: %s is not there", r.name, m[1])
				} else if info.IsDir() {
					packages = append(packages, m[1])
				}
			}
			if !strings.Contains(c, "go test ") {
				continue
			}
			var tests []string
			for _, file := range all {
				if strings.HasSuffix(file, "_test.go") && slices.Contains(packages, path.Dir(file)) {
					for _, d := range declarations(t, file) {
						tests = append(tests, d.name)
					}
				}
			}
			for _, m := range chosen.FindAllStringSubmatch(c, -1) {
				for _, one := range alternatives(strings.Trim(m[1], `'"`)) {
					if !slices.ContainsFunc(tests, regexp.MustCompile(one).MatchString) {
						t.Errorf("%s: no test of %v matches %s", r.name, packages, one)
					}
				}
			}
		}
	}
	named := func(name string) bool { return slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) }
	for _, file := range all {
		if path.Dir(file) == "scripts/show" && path.Ext(file) == ".sh" && !used[file] {
			t.Errorf("%s is in no row", file)
		}
		if strings.HasPrefix(file, "scripts/style/") || !slices.Contains([]string{".go", ".md", ".sh", ".bash", ".yaml", ".yml", ".txt"}, path.Ext(file)) {
			continue
		}
		for _, m := range mentioned.FindAllStringSubmatch(read(t, file), -1) {
			if m[1] != "" && !named(m[1]) || m[2] != "" && !slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, "scripts/show/"+m[2]+".") }) {
				t.Errorf("%s: %s is not there", file, m[0])
			}
		}
	}
	for l := range strings.Lines(read(t, "scripts/show/pending.txt")) {
		if name, _, _ := strings.Cut(l, ":"); !strings.HasPrefix(l, "#") && !named(name) {
			t.Errorf("pending.txt: there is no row %s", name)
		}
	}
}

// showRows parses the table.
func showRows(t *testing.T) (rows []row) {
	t.Helper()
	for i, l := range strings.Split(read(t, "scripts/show/table.txt"), "\n") {
		switch m := rowField.FindStringSubmatch(l); {
		case l == "", strings.HasPrefix(l, "#"), strings.HasPrefix(l, "\t\t"):
		case rowName.MatchString(l):
			if slices.ContainsFunc(rows, func(r row) bool { return r.name == l }) {
				t.Errorf("table.txt:%d: a second %s", i+1, l)
			}
			rows = append(rows, row{name: l, fields: make(map[string]string)})
		case m == nil || len(rows) == 0:
			t.Errorf("table.txt:%d: %q is no field of a row", i+1, l)
		case m[1] == "run":
			rows[len(rows)-1].run = append(rows[len(rows)-1].run, m[2])
		default:
			rows[len(rows)-1].fields[m[1]] = m[2]
		}
	}
	return rows
}

// alternatives splits the pattern of a -run flag into what names a test each: without subtests, anchors and arguments
// of the row; nothing if it is to match no test.
func alternatives(pattern string) (all []string) {
	pattern, _, _ = strings.Cut(pattern, "/")
	for one := range strings.SplitSeq(pattern, "|") {
		one = strings.TrimSuffix(strings.TrimPrefix(one, "^"), "$")
		if one != "" {
			all = append(all, one)
		}
	}
	return all
}
