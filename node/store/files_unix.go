//go:build linux || darwin || freebsd

package store

import "syscall"

// filesOf returns how many files the file system of a folder holds at most, and how many more can be made; zeros where only
// bytes limit their number, or the system does not say.
func filesOf(dir string) (all, free uint64) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, 0
	}
	return uint64(s.Files), uint64(max(0, s.Ffree)) //nolint:unconvert // Ffree has a sign on some systems
}
