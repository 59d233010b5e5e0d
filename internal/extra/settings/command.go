// Package settings is the extra that checks and shows a configuration.
package settings

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/explain"
)

func init() { command.Register("", newConfig) }

func newConfig(o *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check and show the configuration",
		Long: `Check and show the configuration. What a site sets is part of what an experiment sets, so that
one file can be run, tried in a testnet and simulated. An unknown key, a wrong type or a value out of range is an error. Neither
command starts a peer or changes a file.`,
		Example: `  peerd config check peerd.yaml
  peerd config show --schema`,
		Args: cobra.NoArgs,
		RunE: command.Help,
	}
	cmd.AddCommand(newConfigCheck(o), newConfigShow(o))
	return cmd
}

func newConfigCheck(o *command.App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "check",
		Short: "Check a configuration and say what it means",
		Long: `Read the configuration as a run would, and print what it means or, on one line for each
problem, the key, its value and what is wanted. A warning names settings that are allowed
but cannot work, with the number that shows it. It needs the configuration alone: no peer is
started, and the network file is not read.`,
		Example: `  peerd config check configs/testnet.yaml
  PEERD_PRIVACY_EPSILON=0.5 peerd config check configs/testnet.yaml
  peerd config check configs/testnet.yaml --set privacy.epsilon=-1 --json`,
		RunE: o.Loaded(func(_ context.Context, c *config.Config) error {
			doc := checkDoc{OK: true, File: c.File, Description: description(&c.Settings), Losing: command.Losing(&c.Settings)}
			return o.Print(doc, func(w io.Writer) {
				if c.File != "" {
					_, _ = fmt.Fprintf(w, "ok: %s\n\n", c.File)
				} else {
					_, _ = fmt.Fprint(w, "ok (no file was read)\n\n")
				}
				_, _ = fmt.Fprint(w, explain.Wrap(doc.Description, 80))
				for _, l := range doc.Losing {
					_, _ = fmt.Fprint(w, "\n"+explain.Wrap(fmt.Sprintf("WARNING: %s: %s. Regret is linear: %s.", l.Key, l.What, l.Do), 80))
				}
			})
		}),
	})
}

type checkDoc struct {
	OK          bool   `json:"ok"`
	File        string `json:"file"`
	Description string `json:"reading"`

	Losing []config.Losing `json:"losing,omitempty"`
}

func newConfigShow(o *command.App) *cobra.Command {
	var asSchema, all, yaml bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print the settings and their sources, or the schema",
		Long: `Print the settings as a run would see them, and whether a flag, the environment, the file
or the default set each. Parameters of learners, protocols and worlds that are not chosen, and
settings of simulations that nothing sets, are left out; --all prints them, too. Values are read
and not checked against each other. With --schema, print the meaning of each key, its default
and the values that it accepts.

With --yaml, check the settings and print them as a configuration file: all that the peer has, without dir and
without their sources. The page of peerd privacy explain has the SHA-256 of these bytes.`,
		Example: `  peerd config show configs/testnet.yaml
  peerd config show --yaml --dir hospital-a | sha256sum
  peerd config show configs/testnet.yaml --set privacy.epsilon=0.5 --json
  peerd config show --schema`,
		RunE: command.Run(func(context.Context) error {
			if asSchema {
				return o.Print(docs(command.Schema()), func(w io.Writer) { writeSchema(w, command.Schema()) })
			}
			if yaml {
				c, err := o.Load()
				if err != nil {
					return err
				}
				return o.Print(showDoc{c.File, settingDocs(c, all)}, func(w io.Writer) { _, _ = w.Write(c.AsFile()) })
			}
			c, err := o.Read()
			if err != nil {
				return err
			}
			return o.Print(showDoc{c.File, settingDocs(c, all)}, func(w io.Writer) { write(w, c, all) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "print every setting")
	cmd.Flags().BoolVar(&yaml, "yaml", false, "print the settings as a file, whose hash is on the page of privacy explain")
	cmd.Flags().BoolVar(&asSchema, "schema", false, "print the meaning of every key instead")
	return o.TakesFile(cmd)
}

type showDoc struct {
	File     string       `json:"file"`
	Settings []settingDoc `json:"settings"`
}
