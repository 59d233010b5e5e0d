package gossip

import (
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLibrariesLogWarningsOnly also with attributes, in groups, and at level debug.
func TestLibrariesLogWarningsOnly(t *testing.T) {
	var out strings.Builder
	of := slog.New(Libraries(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for i, l := range []*slog.Logger{of, of.With("system", "pubsub"), of.WithGroup("swarm")} {
		l.Debug("rpc")
		l.Info("processloop shutting down")
		l.Warn("no room " + strconv.Itoa(i))
		l.Error("broken " + strconv.Itoa(i))
	}
	if got := out.String(); strings.Count(got, "\n") != 6 || strings.Contains(got, "rpc") || strings.Contains(got, "shutting") {
		t.Errorf("logged:\n%s", got)
	}
}

// TestALineOfALibraryIsLoggedOnceAMinute, with its number, however often other peers cause it.
func TestALineOfALibraryIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(lines)
		of := slog.New(Libraries(log.logger().Handler()))
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { of.With("system", "net/identify").Warn("failed to identify peer", "peer", "x") })
		}
		all.Wait()
		of.Warn("no room")
		time.Sleep(time.Minute)
		of.Warn("failed to identify peer", "peer", "y")
		if log.count("\n") != 3 || log.count("failed to identify peer") != 2 || log.count("peer=y lines=101") != 1 {
			t.Errorf("logged:\n%s", log.text.String())
		}
	})
}
