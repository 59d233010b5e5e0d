package audit

import (
	"bytes"
	"strings"
	"testing"

	"peerd.dev/internal/command"
	"peerd.dev/node/lab/audit"
)

// TestABrokenPromiseHasACodeOfItsOwn, and is printed.
func TestABrokenPromiseHasACodeOfItsOwn(t *testing.T) {
	var out bytes.Buffer
	err := showAudit(&command.App{Stdout: &out}, &audit.Report{Broken: []string{"ε is at least 2"}})
	if command.CodeOf(err) != command.ExitPrivacy || !strings.Contains(out.String(), "FAIL") || !strings.Contains(out.String(), "ε is at least 2") {
		t.Errorf("code %d:\n%s", command.CodeOf(err), out.String())
	}
}
