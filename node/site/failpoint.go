//go:build !failpoint

package site

// failpoint is where the tests that are built with the tag failpoint kill the
// process.
func failpoint(string) {}
