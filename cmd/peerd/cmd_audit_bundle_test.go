package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestABundleNeedsASignedDocument, and a file to go to; a file that is no bundle is a fault of its form.
func TestABundleNeedsASignedDocument(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	does(t, "init", "--dir", dir, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1")
	id := strings.TrimSpace(does(t, "id", "--dir", dir))
	text := "name: clinics\nstart: 2026-01-01T00:00:00Z\nevery: 1s\npeers:\n- {name: a, id: " + id + ", addrs: [/ip4/127.0.0.1/tcp/4001]}\nlinks: []\n"
	if err := os.WriteFile(filepath.Join(dir, "network.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "bundle.tar")
	for _, c := range []struct {
		args []string
		code code
		says string
	}{
		{[]string{"bundle", "--dir", dir}, exitUsage, "want the name of a new file"},
		{[]string{"bundle", "--dir", dir, "-o", file}, exitConfig, "is not signed, so nothing proves who its peers are"},
		{[]string{"verify", filepath.Join(dir, "network.yaml")}, exitPrivacy, "fault: form: no tar archive"},
		{[]string{"verify", file}, exitUnexpected, "no such file"},
	} {
		if got, _, stderr := peerd(t, append([]string{"audit"}, c.args...)...); got != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: code %d, want %d with %q\n%s", c.args, got, c.code, c.says, stderr)
		}
	}
}
