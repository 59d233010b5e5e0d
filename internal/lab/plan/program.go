package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"peerd.dev/bandit"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/program"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/printed"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// learners lists what testnets and experiments add to a site's learners.
func learners() []bandit.Params {
	return append(append(learner.Table(), printed.Learners()...), program.LearnerParams{Command: []string{}, Timeout: 10})
}

// protocols lists what testnets and experiments add to a site's protocols.
func protocols() []protocol.Params {
	return append(append(papers.Protocols(), printed.Protocols()...), program.ProtocolParams{Command: []string{}, Timeout: 10, Every: 20})
}

// worlds lists the simulated worlds.
func worlds() []world.Params {
	return append(world.Table(), program.WorldParams{Command: []string{}, Timeout: 10})
}

// programs has the keys that choose a program, and what settings choose by them.
var programs = []struct { //nolint:gochecknoglobals // only read
	key    string
	chosen func(*config.Settings) any
}{
	{"learner.name", func(s *config.Settings) any { return s.LearnerParams() }},
	{"protocol.name", func(s *config.Settings) any { return s.ProtocolParams() }},
	{"world.kind", func(s *config.Settings) any { return WorldParams(s) }},
}

// Commands returns the commands of the programs that settings choose.
func Commands(s *config.Settings) (all [][]string) {
	for _, x := range programs {
		if p, ok := x.chosen(s).(program.Params); ok {
			all = append(all, p.Program())
		}
	}
	return all
}

// programConstraints keep programs out of peers that protect people.
func programConstraints() (all []config.Constraint) {
	for _, x := range programs {
		all = append(all, config.Constraint{Keys: []string{x.key, "mode"}, Broken: func(s *config.Settings) string { // A program plays in the simulator alone, for mode lockstep.
			if _, ok := x.chosen(s).(program.Params); ok && s.Mode == config.Live {
				return fmt.Sprintf("want another one with %s; a program plays in the simulator alone", s.With("mode"))
			}
			return ""
		}})
	}
	return all
}

// NoPrograms refuses programs where peers are processes.
func NoPrograms(s *config.Settings) error {
	for _, command := range Commands(s) {
		return config.Failf(config.ErrRefused, "%s: a program of yours plays in the simulator alone: `peerd experiment run`", strings.Join(command, " "))
	}
	return nil
}

// Scripts returns the files that the commands of a configuration name.
func Scripts(c *config.Config) (all []program.File, err error) {
	for _, command := range Commands(&c.Settings) {
		files, _, err := program.Files(command, filepath.Dir(c.File))
		if err != nil {
			return nil, config.Failf(config.ErrRefused, "a program: %w", err)
		}
		all = append(all, files...)
	}
	return all, nil
}

// Play returns settings with the programs of a run, and the source of its worlds: source, unless a program pays.
func Play(s *config.Settings, run *program.Run, source world.Source) (*config.Settings, world.Source, error) {
	own := *s
	if x, ok := own.LearnerParams().(program.LearnerParams); ok {
		own.SetLearner(x.In(run))
	}
	if x, ok := own.ProtocolParams().(program.ProtocolParams); ok {
		own.SetProtocol(x.In(run))
	}
	x, ok := WorldParams(&own).(program.WorldParams)
	if !ok {
		return &own, source, nil
	}
	own.World.Params = own.World.Params.With(own.World.Kind, x.In(run))
	source, err := OpenWorld(&own, own.SitesOf(TestnetOf(&own).Nodes))
	return &own, source, err
}
