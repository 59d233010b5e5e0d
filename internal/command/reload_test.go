package command

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestAReloadTakesOverWhatCanChange and names what cannot; a refused configuration changes
// nothing.
func TestAReloadTakesOverWhatCanChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "peerd.yaml")
	write := func(s string) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte("arms: [a, b]\nprivacy: {epsilon: 1, horizon: 1000}\n"+s), 0o600))
	}
	write("log: {level: warn}\n")
	o := &App{Config: file}
	running := require.Value(o.Load())(t)
	var out strings.Builder
	level := new(slog.LevelVar)
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
	check := func(want slog.Level, words ...string) {
		t.Helper()
		out.Reset()
		reload(o, running, level, log)
		if level.Level() != want {
			t.Errorf("the level is %v, want %v", level.Level(), want)
		}
		for _, w := range words {
			if !strings.Contains(out.String(), w) {
				t.Errorf("log without %q:\n%s", w, &out)
			}
		}
	}
	write("log: {level: debug}\n")
	check(slog.LevelDebug, "log.level=debug")
	if strings.Contains(out.String(), "restart") {
		t.Errorf("a restart for nothing:\n%s", &out)
	}
	write("log: {level: info}\nrounds: {every: 7s}\n")
	check(slog.LevelInfo, "need a restart", "[rounds.every]")
	write("log: {level: loud}\n")
	check(slog.LevelInfo, "level=ERROR", "not taken over", "log.level")
}
