//go:build !failpoint && unix

package durabletest

// failpoints reports whether peers can be killed at exact places.
const failpoints = false
