package daemon

import (
	"io"
	"log/slog"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
)

// NewLogger returns the logger that settings ask for, and its level, which can be changed later.
func NewLogger(w io.Writer, l config.Log) (*slog.Logger, *slog.LevelVar, error) {
	level := new(slog.LevelVar)
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" || (l.Format == "auto" && !terminal.IsTerminal(w)) {
		return slog.New(slog.NewJSONHandler(w, opts)), level, nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), level, nil
}

// Libraries returns what handles the log of libp2p: its warnings and errors go to the peer's log.
func Libraries(log *slog.Logger) slog.Handler { return gossip.Libraries(log.Handler()) }
