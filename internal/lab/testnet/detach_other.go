//go:build !unix

package testnet

import "os/exec"

// detach does nothing where there are no groups of processes.
func detach(*exec.Cmd) {}
