package score

import (
	"fmt"
	"log/slog"
)

// Features describe an action, as numbers. They are private: they print and log as "private".
type Features []float64

// Format implements [fmt.Formatter].
func (Features) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// LogValue implements [slog.LogValuer].
func (Features) LogValue() slog.Value { return slog.StringValue("private") }

// MarshalText implements [encoding.TextMarshaler], so that JSON hides them as well.
func (Features) MarshalText() ([]byte, error) { return []byte("private"), nil }
