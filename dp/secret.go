package dp

import (
	"bytes"
	"fmt"
	"log/slog"

	"peerd.dev/internal/vouch"
)

// A Secret is an encoded state with private data. It prints, logs and marshals as "private", so
// that it reaches only the store.
type Secret struct{ b []byte }

// NewSecret makes a Secret of bytes that the store kept. It keeps b.
func NewSecret(b vouch.Value[[]byte]) Secret { return Secret{b.Get()} }

// Bytes returns a copy of the bytes, only for the store.
func (s Secret) Bytes() []byte { return bytes.Clone(s.b) }

// Format implements [fmt.Formatter].
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return slog.StringValue("private") }

// MarshalText implements [encoding.TextMarshaler], so that JSON hides it as well.
func (Secret) MarshalText() ([]byte, error) { return []byte("private"), nil }
