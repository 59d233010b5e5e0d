//go:build !unix

package program

import "os/exec"

// detach does nothing where there are no groups of processes.
func detach(*exec.Cmd) {}

// kill ends the process.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
