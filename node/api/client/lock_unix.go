//go:build unix

package client

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// lock takes a file for this client until its process ends or closes it.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		by, _ := os.ReadFile(f.Name())
		_ = f.Close()
		return nil, fmt.Errorf("%s is used by process %s: give each worker a file of its own (%w)", path, strings.TrimSpace(string(by)), err)
	}
	if err = f.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(f, os.Getpid()) // only for that message
	}
	return f, nil
}
