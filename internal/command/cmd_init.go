package command

import (
	"context"

	"github.com/spf13/cobra"

	"peerd.dev/internal/config"
	"peerd.dev/internal/daemon"
)

func newInit(o *App) *cobra.Command {
	return onceOnly(o, &cobra.Command{
		Use:   "init",
		Short: "Make a peer's folder: its key and its configuration",
		Long: `Make a folder that only you may enter, with identity.key, the peer's private key, and
peerd.yaml, a configuration of one page with what a site may want to change. It contains the
settings given by --set, and recommendations: a protocol, a learner and a mechanism that suit each
other and last for a whole life; an address that other machines can reach; a window of a minute for
rewards. One of them that is given brings what suits it: each such choice is printed with the reason.
With features.context an application decides by features that have names; each is a number in a range
or one of some words. Existing files are never overwritten.

The privacy budget has no default: choose it. The printed id identifies the peer.`,
		Example: `  peerd init --dir hospital-a --set arms=red,green --set privacy.epsilon=1
  peerd init --dir shop --set arms=mail,call --set privacy.epsilon=1 --set 'features.context=[hour=0..24, device=mobile|desktop]'
  peerd id --dir hospital-a`,
		Args: cobra.NoArgs,
		RunE: Run(func(context.Context) error {
			if o.Config != "" {
				return config.Failf(config.ErrUsage, "init writes DIR/%s and so takes no --config", config.FileName)
			}
			_, set, err := o.Sources()
			if err != nil {
				return err
			}
			made, err := daemon.Init(Schema(), set, false)
			if err != nil {
				return err
			}
			return o.Print(made, made.Write)
		}),
	}, config.FileName)
}
