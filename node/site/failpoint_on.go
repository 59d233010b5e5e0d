//go:build failpoint

package site

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var hits atomic.Int64 //nolint:gochecknoglobals // counts across the process

// failpoint kills the process when it passes a place for the n-th time, as set by
// PEERD_FAILPOINT=place:n.
func failpoint(place string) {
	at, count, ok := strings.Cut(os.Getenv("PEERD_FAILPOINT"), ":")
	if !ok || at != place {
		return
	}
	if n, err := strconv.ParseInt(count, 10, 64); err == nil && hits.Add(1) == n {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // nothing more is answered
	}
}
