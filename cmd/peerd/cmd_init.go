package main

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/cmd/peerd/internal/daemon"
)

func newInit(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make a peer's folder: its key and its configuration",
		Long: `Make a folder that only you may enter, with identity.key, the peer's private key, and
peerd.yaml, a configuration with every key as a comment. Settings given by --set are
written into it. Existing files are never overwritten.

The id that is printed names the peer in the network file.`,
		Example: `  peerd init --dir hospital-a
  peerd init --dir hospital-a --set arms=red,green --set privacy.epsilon=1 \
    --set protocol.name=phases --set learner.name=klucb --set privacy.mechanism=each
  peerd id --dir hospital-a`,
		Args: cobra.NoArgs,
		RunE: o.run(func(context.Context) error {
			if o.config != "" {
				return config.Failf(config.ErrUsage, "init writes DIR/%s and so takes no --config", config.FileName)
			}
			_, set, err := o.sources()
			if err != nil {
				return err
			}
			made, err := daemon.Init(set)
			if err != nil {
				return err
			}
			return o.print(made, made.Write)
		}),
	}
}
