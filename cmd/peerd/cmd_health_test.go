package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
)

type healthDoc struct {
	Alive, Ready bool
	State        string
}

// TestHealth: a peer that waits for its network is alive and not ready, one that learns is both,
// one that does not answer or does not run is neither, and a wrong configuration does not end a peer that runs.
func TestHealth(t *testing.T) {
	root := peerdtest.Dir(t)
	dir := filepath.Join(root, "a")
	sees := func(what string, want healthDoc, code code, args ...string) bool {
		c, stdout, stderr := peerd(t, append([]string{"health", "--json", "--dir", dir}, args...)...)
		var got healthDoc
		if json.Unmarshal([]byte(stdout), &got) != nil || stderr != "" || got.State == "" {
			t.Fatalf("%s: %s%s", what, stdout, stderr)
		}
		return c == code && got.Alive == want.Alive && got.Ready == want.Ready && strings.Contains(got.State, want.State)
	}
	if c, _, stderr := peerd(t, "health", "--dir", dir); c != exitConfig || !strings.Contains(stderr, "no folder") {
		t.Errorf("no folder: code %d, %s", c, stderr)
	}

	addr := freeAddrs(t, 1)[0]
	does(t, "init", "--dir", dir, "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "rounds.every=50ms", "--set", "listen=["+addr+"]")
	start := time.Now().Add(3 * time.Second).UTC().Format(time.RFC3339)
	does(t, "network", "new", "--dir", dir, "--name", "clinics", "--peer", "a", "--addr", addr, "--start", start)
	if !sees("stopped", healthDoc{State: "the peer does not run"}, exitUnexpected) {
		t.Error("a peer that does not run passes")
	}
	again := []string{"network", "new", "--dir", dir, "--name", "clinics", "--peer", "a", "--addr", addr, "--once"}
	for _, args := range [][]string{again, {"init", "--dir", dir, "--once"}, {"join", "@no-file", "--dir", dir, "--once"}} {
		if out := does(t, args...); !strings.HasSuffix(out, ": nothing to do\n") {
			t.Errorf("%v: %s", args, out)
		}
		if c, _, _ := peerd(t, args[:len(args)-1]...); c == exitOK {
			t.Errorf("%v again without --once", args)
		}
	}
	peer := runs(t, dir)
	eventually(t, "alive", func() bool { return sees("waits", healthDoc{Alive: true, State: "start"}, exitOK) })
	if !sees("waits", healthDoc{Alive: true}, exitUnexpected, "--ready") {
		t.Error("a peer that waits for its network to start is ready")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "peerd.yaml"), []byte("nonsense: 1\n"), 0o600))
	eventually(t, "ready", func() bool { return sees("learns", healthDoc{Alive: true, Ready: true}, exitOK, "--ready") })
	if out := does(t, "health", "--dir", dir); !strings.HasPrefix(out, "ready: ") {
		t.Error(out)
	}
	t.Setenv("PEERD_DIR", dir)
	does(t, "health", "--ready")
	peer.end(t)

	silent := require.Value(net.Listen("unix", filepath.Join(dir, "peerd.sock")))(t)
	defer func() { _ = silent.Close() }()
	go func() {
		if c, err := silent.Accept(); err == nil {
			_ = c.Close()
		}
	}()
	if !sees("silent", healthDoc{}, exitUnexpected) {
		t.Error("a peer that does not answer passes")
	}
}
