// Package command has the commands of the core of peerd, what all commands share (flags, printing, exit codes), and the register of extras.
package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// A Code says why the process ended.
type Code int

// The codes. Scripts rely on them: none ever changes its meaning.
const (
	ExitOK          Code = 0
	ExitUnexpected  Code = 1
	ExitUsage       Code = 2
	ExitNetwork     Code = 3
	ExitConfig      Code = 4
	ExitPrivacy     Code = 5
	ExitData        Code = 6
	ExitDisk        Code = store.ExitIO
	ExitInterrupted Code = 130
)

// A Meaning is one line of the table of codes.
type Meaning struct {
	Code    Code   `json:"code"`
	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

// Meanings lists the codes for people.
func Meanings() []Meaning {
	return []Meaning{
		{ExitOK, "done", "nothing"},
		{ExitUnexpected, "unexpected error; for `peerd health`: the peer does not answer, or with `--ready` is not ready", "read the message"},
		{ExitUsage, "wrong command line: command, argument or flag; also a defect of the program, behind `panic` or `fatal error`", "run the command with `--help`; start it again after a defect, and report it"},
		{ExitNetwork, "network or peers: not ready in time, or lost", "check that the peers run and can be dialled"},
		{ExitConfig, "configuration, network file or folder refused: it is not there, belongs to another user, is open to others, or has too long a path", "fix every line of the message; `peerd config check` tries again"},
		{ExitPrivacy, "privacy: the budget is too small, a ledger that does not verify, an audit that failed, or a blocked folder", "a spent budget does not come back; see `privacy` in the configuration, and the message"},
		{ExitData, "data is missing", "set `world.replay.data`, `world.ranking.data` or the environment variable `PEERD_DATA` to where it is"},
		{ExitDisk, "the disk failed: a write or a sync had an error, and nothing was acknowledged after it; or the store is damaged, or lacks what was acknowledged; or there is too little room for bytes or files", "check the disk before starting again; what was acknowledged is there, or on the backup, and the message says how to go on"},
		{ExitInterrupted, "interrupted before it was done", "run it again"},
	}
}

// An exitError is an error that carries its code.
type exitError struct {
	code Code
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// Coded returns err with its code, which it determines if err has none. All errors of commands
// pass here, so errors without a code are cobra's.
func Coded(err error) error {
	var carries *exitError
	var fault *config.Fault
	var budget *dp.BudgetError
	var changed *site.ChangedError
	var damaged *store.DamagedError
	switch {
	case err == nil || errors.As(err, &carries):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return &exitError{ExitDisk, fmt.Errorf("%w: %w. Make room, then run it again", store.ErrFull, err)}
	case errors.Is(err, syscall.EFBIG):
		return &exitError{ExitDisk, fmt.Errorf("%w. %s", err, store.LargerFiles)}
	case errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS):
		return &exitError{ExitDisk, fmt.Errorf("the disk failed: %w. Check it, then run it again", err)}
	case errors.As(err, &fault):
		return &exitError{CodeOfKind(fault.Kind), err}
	case ofExtra(err) != nil:
		return ofExtra(err)
	case errors.Is(err, config.ErrRefused) || errors.As(err, &changed) || errors.Is(err, site.ErrOlder) || errors.Is(err, store.ErrNewer) || errors.Is(err, site.ErrWorld):
		return &exitError{ExitConfig, err}
	case errors.As(err, &damaged) || errors.Is(err, site.ErrDamaged) || errors.Is(err, store.ErrFull):
		return &exitError{ExitDisk, err}
	case errors.Is(err, terminal.ErrOutput) || errors.Is(err, syscall.ENOTDIR):
		return &exitError{ExitUsage, err}
	case errors.As(err, &budget):
		return &exitError{ExitPrivacy, err}
	case errors.Is(err, fs.ErrPermission):
		return &exitError{ExitConfig, fmt.Errorf("%w: run it as the user that owns the folder", err)}
	case errors.Is(err, context.Canceled):
		return &exitError{ExitInterrupted, errors.New("interrupted")}
	}
	return &exitError{ExitUnexpected, err}
}

// ofExtra returns the error of an extra with its code, or nil.
func ofExtra(err error) error {
	for _, of := range extras.errors {
		if code, said := of(err); said != nil {
			return &exitError{code, said}
		}
	}
	return nil
}

// CodeOfKind returns the code of a kind of errors.
func CodeOfKind(kind error) Code {
	for of, c := range map[error]Code{
		config.ErrUsage: ExitUsage, config.ErrNetwork: ExitNetwork, config.ErrRefused: ExitConfig, config.ErrPrivacy: ExitPrivacy,
		config.ErrData: ExitData, context.Canceled: ExitInterrupted,
	} {
		if errors.Is(kind, of) {
			return c
		}
	}
	return ExitUnexpected
}

// CodeOf returns the code of an error that cobra returned.
func CodeOf(err error) Code {
	var carries *exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &carries):
		return carries.code
	}
	return ExitUsage
}

// A ShownError ends the process with a code, after what is wrong was shown as the result.
type ShownError struct{ Code Code }

func (e *ShownError) Error() string { return "not all is well" }

// Unwrap gives the error its code.
func (e *ShownError) Unwrap() error { return &exitError{e.Code, errors.New(e.Error())} }
