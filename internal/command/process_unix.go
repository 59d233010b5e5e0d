//go:build unix

package command

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// keepPrivate makes this process create files that only its owner may read.
func keepPrivate() { syscall.Umask(0o077) }

// hideArguments keeps the contents of registers and stacks, which may include a reward, out of
// what is printed when the process dies. The runtime then prints no stack at all, which only the
// environment of a new process can request, and a quit signal prints where every goroutine is,
// without arguments.
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
		os.Exit(int(ExitUnexpected))
	}()
	return nil
}

const traceback = "GOTRACEBACK"
