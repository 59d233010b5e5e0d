//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// keepPrivate has this process make files that only its owner may read.
func keepPrivate() { syscall.Umask(0o077) }

// hideArguments keeps what stood in registers and on stacks, which may be a reward, out
// of what is printed when the process dies: the runtime prints no stack at all, which
// only the environment of a new process can ask for, and a quit is answered with where
// every goroutine is, without arguments.
func hideArguments() error {
	if os.Getenv(traceback) == "" {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		return syscall.Exec(exe, os.Args, append(os.Environ(), traceback+"=none"))
	}
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT, syscall.SIGABRT)
	go func() {
		_, _ = fmt.Fprintln(os.Stderr, <-quit)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		os.Exit(int(exitUsage)) // as the runtime does
	}()
	return nil
}

const traceback = "GOTRACEBACK"
