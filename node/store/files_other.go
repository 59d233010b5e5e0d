//go:build !linux && !darwin && !freebsd

package store

import "errors"

func filesOf(string) (all, free uint64) { return 0, 0 }

// Limits is not known here.
func Limits() (files, bytes uint64, err error) { return 0, 0, errors.ErrUnsupported }
