package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newID(o *App) *cobra.Command {
	return o.TakesFile(&cobra.Command{
		Use:   "id",
		Short: "Print this peer's id",
		Long: `Print the id that follows from the key in the peer's folder. The network file names the
peer by it. The peer does not have to run, and nothing is changed.`,
		Example: `  peerd id --dir hospital-a
  peerd id --dir hospital-a --json`,
		RunE: Run(func(context.Context) error {
			c, err := o.Read()
			if err != nil {
				return err
			}
			id, err := c.Identity()
			if err != nil {
				return fmt.Errorf("%w; `peerd init --dir DIR` makes a folder with a key", err)
			}
			return o.Print(idDoc{ID: id.ID()}, func(w io.Writer) { _, _ = fmt.Fprintln(w, id.ID()) })
		}),
	})
}

type idDoc struct {
	ID string `json:"id"`
}
