// Package browsertest has the program that opens the page in a browser, for tests.
package browsertest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds scripts/page, and returns the program. It skips the test where no browser is. Root is the folder of the module.
func Build(t *testing.T, root string) string {
	t.Helper()
	found := false
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} { // as in scripts/page
		_, err := exec.LookPath(name)
		found = found || err == nil
	}
	if !found {
		t.Skip("no browser is here: apt-get install --no-install-recommends chromium-headless-shell")
	}
	program := filepath.Join(t.TempDir(), "page")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(root, "scripts", "page")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}
