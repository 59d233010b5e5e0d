// Package peerdtest is for tests of the program: their binary is peerd for the processes that they start.
package peerdtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"peerd.dev/internal/command"
	"peerd.dev/internal/extra/doctor"
)

// BeProcess in the environment makes the test binary act as the program.
const BeProcess = "TEST_BE_PEERD"

// Main runs the tests of a package. The processes that they start from the test binary, and the command peerd of their scripts, are the
// program with the extras that the package imports.
func Main(m *testing.M) {
	if os.Getenv(BeProcess) != "" {
		command.Main()
		return
	}
	if err := os.Setenv(BeProcess, "1"); err != nil { // for the processes that tests start
		panic(err)
	}
	testscript.Main(m, map[string]func(){"peerd": command.Main}) // for the scripts, by name
}

// Run runs a command line in this process.
func Run(t *testing.T, args ...string) (got command.Code, stdout, stderr string) {
	t.Helper()
	var out, trouble bytes.Buffer
	c := command.Execute(t.Context(), args, &out, &trouble)
	return command.Code(c), out.String(), trouble.String()
}

// A Report is a report as a program reads it.
type Report struct {
	OK      bool             `json:"ok"`
	Code    command.Code     `json:"code"`
	Running bool             `json:"running"`
	Checks  []doctor.Finding `json:"checks"`
}

// Doctor runs `peerd doctor` and returns its report.
func Doctor(t *testing.T, want command.Code, args ...string) Report {
	t.Helper()
	args = append([]string{"doctor", "--json"}, args...)
	c, stdout, stderr := Run(t, args...)
	var doc Report
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || stderr != "" { // one document, and nothing else
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if c != want || doc.Code != want || doc.OK != (want == command.ExitOK) {
		t.Errorf("%v: code %d, in the report %d, want %d\n%s", args, c, doc.Code, want, stdout)
	}
	return doc
}

// Of returns the worst finding about something.
func (doc Report) Of(check string) (f doctor.Finding) {
	rank := map[doctor.Outcome]int{"": 0, doctor.Pass: 1, doctor.Warn: 2, doctor.Fail: 3}
	for _, o := range doc.Checks {
		if o.Check == check && rank[o.Result] > rank[f.Result] {
			f = o
		}
	}
	return f
}

// Want fails the test if the worst finding about something is another one.
func (doc Report) Want(t *testing.T, check string, result doctor.Outcome, text string) {
	t.Helper()
	f := doc.Of(check)
	if f.Result != result || !strings.Contains(f.Detail+" → "+f.Remedy, text) || result == doctor.Fail && f.Remedy == "" {
		t.Errorf("%s: %+v, want %s with %q", check, f, result, text)
	}
}

// Pairs returns keys and values that are given in turn.
func Pairs(pairs []string) map[string]string {
	m := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

// Dir returns a new folder with a short path: the names of t.TempDir are too long for sockets.
func Dir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // for its length
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Unpack returns a folder with the contents of an archive.
func Unpack(t *testing.T, archive string) (dir string) {
	t.Helper()
	dir = Dir(t)
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o700)
		} else {
			var b []byte
			if b, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, b, h.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TakeFiles makes files until the file system of a folder takes no more, and returns how to remove them.
func TakeFiles(t *testing.T, dir string) (remove func()) {
	t.Helper()
	room := filepath.Join(dir, "taken")
	err := os.Mkdir(room, 0o700)
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(room, strconv.Itoa(i)), nil, 0o600)
	}
	return func() {
		if err := os.RemoveAll(room); err != nil {
			t.Fatal(err)
		}
	}
}
