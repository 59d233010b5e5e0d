//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/daemon"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
)

// TestAdviceCanBePasted: every command that is printed with a path is read by a shell as it was meant, whatever the folder is called.
func TestAdviceCanBePasted(t *testing.T) {
	root := peerdtest.Dir(t)
	dir := filepath.Join(root, "site two;$(x)'")
	at := func(name string) string { return filepath.Join(dir, name) }
	command := regexp.MustCompile("(?:peerd [a-z]+|chmod|chown) [^\n`]*two[^\n`]*")
	said := func(what, text string, want ...string) {
		t.Helper()
		var words []string
		for _, c := range command.FindAllString(text, -1) {
			for _, end := range []string{" --name NETWORK", "; without a backup", "; others may have"} {
				c, _, _ = strings.Cut(c, end)
			}
			out, err := exec.CommandContext(t.Context(), "sh", "-c", `for word in `+c+`; do printf '%s\0' "$word"; done`).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s: %v", what, c, err)
			}
			for word := range strings.SplitSeq(string(out), "\x00") {
				if strings.Contains(word, "two;") {
					words = append(words, word)
				}
			}
		}
		if !slices.Equal(words, want) {
			t.Errorf("%s: a shell reads %q, want %q, in\n%s", what, words, want, text)
		}
	}
	try := func(what string, want []string, args ...string) {
		t.Helper()
		_, stdout, stderr := peerd(t, args...)
		said(what, stdout+stderr, want...)
	}
	one := []string{dir}
	try("init", []string{at("peerd.yaml"), dir, dir}, "init", "--dir", dir, "--set", "arms=red,green", "--set", "privacy.epsilon=1", "--set", "listen=/ip4/127.0.0.1/tcp/0")
	does(t, "network", "new", "--dir", dir, "--name", "t", "--peer", "a", "--addr", "/ip4/127.0.0.1/tcp/4001")
	try("import", one, "decisions", "import", "testdata/none", "--format", "vw", "--dir", dir, "--set", "api.shadow=propose")
	if !t.Run("started", func(t *testing.T) { served(t, dir) }) {
		t.FailNow()
	}
	try("ledger", []string{at("x")}, "ledger", "export", "--dir", dir, "-o", at("x"))
	try("bundle", []string{at("x")}, "audit", "bundle", "--dir", dir, "-o", at("x"))
	mode := func(path string, mode os.FileMode) {
		t.Helper()
		require.NoError(t, os.Chmod(path, mode))
	}
	mode(dir, 0o755)
	try("open", one, "run", "--dir", dir)
	try("open, doctor", one, "doctor", "--dir", dir)
	mode(dir, 0o700)
	mode(at("identity.key"), 0o644)
	try("key", []string{at("identity.key")}, "doctor", "--dir", dir)
	require.NoError(t, os.Rename(at("identity.key"), at("away")))
	try("no key", []string{dir + "-2"}, "doctor", "--dir", dir)
	require.NoError(t, os.Rename(at("away"), at("identity.key")))
	mode(at("identity.key"), 0o600)
	if os.Getuid() == 0 {
		require.NoError(t, os.Lchown(at("identity.key"), 4711, -1))
		try("owner", one, "doctor", "--dir", dir)
		require.NoError(t, os.Lchown(at("identity.key"), 0, -1))
	}
	require.NoError(t, os.Remove(filepath.Join(at(daemon.StoreDir), "..", daemon.StoreDir+".watermark")))
	try("a store that lacks something", one, "run", "--dir", dir)
	require.NoError(t, os.RemoveAll(at(daemon.StoreDir)))
	require.NoError(t, os.WriteFile(at(daemon.StoreDir), nil, 0o600))
	try("a store that is none", one, "run", "--dir", dir)
}
