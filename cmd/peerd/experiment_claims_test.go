package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClaimsAreJudgedAsAsked: what is not there is refused by name, and stored results are judged without playing, as a table, a
// document and a page.
func TestClaimsAreJudgedAsAsked(t *testing.T) {
	t.Chdir(t.TempDir())
	for want, args := range map[string][]string{
		`no claim is called "p3-8" (nearest: P3-8)`:  {"p3-8"},
		"nowhere is no folder":                       {"--from", "nowhere"},
		"--jobs: -1: want 1 or more":                 {"P3-8", "-j", "-1"},
		"-o and --from: name one folder, to play in": {"--from", ".", "-o", "runs"},
	} {
		if got, _, said := peerd(t, append([]string{"experiment", "claims"}, args...)...); got != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%v: code %d, %s", args, got, said)
		}
	}
	got, stdout, stderr := peerd(t, "experiment", "claims", "P3-8", "--from", ".", "--doc", "claims.md")
	if got != exitOK || !strings.Contains(stdout, "2 claims: 2 not judged") || !strings.Contains(stdout, "no finished experiment of paper003-8") {
		t.Errorf("nothing stored: code %d\n%s%s", got, stdout, stderr)
	}
	if page, err := os.ReadFile(filepath.Join(".", "claims.md")); err != nil || !strings.Contains(string(page), "P3-8L") {
		t.Errorf("the page: %s, %v", page, err)
	}
	if got, stdout, _ = peerd(t, "experiment", "claims", "P3-8", "--from", ".", "--json"); got != exitOK || !strings.Contains(stdout, `"verdict": "not judged"`) {
		t.Errorf("--json: code %d\n%s", got, stdout)
	}
}
