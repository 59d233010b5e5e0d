package gossip

import (
	"context"
	"log/slog"
)

// Libraries returns a handler for what libp2p and GossipSub log, of which only warnings and errors are of use to an operator.
func Libraries(h slog.Handler) slog.Handler { return libraries{h} }

type libraries struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (l libraries) Enabled(ctx context.Context, at slog.Level) bool {
	return at >= slog.LevelWarn && l.Handler.Enabled(ctx, at)
}

// Handle implements [slog.Handler]. Peers that close a connection early, because they are refused or the network has changed,
// are no trouble; this package counts and logs what they do.
func (l libraries) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "failed to identify peer" || r.Message == "error reading identify message" {
		if r.Level = slog.LevelDebug; !l.Handler.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (l libraries) WithAttrs(as []slog.Attr) slog.Handler {
	return libraries{l.Handler.WithAttrs(as)}
}

// WithGroup implements [slog.Handler].
func (l libraries) WithGroup(name string) slog.Handler { return libraries{l.Handler.WithGroup(name)} }
