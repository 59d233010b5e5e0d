package config

import (
	"errors"
	"fmt"
)

// The kinds of errors that a command line may end with, for [errors.Is].
var (
	ErrUsage      = errors.New("wrong command line")
	ErrRefused    = errors.New("configuration or network file refused")
	ErrNetwork    = errors.New("network or peers not ready, or lost")
	ErrPrivacy    = errors.New("privacy promise cannot be kept")
	ErrData       = errors.New("data missing")
	ErrUnexpected = errors.New("unexpected error")
)

// A Fault is an error with its kind, which is one of this package or [context.Canceled]. The kind
// adds nothing to the text.
type Fault struct {
	Kind error
	Err  error
}

func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the kind and the error.
func (f *Fault) Unwrap() []error { return []error{f.Kind, f.Err} }

// Failf returns a [*Fault] with a text formatted like [fmt.Errorf]'s.
func Failf(kind error, format string, args ...any) error {
	return &Fault{kind, fmt.Errorf(format, args...)}
}
