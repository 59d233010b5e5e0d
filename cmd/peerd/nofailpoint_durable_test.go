//go:build !failpoint && unix

package main

// failpoints reports whether peers can be killed at exact places.
const failpoints = false
