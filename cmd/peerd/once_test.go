package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestATokenIsReadFromAFile: @FILE is the token in it, without the white space around it; anything else is the token.
func TestATokenIsReadFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(" peerd1-AX\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"@" + file: "peerd1-AX", "peerd1-AX": "peerd1-AX"} {
		if got, err := tokenOf(text); err != nil || got != want {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	if _, err := tokenOf("@" + file + "s"); codeOf(coded(err)) != exitUsage {
		t.Errorf("no file: %v", err)
	}
}
