//go:build !linux && !darwin && !freebsd

package doctor

import (
	"errors"
	"io/fs"
)

func ownerOf(fs.FileInfo) (uid int, ok bool) { return 0, false }

func diskOf(string) (total, free uint64, err error) { return 0, 0, errors.ErrUnsupported }
