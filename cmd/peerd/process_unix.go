//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// keepPrivate has this process make files that only its owner may read.
func keepPrivate() { syscall.Umask(0o077) }

// detach keeps an interrupt at the terminal from reaching a peer directly: who
// started it ends it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
