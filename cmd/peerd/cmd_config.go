package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"peerd.dev/cmd/peerd/internal/config"
)

func newConfig(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check and show the configuration",
		Long: `Check and show the configuration. One schema serves the daemon, the testnet and
experiments; an unknown key, a wrong type or a value out of range is an error.`,
		Example: `  peerd config check peerd.yaml
  peerd config show --schema`,
		Args: cobra.NoArgs,
		RunE: help,
	}
	cmd.AddCommand(newConfigCheck(o), newConfigShow(o))
	return cmd
}

func newConfigCheck(o *options) *cobra.Command {
	return o.takesFile(&cobra.Command{
		Use:   "check",
		Short: "Refuse a bad configuration, or say what a good one means",
		Long: `Read the configuration as a run would and say what it means, or name everything
that is wrong with it, a line each: key, value, what is wanted. Nothing is started.`,
		Example: `  peerd config check configs/testnet.yaml
  PEERD_PRIVACY_EPSILON=0.5 peerd config check configs/testnet.yaml
  peerd config check configs/testnet.yaml --set privacy.epsilon=-1 --json`,
		RunE: o.run(func(context.Context) error {
			c, err := o.load()
			if err != nil {
				return err
			}
			doc := checkDoc{OK: true, File: c.File, Reading: c.Reading()}
			return o.print(doc, func(w io.Writer) {
				if c.File != "" {
					_, _ = fmt.Fprintf(w, "ok: %s\n\n", c.File)
				} else {
					_, _ = fmt.Fprint(w, "ok (no file was read)\n\n")
				}
				_, _ = fmt.Fprint(w, config.Wrap(doc.Reading, 80))
			})
		}),
	})
}

type checkDoc struct {
	OK      bool   `json:"ok"`
	File    string `json:"file"`
	Reading string `json:"reading"`
}

func newConfigShow(o *options) *cobra.Command {
	var asSchema bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print every setting and who set it, or the schema",
		Long: `Print every setting as a run would see it, and whether a flag, the environment,
the file or the default set it. With --schema, print what each key means, its
default and what it may be.`,
		Example: `  peerd config show configs/testnet.yaml
  peerd config show configs/testnet.yaml --set privacy.epsilon=0.5 --json
  peerd config show --schema`,
		RunE: o.run(func(context.Context) error {
			if asSchema {
				return o.print(config.SchemaDocs(), config.WriteSchema)
			}
			c, err := o.read()
			if err != nil {
				return err
			}
			return o.print(showDoc{c.File, c.SettingDocs()}, c.Write)
		}),
	}
	cmd.Flags().BoolVar(&asSchema, "schema", false, "print the meaning of every key instead")
	return o.takesFile(cmd)
}

type showDoc struct {
	File     string              `json:"file"`
	Settings []config.SettingDoc `json:"settings"`
}
