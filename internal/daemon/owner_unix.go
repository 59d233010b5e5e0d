//go:build linux || darwin || freebsd

package daemon

import (
	"io/fs"
	"syscall"
)

// OwnerOf returns the user that a file belongs to.
func OwnerOf(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
