// Package vouch marks the values from which package dp and package protocol make releases, messages and curators: bytes
// of the wire or of the disk, a budget, memory that is not shared. Only packages of this module can import it, so a
// program of another module that makes a release of a number of its own does not compile.
//
// In this module a test lists the files that may vouch, TestFewMayMakeReleases in package protocol.
package vouch

// A Value is a value for which a package of this module vouches. The zero Value, which every program can make, holds
// the zero value of T: no bytes, no fields, no budget.
type Value[T any] struct{ of T }

// For returns the Value of x, for which the caller answers.
func For[T any](x T) Value[T] { return Value[T]{x} }

// Get returns the value.
func (v Value[T]) Get() T { return v.of }
