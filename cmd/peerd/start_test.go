//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"peerd.dev/internal/command"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/extra/doctor"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/api/client"
)

// A saying is what a process says, which another goroutine may read meanwhile.
type saying struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *saying) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *saying) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// starts runs the peer of a folder until its API answers, stops it, and returns what it said. It calls meanwhile first.
func starts(t *testing.T, dir string, meanwhile func(said *saying)) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var said saying
	ended := make(chan int, 1)
	go func() { ended <- command.Execute(ctx, []string{"run", "--dir", dir}, &said, &said) }()
	meanwhile(&said)
	c := require.Value(client.New(client.Options{Dir: dir, Deadline: 30 * time.Second}))(t)
	defer c.Close()
	if _, err := c.Status(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	stop()
	if c := <-ended; c != int(exitOK) {
		t.Errorf("code %d\n%s", c, said.String())
	}
	return said.String()
}

// TestAStartWaitsForWhoReads: the folder is locked by a command that reads it, and the start goes on when that is done. A peer
// that runs is not waited for.
func TestAStartWaitsForWhoReads(t *testing.T) {
	dir := aSite(t, "arms=red,green")
	unlock := require.Value(daemon.LockDir(dir))(t)
	starts(t, dir, func(said *saying) {
		eventually(t, "a sentence about the wait", func() bool { return strings.Contains(said.String(), "waiting for the folder") })
		if said := said.String(); !strings.Contains(said, "is in use by another peerd") {
			t.Error(said)
		}
		unlock()
	})
	served(t, dir)
	began := time.Now()
	if c, _, stderr := peerd(t, "run", "--dir", dir); c != exitUnexpected || !strings.Contains(stderr, "is in use by another peerd") || time.Since(began) > 5*time.Second {
		t.Errorf("code %d after %v: %s", c, time.Since(began), stderr)
	}
}

// TestAStartSaysWhichSettingsHaveChanged: in one line, since half of a file can be a valid file; and not where none has.
func TestAStartSaysWhichSettingsHaveChanged(t *testing.T) {
	const since = "since the last start: "
	dir := aSite(t, "arms=red,green", "api.window=2s", "api.keep=100h")
	file := filepath.Join(dir, "peerd.yaml")
	whole := require.Value(os.ReadFile(file))(t)
	start := func() string { t.Helper(); return starts(t, dir, func(*saying) {}) }
	for range 2 {
		if said := start(); strings.Contains(said, since) {
			t.Errorf("nothing has changed:\n%s", said)
		}
	}
	half, _, ok := bytes.Cut(whole, []byte("\napi:"))
	if !ok {
		t.Fatalf("%s", whole)
	}
	require.NoError(t, os.WriteFile(file, half, 0o600))
	if said := start(); strings.Count(said, since) != 1 || !strings.Contains(said, "api.window 2s -> 1m, api.keep 100h -> 24h") {
		t.Errorf("half of the file:\n%s", said)
	}
	if said := start(); strings.Contains(said, since) {
		t.Errorf("it is said again:\n%s", said)
	}
}

// TestADamagedFirstKeyIsFoundAtOnce: at the start and by doctor, while a backup may still have it.
func TestADamagedFirstKeyIsFoundAtOnce(t *testing.T) {
	dir := aStoppedSite(t)
	key := require.Value(os.ReadFile(filepath.Join(dir, "identity.key")))(t)
	first := filepath.Join(dir, "identity.first.key")
	put := func(flip byte) {
		b := bytes.Clone(key)
		b[len(b)/2] ^= flip
		require.NoError(t, os.WriteFile(first, b, 0o600))
	}
	put(0)
	peerdtest.Doctor(t, exitOK, "--dir", dir).Want(t, "key", doctor.Pass, "of ")
	put(1)
	peerdtest.Doctor(t, exitUnexpected, "--dir", dir).Want(t, "first key", doctor.Fail, first)
	refuses(t, []string{"run"}, dir, exitUnexpected, first)
}
