//go:build failpoint && unix

package main

// failpoints says that peers can be killed at exact places.
const failpoints = true
