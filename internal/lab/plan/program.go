package plan

import (
	"context"
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

// defaultTimeout of programs, in seconds.
const defaultTimeout = 10

// learners lists what testnets and experiments add to a site's learners.
func learners() []bandit.Params {
	all := append(learner.Table(), printed.Learners()...)
	return append(all, program.LearnerParams{Command: []string{}, Timeout: defaultTimeout})
}

// worlds lists the simulated worlds.
func worlds() []world.Params {
	return append(world.Table(), program.WorldParams{Command: []string{}, Timeout: defaultTimeout})
}

// protocols lists what testnets and experiments add to a site's protocols.
func protocols() []protocol.Params {
	all := append(papers.Protocols(), printed.Protocols()...)
	return append(all, program.ProtocolParams{Command: []string{}, Timeout: defaultTimeout, Every: 20})
}

// Commands returns the commands of the programs that settings choose.
func Commands(s *config.Settings) (all [][]string) {
	if p, ok := s.LearnerParams().(program.LearnerParams); ok {
		all = append(all, p.Command)
	}
	if p, ok := WorldParams(s).(program.WorldParams); ok {
		all = append(all, p.Command)
	}
	if p, ok := s.ProtocolParams().(program.ProtocolParams); ok {
		all = append(all, p.Command)
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
		files, err := program.Files(command, filepath.Dir(c.File))
		if err != nil {
			return nil, config.Failf(config.ErrRefused, "a program: %w", err)
		}
		all = append(all, files...)
	}
	return all, nil
}

// A Played configuration is one with programs that run, or none.
type Played struct {
	*config.Settings
	Source world.Source
	run    *program.Run // nil without programs
}

// Play starts the programs of a configuration for the run of a seed, whose worlds have a source. They end with ctx, or when they are closed.
func Play(ctx context.Context, c *config.Config, source world.Source, seed uint64) (*Played, error) {
	p := &Played{Settings: &c.Settings, Source: source}
	if len(Commands(&c.Settings)) == 0 {
		return p, nil
	}
	own := c.Settings
	p.Settings, p.run = &own, program.NewRun(ctx, seed, c.RoundCount(), filepath.Dir(c.File))
	if x, ok := own.LearnerParams().(program.LearnerParams); ok {
		own.SetLearner(p.run.Learner(x))
	}
	if x, ok := own.ProtocolParams().(program.ProtocolParams); ok {
		own.SetProtocol(p.run.Protocol(x))
	}
	if x, ok := WorldParams(&own).(program.WorldParams); ok {
		own.World.Params = own.World.Params.With(own.World.Kind, p.run.World(x))
		var err error
		if p.Source, err = OpenWorld(&own, own.SitesOf(TestnetOf(&own).Nodes)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Guard changes worlds so that they pay nothing once a program has failed.
func (p *Played) Guard(worlds []bandit.World) {
	for i, w := range worlds {
		if p.run != nil && w != nil {
			worlds[i] = p.run.Guard(w)
		}
	}
}

// Close ends the programs. It returns the run's error, or else a program's.
func (p *Played) Close(err error) error {
	if p.run == nil {
		return err
	}
	if failed := p.run.Close(); err == nil && failed != nil {
		return fmt.Errorf("at the end: %w", failed)
	}
	return err
}

// programConstraints keep programs out of peers that protect people.
func programConstraints() (all []config.Constraint) {
	for _, x := range []struct {
		key string
		is  func(*config.Settings) bool
	}{
		{"learner.name", func(s *config.Settings) bool { _, ok := s.LearnerParams().(program.LearnerParams); return ok }},
		{"protocol.name", func(s *config.Settings) bool { _, ok := s.ProtocolParams().(program.ProtocolParams); return ok }},
		{"world.kind", func(s *config.Settings) bool { _, ok := WorldParams(s).(program.WorldParams); return ok }},
	} {
		all = append(all, config.Constraint{Keys: []string{x.key, "mode"}, Doc: "A program plays in the simulator alone, for mode lockstep.", Broken: func(s *config.Settings) string {
			if s.Mode == config.Live && x.is(s) {
				return fmt.Sprintf("want another one with %s; a program plays in the simulator alone", s.With("mode"))
			}
			return ""
		}})
	}
	return all
}
