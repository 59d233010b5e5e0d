//go:build !unix

package command

// keepPrivate does nothing on systems without file modes.
func keepPrivate() {}

// hideArguments does nothing on systems where a process cannot replace itself.
func hideArguments() error { return nil }
