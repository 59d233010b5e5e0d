//go:build linux || darwin || freebsd

package doctor

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user that a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}

// diskOf returns the size of the disk that a folder is on, and how much of it this
// process may still fill.
func diskOf(dir string) (total, free uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return times(s.Blocks, s.Bsize), times(s.Bavail, s.Bsize), nil
}

// times multiplies numbers that systems count in different types.
func times[A, B int64 | uint64 | uint32](a A, b B) uint64 { return uint64(a) * uint64(b) }
