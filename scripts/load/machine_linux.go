package main

import (
	"os"
	"syscall"
	"time"
)

// pause sleeps. [time.Sleep] takes a millisecond at least where nothing else runs.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}

// syncData makes what a file holds durable, as the peer's log is.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// ownCPU returns the seconds of CPU that this process has used.
func ownCPU() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
