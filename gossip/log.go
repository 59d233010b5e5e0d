package gossip

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
)

// Libraries returns a handler for what libp2p and GossipSub log, of which only warnings and errors are of use to an operator. Other
// peers cause most of these, as often as they like, so a line that repeats is logged once a minute, with its number.
func Libraries(h slog.Handler) slog.Handler { return libraries{h, new(sync.Map)} }

type libraries struct {
	slog.Handler
	lines *sync.Map // *repeated by message
}

// repeated is a line of a library.
type repeated struct {
	n      atomic.Uint64
	logged minute
}

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
	v, _ := l.lines.LoadOrStore(r.Message, new(repeated))
	line := v.(*repeated)
	n := line.n.Add(1)
	if !line.logged.over() {
		return nil
	}
	r = r.Clone()
	r.AddAttrs(slog.Uint64("lines", n))
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (l libraries) WithAttrs(as []slog.Attr) slog.Handler {
	return libraries{l.Handler.WithAttrs(as), l.lines}
}

// WithGroup implements [slog.Handler].
func (l libraries) WithGroup(name string) slog.Handler {
	return libraries{l.Handler.WithGroup(name), l.lines}
}

// oneLine writes an error without the line breaks in libp2p's lists of addresses.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
