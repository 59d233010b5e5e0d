package main

import (
	"os"
	"syscall"
	"time"
)

// pause sleeps. [time.Sleep] takes at least a millisecond on an idle machine.
func pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}

// syncData makes a file's content durable, as the peer's log does.
func syncData(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// ownCPU returns the seconds of CPU that this process has used.
func ownCPU() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
