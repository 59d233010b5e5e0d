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
		l.Error("broken")
	}
	if got := out.String(); strings.Count(got, "\n") != 6 || strings.Contains(got, "rpc") || strings.Contains(got, "shutting") {
		t.Errorf("logged:\n%s", got)
	}
}
