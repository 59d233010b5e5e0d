package main

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/peerdtest"
)

// The exit codes, by short names.
type code = command.Code

const (
	exitOK          = command.ExitOK
	exitUnexpected  = command.ExitUnexpected
	exitUsage       = command.ExitUsage
	exitNetwork     = command.ExitNetwork
	exitConfig      = command.ExitConfig
	exitPrivacy     = command.ExitPrivacy
	exitData        = command.ExitData
	exitDisk        = command.ExitDisk
	exitInterrupted = command.ExitInterrupted
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// TestScripts runs what a user would type; see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update})
}

// peerd runs a command line in this process.
func peerd(t *testing.T, args ...string) (got code, stdout, stderr string) {
	t.Helper()
	return peerdtest.Run(t, args...)
}

// check runs `config check` on a file with the changes and returns its problems. It also checks
// that both forms report the same.
func check(t *testing.T, changes map[string]string) []config.Problem {
	t.Helper()
	file := configtest.Write(t, configtest.Good(changes))
	c, stdout, stderr := peerd(t, "config", "check", "-c", file, "--json")
	if c == exitOK {
		return nil
	}
	var doc struct {
		Code     code
		Problems []config.Problem
	}
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
