//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// detach makes a group of the process and all that it starts, which an interrupt at the terminal does not reach.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
