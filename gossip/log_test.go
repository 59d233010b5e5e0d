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
	of.Warn("failed to identify peer", "error", "multistream mux select protocol failed")
	if got := out.String(); strings.Count(got, "level=DEBUG msg=\"failed to identify") != 1 || strings.Count(got, "\n") != 7 || strings.Contains(got, "rpc") || strings.Contains(got, "shutting") {
		t.Errorf("logged:\n%s", got)
	}
	out.Reset()
	slog.New(Libraries(slog.NewTextHandler(&out, nil))).Warn("failed to identify peer")
	if out.Len() > 0 {
		t.Errorf("logged at level info:\n%s", &out)
	}
}

// TestALinkThatIsClosedInGoodOrderIsNoWarning, as each version of the network document closes all links; one that breaks is.
func TestALinkThatIsClosedInGoodOrderIsNoWarning(t *testing.T) {
	for what, end := range map[string]func(h *Host){
		"level=INFO": func(h *Host) { _ = h.Close() },
		"level=WARN": func(h *Host) { _ = h.libp2p.Close() },
	} {
		cs, log := configs(2, path(2)), new(lines)
		cs[0].Logger = log.logger()
		hosts := start(t, cs)
		ready(t, hosts...)
		end(hosts[1])
		eventually(t, what, func() bool { return log.count("link lost") == 1 })
		if log.count(what+" msg=\"link lost\"") != 1 {
			t.Errorf("want %s:\n%s", what, &log.text)
		}
	}
}

// TestALineOfALibraryIsLoggedOnceAMinute, with its number, however often other peers cause it.
func TestALineOfALibraryIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(lines)
		of := slog.New(Libraries(log.logger().Handler()))
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { of.With("system", "net/identify").Warn("a stream was reset", "peer", "x") })
		}
		all.Wait()
		of.Warn("no room")
		time.Sleep(time.Minute)
		of.Warn("a stream was reset", "peer", "y")
		if log.count("\n") != 3 || log.count("a stream was reset") != 2 || log.count("peer=y lines=101") != 1 {
			t.Errorf("logged:\n%s", log.text.String())
		}
	})
}
