package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"peerd.dev/internal/require"
)

// TestTheServiceManagerHears: a beat at once and at every interval, readiness once, when /readyz
// first says so, each reason once, and the end. A peer that hangs stops beating.
func TestTheServiceManagerHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var heard []string
		var fault error
		lock := make(chan struct{}, 1) // held by a peer that hangs
		s := &service{
			ready: func(context.Context) error {
				lock <- struct{}{}
				defer func() { <-lock }()
				mu.Lock()
				defer mu.Unlock()
				return fault
			},
			notify: func(state string) error {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, strings.ReplaceAll(state, "\n", " "))
				return nil
			},
			beat: 10 * time.Second, log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		}
		fail := func(err error) {
			mu.Lock()
			defer mu.Unlock()
			fault = err
		}
		hear := func(want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(heard, want) {
				t.Errorf("heard %q, want %q", heard, want)
			}
			heard = nil
		}
		ctx, stop := context.WithCancel(t.Context())
		fail(errors.New("no neighbour"))
		go s.run(ctx)
		hear("WATCHDOG=1 STATUS=nothing is released: no neighbour")
		time.Sleep(10 * time.Second)
		hear("WATCHDOG=1")
		fail(nil)
		time.Sleep(10 * time.Second)
		hear("WATCHDOG=1 STATUS=learns and releases READY=1")
		fail(errors.New("the disk is full"))
		time.Sleep(10 * time.Second)
		hear("WATCHDOG=1 STATUS=nothing is released: the disk is full")
		fail(nil)
		time.Sleep(10 * time.Second)
		hear("WATCHDOG=1 STATUS=learns and releases")
		lock <- struct{}{}
		time.Sleep(time.Minute)
		hear()
		<-lock
		hear("WATCHDOG=1", "WATCHDOG=1") // the second for a tick of that minute
		time.Sleep(time.Second)
		stop()
		hear("STOPPING=1")
	})
}

// TestTheServiceManagerIsWhereTheEnvironmentSays over a real socket; the beat is half of the
// watchdog's limit.
func TestTheServiceManagerIsWhereTheEnvironmentSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	l := require.Value(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"}))(t)
	defer func() { _ = l.Close() }()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "500000")
	t.Setenv("WATCHDOG_PID", "")
	s := require.Value(newService(func(context.Context) error { return nil }, slog.New(slog.NewTextHandler(io.Discard, nil))))(t)
	if want := 250 * time.Millisecond; s.beat != want {
		t.Errorf("a beat every %v, want %v", s.beat, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.run(ctx)
	b := make([]byte, 1000)
	n, err := l.Read(b)
	if want := "WATCHDOG=1\nSTATUS=learns and releases\nREADY=1"; err != nil || string(b[:n]) != want {
		t.Errorf("%q, %v; want %q", b[:n], err, want)
	}
}
