//go:build !failpoint

package site

// failpoint is a place where tests built with the tag failpoint kill the process.
func failpoint(string) {}
