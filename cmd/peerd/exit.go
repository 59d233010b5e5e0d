package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"peerd.dev/dp"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/testnet"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/lab/world"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// A code says why the process ended.
type code int

// The codes. Scripts rely on them: none ever changes its meaning.
const (
	exitOK          code = 0
	exitUnexpected  code = 1
	exitUsage       code = 2
	exitNetwork     code = 3
	exitConfig      code = 4
	exitPrivacy     code = 5
	exitData        code = 6
	exitDisk        code = store.ExitIO
	exitInterrupted code = 130
)

// An exitMeaning is one line of the table of codes.
type exitMeaning struct {
	Code    code   `json:"code"`
	Meaning string `json:"meaning"`
	Remedy  string `json:"remedy"`
}

// exitMeanings lists the codes for people.
func exitMeanings() []exitMeaning {
	return []exitMeaning{
		{exitOK, "done", "nothing"},
		{exitUnexpected, "unexpected error; for `peerd health`: the peer does not answer, or with `--ready` is not ready", "read the message"},
		{exitUsage, "wrong command line: command, argument or flag; also a defect of the program, behind `panic` or `fatal error`", "run the command with `--help`; start it again after a defect, and report it"},
		{exitNetwork, "network or peers: not ready in time, or lost", "check that the peers run and can be dialled"},
		{exitConfig, "configuration, network file or folder refused: it is not there, belongs to another user, is open to others, or has too long a path", "fix every line of the message; `peerd config check` tries again"},
		{exitPrivacy, "privacy: the budget is too small, a ledger that does not verify, an audit that failed, or a blocked folder", "a spent budget does not come back; see `privacy` in the configuration, and the message"},
		{exitData, "data is missing", "set `world.replay.data`, `world.ranking.data` or the environment variable `PEERD_DATA` to where it is"},
		{exitDisk, "the disk failed: a write or a sync had an error, and nothing was acknowledged after it; or the store is damaged, or lacks what was acknowledged; or there is too little room for bytes or files", "check the disk before starting again; what was acknowledged is there, or on the backup, and the message says how to go on"},
		{exitInterrupted, "interrupted before it was done", "run it again"},
	}
}

// An exitError is an error that carries its code.
type exitError struct {
	code code
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// coded returns err with its code, which it determines if err has none. All errors of commands
// pass here, so errors without a code are cobra's.
func coded(err error) error {
	var carries *exitError
	var fault *config.Fault
	var ended *testnet.ExitedError
	var budget *dp.BudgetError
	var changed *site.ChangedError
	var damaged *store.DamagedError
	switch {
	case err == nil || errors.As(err, &carries):
		return err
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return &exitError{exitDisk, fmt.Errorf("%w: %w. Make room, then run it again", store.ErrFull, err)}
	case errors.Is(err, syscall.EFBIG):
		return &exitError{exitDisk, fmt.Errorf("%w. %s", err, store.LargerFiles)}
	case errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS):
		return &exitError{exitDisk, fmt.Errorf("the disk failed: %w. Check it, then run it again", err)}
	case errors.As(err, &fault):
		return &exitError{codeOfKind(fault.Kind), err}
	case errors.As(err, &ended):
		return &exitError{code(ended.Code), err}
	case errors.Is(err, config.ErrRefused) || errors.As(err, &changed) || errors.Is(err, site.ErrOlder) || errors.Is(err, store.ErrNewer) || errors.Is(err, site.ErrWorld):
		return &exitError{exitConfig, err}
	case errors.Is(err, world.ErrExhausted):
		return &exitError{exitData, fmt.Errorf("%w; every record is played once: lower rounds.count, or raise world.replay.cap with privacy.records_per_user", err)}
	case errors.As(err, &damaged) || errors.Is(err, site.ErrDamaged) || errors.Is(err, store.ErrFull):
		return &exitError{exitDisk, err}
	case errors.Is(err, terminal.ErrOutput) || errors.Is(err, syscall.ENOTDIR):
		return &exitError{exitUsage, err}
	case errors.As(err, &budget):
		return &exitError{exitPrivacy, err}
	case errors.Is(err, fs.ErrPermission):
		return &exitError{exitConfig, fmt.Errorf("%w: run it as the user that owns the folder", err)}
	case errors.Is(err, context.Canceled):
		return &exitError{exitInterrupted, errors.New("interrupted")}
	}
	return &exitError{exitUnexpected, err}
}

// codeOfKind returns the code of a kind of errors.
func codeOfKind(kind error) code {
	for of, c := range map[error]code{
		config.ErrUsage: exitUsage, config.ErrNetwork: exitNetwork, config.ErrRefused: exitConfig, config.ErrPrivacy: exitPrivacy,
		config.ErrData: exitData, context.Canceled: exitInterrupted,
	} {
		if errors.Is(kind, of) {
			return c
		}
	}
	return exitUnexpected
}

// codeOf returns the code of an error that cobra returned.
func codeOf(err error) code {
	var carries *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &carries):
		return carries.code
	}
	return exitUsage
}

// A shownError ends the process with a code, after what is wrong was shown as the result.
type shownError struct{ code code }

func (e *shownError) Error() string { return "not all is well" }

// Unwrap gives the error its code.
func (e *shownError) Unwrap() error { return &exitError{e.code, errors.New(e.Error())} }
