package gossip

import (
	"log/slog"
	"strings"
	"testing"
)

// TestLibrariesLogWarningsOnly also with attributes, in groups, and at level debug.
func TestLibrariesLogWarningsOnly(t *testing.T) {
	var out strings.Builder
	of := slog.New(Libraries(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, l := range []*slog.Logger{of, of.With("system", "pubsub"), of.WithGroup("swarm")} {
		l.Debug("rpc")
		l.Info("processloop shutting down")
		l.Warn("no room")
		l.Warn("failed to identify peer", "error", "multistream mux select protocol failed")
		l.Error("broken")
	}
	if got := out.String(); strings.Count(got, "level=DEBUG msg=\"failed to identify") != 3 || strings.Count(got, "\n") != 9 || strings.Contains(got, "rpc") || strings.Contains(got, "shutting") {
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
