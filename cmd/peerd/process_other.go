//go:build !unix

package main

// keepPrivate does nothing where there are no modes.
func keepPrivate() {}

// hideArguments does nothing where a process cannot become another.
func hideArguments() error { return nil }
