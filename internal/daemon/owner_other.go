//go:build !linux && !darwin && !freebsd

package daemon

import (
	"io/fs"
	"os"
)

// OwnerOf returns the user of this process, since files here have no other.
func OwnerOf(fs.FileInfo) int { return os.Geteuid() }
