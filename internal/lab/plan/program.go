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
	"peerd.dev/protocol"
)

// learners lists what testnets and experiments add to a site's learners.
func learners() []bandit.Params {
	return append(append(learner.Table(), printed.Learners()...), program.LearnerParams{Command: []string{}, Timeout: 10})
}

// protocols lists what testnets and experiments add to a site's protocols.
func protocols() []protocol.Params {
	return append(papers.Protocols(), printed.Protocols()...)
}

// Command returns the command of a learner that is a program, and nil for any other.
func Command(s *config.Settings) []string {
	p, _ := s.LearnerParams().(program.LearnerParams)
	return p.Command
}

// programConstraints keep programs out of peers that protect people.
func programConstraints() []config.Constraint {
	return []config.Constraint{{Keys: []string{"learner.name", "mode"}, Broken: func(s *config.Settings) string {
		if _, ok := s.LearnerParams().(program.LearnerParams); ok && s.Mode == config.Live {
			return fmt.Sprintf("want another one with %s; a program plays in the simulator alone", s.With("mode"))
		}
		return ""
	}}}
}

// NoPrograms refuses programs where peers are processes.
func NoPrograms(s *config.Settings) error {
	if command := Command(s); command != nil {
		return config.Failf(config.ErrRefused, "%s: a program of yours plays in the simulator alone: `peerd experiment run`", strings.Join(command, " "))
	}
	return nil
}

// Scripts returns the files that the command of a configuration names.
func Scripts(c *config.Config) ([]program.File, error) {
	files, _, err := program.Files(Command(&c.Settings), filepath.Dir(c.File))
	if err != nil {
		return nil, config.Failf(config.ErrRefused, "a program: %w", err)
	}
	return files, nil
}

// Play returns settings whose program, if they have one, plays in a run.
func Play(s *config.Settings, run *program.Run) *config.Settings {
	own := *s
	if x, ok := own.LearnerParams().(program.LearnerParams); ok {
		own.SetLearner(x.In(run))
	}
	return &own
}
