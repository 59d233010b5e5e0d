package main

import (
	"io"
	"log/slog"
)

// newLogger returns the log that settings ask for.
func newLogger(w io.Writer, l Log) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		return nil, err
	}
	opts := &slog.HandlerOptions{Level: level}
	if l.Format == "json" || (l.Format == "auto" && !isTerminal(w)) {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}
