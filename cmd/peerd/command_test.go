package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// TestScripts types what a user would; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}

// peerd runs a command line in this process.
func peerd(t *testing.T, args ...string) (got code, stdout, stderr string) {
	t.Helper()
	var out, trouble bytes.Buffer
	c := execute(t.Context(), args, &out, &trouble)
	return code(c), out.String(), trouble.String()
}

// write makes a file in a folder of the test.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "peerd.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// good is a valid configuration with changes, as they stand in a file. A value
// that is "-" takes the key away.
func good(changes map[string]string) string {
	values := map[string]string{
		"arms": "[a, b, c]", "privacy.epsilon": "1", "privacy.horizon": "1000",
		"world.kind": "bernoulli", "world.means": "[[0.2, 0.5, 0.4]]",
	}
	for k, v := range changes {
		if v == "-" {
			delete(values, k)
		} else {
			values[k] = v
		}
	}
	return configText("A test.\n", values)
}

// check runs `config check` on a file with the changes and returns its problems.
// It shows on the way that they are told in both forms.
func check(t *testing.T, changes map[string]string) []Problem {
	t.Helper()
	file := write(t, good(changes))
	c, stdout, stderr := peerd(t, "config", "check", "-c", file, "--json")
	if c == exitOK {
		return nil
	}
	var doc troubleDoc
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || c != exitConfig || doc.Code != exitConfig || stderr != "" {
		t.Fatalf("code %d, want 4 and a document of it: %v\n%s%s", c, err, stdout, stderr)
	}
	c, stdout, stderr = peerd(t, "config", "check", "-c", file)
	if c != exitConfig || stdout != "" {
		t.Errorf("without --json: code %d, want 4; stdout %q", c, stdout)
	}
	for _, p := range doc.Problems {
		if !strings.Contains(stderr, "\n"+p.String()+"\n") {
			t.Errorf("no line %q in\n%s", p, stderr)
		}
	}
	return doc.Problems
}

func TestAGoodConfigurationIsGood(t *testing.T) {
	if problems := check(t, nil); problems != nil {
		t.Fatal(problems)
	}
}
