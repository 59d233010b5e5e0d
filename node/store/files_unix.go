//go:build linux || darwin || freebsd

package store

import (
	"errors"
	"syscall"
)

// filesOf returns how many files the file system of a folder holds at most, and how many more can be made; zeros where only
// bytes limit their number, or the system does not say.
func filesOf(dir string) (all, free uint64) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, 0
	}
	return uint64(s.Files), uint64(max(0, s.Ffree)) //nolint:unconvert // Ffree has a sign on some systems
}

// Limits returns how many files this process may have open, and how large it may make one.
func Limits() (files, bytes uint64, err error) {
	var n, size syscall.Rlimit
	err = errors.Join(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &n), syscall.Getrlimit(syscall.RLIMIT_FSIZE, &size))
	return uint64(n.Cur), uint64(size.Cur), err //nolint:unconvert // they have a sign on some systems
}
