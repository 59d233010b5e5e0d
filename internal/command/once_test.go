package command

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestATokenIsReadFromAFile: @FILE is the token in it, and - the first line of the input, without the white space around it; anything else is
// the token. An answer can follow a token in the input.
func TestATokenIsReadFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" peerd1-AX\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"@" + file: "peerd1-AX", "peerd1-AX": "peerd1-AX", "-": "peerd1-BX"} {
		in := bufio.NewReader(strings.NewReader("peerd1-BX\r\ny\n"))
		if got, err := tokenOf(text, in); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		if next, err := in.ReadString('\n'); text == "-" && (err != nil || next != "y\n") {
			t.Errorf("the answer is %q, %v", next, err)
		}
	}
	if _, err := tokenOf("-", bufio.NewReader(strings.NewReader(""))); CodeOf(Coded(err)) != ExitUsage {
		t.Errorf("no input: %v", err)
	}
	if _, err := tokenOf("@"+file+"s", nil); CodeOf(Coded(err)) != ExitUsage {
		t.Errorf("no file: %v", err)
	}
}
