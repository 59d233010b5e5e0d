package daemon

import (
	"io"
	"log/slog"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/cmd/peerd/internal/terminal"
)

// NewLogger returns the log that settings ask for.
func NewLogger(w io.Writer, l config.Log) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" || (l.Format == "auto" && !terminal.IsTerminal(w)) {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
