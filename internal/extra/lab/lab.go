// Package lab is the extra with simulations: experiments, testnets, topologies, and what joining would pay. It adds simulated worlds, and
// learners and protocols of papers, to what a configuration may set.
package lab

import (
	"errors"
	"fmt"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/stepped"
	"peerd.dev/internal/lab/testnet"
	"peerd.dev/node/lab/world"
)

func init() {
	command.Schema, command.Lockstep = plan.Schema, lockstep
	command.Register("", newExperiment)
	command.Register("", newTestnet)
	command.Register("", newTopology)
	command.Register("", newJoining)
	command.RegisterErrors(codeOf)
}

func lockstep(s *config.Settings, trace string) (daemon.Lockstep, error) {
	return stepped.Open(trace), plan.NoPrograms(s)
}

func codeOf(err error) (command.Code, error) {
	var ended *testnet.ExitedError
	switch {
	case errors.As(err, &ended):
		return command.Code(ended.Code), err
	case errors.Is(err, world.ErrExhausted):
		return command.ExitData, fmt.Errorf("%w; every record is played once: lower rounds.count, or raise world.replay.cap with privacy.records_per_user", err)
	}
	return command.ExitOK, nil
}
