package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

func TestErrorsCarryTheirCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want code
	}{
		{nil, exitOK},
		{errors.New("disk full"), exitUnexpected},
		{config.Failf(config.ErrNetwork, "no peers"), exitNetwork},
		{fmt.Errorf("round 3: %w", config.Failf(config.ErrData, "no folder")), exitData},
		{fmt.Errorf("start: %w", &config.Refusal{What: "configuration"}), exitConfig},
		{fmt.Errorf("start: life: %w", site.ErrOlder), exitConfig},
		{fmt.Errorf("start: %w", &dp.BudgetError{What: "rewards", Asked: account.Loss{Pure: 2}, Budget: account.Budget{Epsilon: 1}}), exitPrivacy},
		{fmt.Errorf("round 3: %w", context.Canceled), exitInterrupted},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, exitDisk},
		{config.Failf(config.ErrUnexpected, "document: %w", syscall.EDQUOT), exitDisk},
		{fmt.Errorf("start: %w", syscall.EROFS), exitDisk},
		{fmt.Errorf("start: %w", syscall.EIO), exitDisk},
		{fmt.Errorf("start: %w", store.ErrFull), exitDisk},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, exitConfig},
	} {
		if got := command.CodeOf(command.Coded(c.err)); got != c.want {
			t.Errorf("%v: code %d, want %d", c.err, got, c.want)
		}
	}
	if got := command.CodeOf(errors.New("unknown flag")); got != exitUsage {
		t.Errorf("cobra's own errors have code %d, want 2", got)
	}
}

func TestEveryCommandTeachesByExample(t *testing.T) {
	root := command.NewRoot(&command.App{Stdout: t.Output(), Stderr: t.Output()})
	commands := root.Commands()
	for i := 0; i < len(commands); i++ {
		c := commands[i]
		commands = append(commands, c.Commands()...)
		if c.Short == "" || c.Runnable() && !c.HasSubCommands() && c.Example == "" {
			t.Errorf("%s lacks help or an example", c.CommandPath())
		}
		if c.RunE == nil && c.Run != nil {
			t.Errorf("%s has Run and no RunE, so its errors get no code", c.CommandPath())
		}
	}
}

// TestCommandsAreInterrupted before there is a result.
func TestCommandsAreInterrupted(t *testing.T) {
	for said, args := range map[string][]string{
		"":                          {"audit", "-c", configtest.Write(t, configtest.Good(nil))},
		"interrupted":               {"joining"},
		"0 of 20 runs are finished": {"experiment", "run", "../../configs/rows.yaml", "--set", "rounds.count=400", "-o", t.TempDir()},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stdout, stderr bytes.Buffer
		if c := command.Execute(ctx, args, &stdout, &stderr); code(c) != exitInterrupted || stdout.Len() > 0 || !strings.Contains(stderr.String(), said) {
			t.Errorf("%v: code %d, want %d: %s%s", args, c, exitInterrupted, &stdout, &stderr)
		}
	}
}
