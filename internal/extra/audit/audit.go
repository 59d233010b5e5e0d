// Package audit is the extra that tests what a configuration promises on the program's own code.
package audit

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/lab/progress"
	"peerd.dev/node/lab/audit"
	"peerd.dev/protocol"
)

// How many plays of each history an audit makes.
const (
	auditRuns  = 1000
	auditQuick = 60
)

func init() {
	command.Schema = plan.Schema
	command.Register("", newAudit)
}

func newAudit(o *command.App) *cobra.Command {
	var (
		runs, seed uint64
		quick      bool
	)
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Test what a configuration promises, on the peer's own code",
		Long: `Play the peers of a configuration many times over two histories that differ in one
user's rewards, and look for more than the promise allows: whether choices and messages
follow from what was drawn, how well the histories can be distinguished by what was
drawn and sent, whether the noise has the law that the ledger charges for, and whether
one user moves what is drawn by no more than is charged. Bounds are of epsilon, and of
mu where the mechanism's noise is Gaussian.

Privacy, protocol and learner are taken from the configuration. World, network, length
and, if there are many, arms and leaves are replaced: three peers in one process,
rewards of 0 and 1 at the worst places, and a horizon short enough for one record to
show. Settings of experiment cells are not applied; pass them with --set. The command
needs no network and no running peer, and changes no files.

If a promise is broken, the exit code is 5. If none is, that is no proof: docs/audit.md
lists the losses that each number of runs can detect. A run shows most at an epsilon of
1 to 2, or of 5 with Gaussian noise.

That is an audit of the program. For an audit of what one site has done, peerd audit
bundle writes its evidence to one signed file, and peerd audit verify verifies it.`,
		Example: `  peerd audit configs/rows.yaml
  peerd audit hospital-a/peerd.yaml --runs 5000
  peerd audit configs/rows.yaml --set privacy.mechanism=tree-gaussian --set privacy.epsilon=5 --set privacy.delta=1e-6
  peerd audit configs/figures/radius.yaml --set learner.name=ucb-printed
  peerd audit configs/rows.yaml --quick --seed 1 --json | jq .passed`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick && !cmd.Flags().Changed("runs") {
				runs = auditQuick
			}
			if runs < audit.MinRuns || runs > 1_000_000 {
				return config.Failf(config.ErrUsage, "--runs %d, want a number from %d to 1000000", runs, audit.MinRuns)
			}
			c, err := o.Load()
			if err != nil {
				return err
			}
			if err := plan.NoPrograms(&c.Settings); err != nil {
				return err
			}
			return runAudit(o, cmd.Context(), &c.Settings, int(runs), seed)
		},
	}
	cmd.Flags().Uint64Var(&runs, "runs", auditRuns, "plays of each history, and four times this number of the sharpest one")
	cmd.Flags().BoolVar(&quick, "quick", false, "few plays, which find gross faults only")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the noise and coins of the bounds, to repeat an audit (default 0: noise as a daemon's)")
	return o.TakesFile(cmd)
}

func runAudit(o *command.App, ctx context.Context, s *config.Settings, runs int, seed uint64) error {
	for _, note := range auditNotes(s) {
		_, _ = fmt.Fprintf(o.Stderr, "audit: %s\n", note)
	}
	if s.Privacy.Epsilon.Infinite() {
		return config.Failf(config.ErrRefused, "%s promises nothing, so there is nothing to audit", s.With("privacy.epsilon"))
	}
	spec, err := plan.Spec(s)
	if err != nil {
		return err
	}
	if plan.Unclipped(s) {
		return config.Failf(config.ErrRefused, "no epsilon holds for rewards that are not clipped, so there is nothing to audit; add --set world.%s.clip=true", s.World.Kind)
	}
	if idlePeers(s) > 0 {
		spec.Protocol = protocol.Among(spec.Protocol, audit.Peers) // the audited peer has arms
	}
	c := audit.Config{Spec: spec, Topic: s.Mode == config.Live, Runs: runs, Seed: seed}
	// As in experiments: played peers make much garbage and hold little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	p := progress.New(o.Stderr, "audit", c.Plays())
	defer p.End()
	c.Progress = p.Add
	r, err := audit.Run(ctx, c)
	if err != nil {
		return err
	}
	p.End()
	return showAudit(o, r)
}

// auditNotes returns what of a configuration is not audited unchanged.
func auditNotes(s *config.Settings) (notes []string) {
	if s.Mode == config.Lockstep {
		notes = append(notes, "mode lockstep protects no one; the audit is of what the same settings would promise people")
	}
	if idle := idlePeers(s); idle > 0 {
		notes = append(notes, fmt.Sprintf("peers with arms are audited; %s without arms, with no rewards to protect, left out", config.Counted(uint64(idle), "peer")))
	}
	cells := plan.ExperimentOf(s).Cells
	if len(cells) == 0 {
		return notes
	}
	all := plan.Expand(cells)
	note := fmt.Sprintf("the configuration is audited without what its %d experiment cells set", len(all))
	for _, c := range all {
		if len(c.Set) > 0 {
			note += fmt.Sprintf("; to audit cell %q add --set %s", c.Name, strings.Join(c.Set, " --set "))
			break
		}
	}
	return append(notes, note)
}

// idlePeers returns how many peers have a role without arms.
func idlePeers(s *config.Settings) int {
	n := plan.TestnetOf(s).Nodes
	return n - protocol.Learners(s.ProtocolParams(), n)
}

// showAudit prints a report, and fails if a promise is broken.
func showAudit(o *command.App, r *audit.Report) error {
	if err := o.Print(r, func(w io.Writer) { _ = r.Write(w) }); err != nil {
		return err
	}
	if !r.Passed {
		return &command.ShownError{Code: command.ExitPrivacy}
	}
	return nil
}
