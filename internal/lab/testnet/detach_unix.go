//go:build unix

package testnet

import (
	"os/exec"
	"syscall"
)

// detach keeps an interrupt at the terminal from reaching a peer directly: who
// started it ends it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
