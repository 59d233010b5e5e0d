package main

import (
	"syscall"
	"time"
)

// pause sleeps. [time.Sleep] takes a millisecond at least where nothing else runs.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}

// ownCPU returns the seconds of CPU that this process has used.
func ownCPU() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
