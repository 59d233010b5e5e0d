//go:build !unix

package main

import "os/exec"

// keepPrivate does nothing where there are no modes.
func keepPrivate() {}

func detach(*exec.Cmd) {}
