package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"peerd.dev/bandit"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
	"peerd.dev/node/api"
	"peerd.dev/node/api/client"
)

// importing is what the flags of an import say.
type importing struct {
	format  string
	actions []string
	costs   string
	rate    float64
}

const sayEvery = 5 * time.Second // progress

func init() {
	command.Register("decisions", newCommand)
}

func newCommand(o *command.App) *cobra.Command {
	var x importing
	cmd := &cobra.Command{
		Use:   "import LOG",
		Short: "Report the log of another policy to a peer in shadow mode",
		Long: `Report decisions that an application made by a policy of its own, and their rewards, to the running
peer of a folder, which must be in shadow mode (api.shadow). Formats: obd, the CSV form of the Open
Bandit Dataset, with item_id from 0, click and propensity_score; vw, Vowpal Wabbit's cb, with lines
action:cost:probability | features, actions from 1; vw-adf, its cb_adf, with a paragraph for each
decision. The log's actions are the network's in their order, or --actions names them. A cost c
becomes the reward (MOST - c) / (MOST - LEAST) of --costs. Features are not read, and users are not
known: with api.subject: required each decision is sent as one of a user of its own. What was
interrupted goes on with the same command: ids follow from what is in the file up to a line, so
nothing counts twice while the peer remembers it (api.keep), also if the file has another name. peerd promises nothing for what an
application did before: the log is private in the peer as decisions are, and nowhere else.`,
		Example: `  peerd decisions import men.csv --format obd --dir hospital-a
  peerd decisions import cb.txt --format vw --actions red,green --costs=-1,0 --dir hospital-a`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return importLog(o, cmd.Context(), args[0], &x) },
	}
	cmd.Flags().StringVar(&x.format, "format", "", "obd, vw or vw-adf")
	cmd.Flags().StringSliceVar(&x.actions, "actions", nil, "the network's names of the log's actions, in the log's order (default the network's order)")
	cmd.Flags().StringVar(&x.costs, "costs", "0,1", "LEAST,MOST: the least and the greatest cost of a log of Vowpal Wabbit")
	cmd.Flags().Float64Var(&x.rate, "rate", 200, "decisions a second that the peer does not have yet")
	return cmd
}

func importLog(o *command.App, ctx context.Context, file string, x *importing) error {
	read, err := x.reader()
	if err != nil {
		return err
	}
	c, err := o.Load()
	if err != nil {
		return err
	}
	switch {
	case !c.API.Shadows():
		return config.Failf(config.ErrUsage, "api.shadow is off in %s: a log is taken in shadow mode, so set propose or learn, and start the peer again", c.Dir)
	case bandit.TraitsOf(c.LearnerParams()).Contextual:
		return config.Failf(config.ErrUsage, "learner.name is %s in %s: the log's features are not read, so it can be imported for a learner without features alone", c.Learner.Name, c.Dir)
	}
	names, err := x.names(ctx, c.Dir)
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return config.Failf(config.ErrUsage, "%w", err)
	}
	defer func() { _ = f.Close() }()
	peer, err := client.New(client.Options{Dir: c.Dir, Timeout: 10 * time.Second, Deadline: 30 * time.Second})
	if err != nil {
		return err
	}
	defer peer.Close()
	said := time.Now()
	r := Replay{Actions: names, Rate: x.rate, Units: c.API.Range().Mean, Named: c.API.Subject == config.Required, Peer: peer, Tell: func(d Done) {
		if time.Since(said) >= sayEvery {
			said = time.Now()
			_, _ = fmt.Fprintf(o.Stderr, "peerd: line %s of %s: %s\n", terminal.Number(uint64(d.Line)), file, imported(&d))
		}
	}}
	if c.API.Adds() {
		r.Report = "import"
	}
	done, err := r.Run(ctx, read(f))
	at := ""
	if done.Decisions > 0 {
		at = fmt.Sprintf(" (%s, up to line %d; the same command goes on, and counts nothing twice)", imported(&done), done.Line)
	}
	switch line := new(LineError); {
	case ctx.Err() != nil:
		return config.Failf(context.Canceled, "interrupted%s", at)
	case errors.As(err, &line):
		return config.Failf(config.ErrUnexpected, "%s: %w%s", file, err, at)
	case err != nil:
		return config.Failf(config.ErrNetwork, "%w%s", err, at)
	}
	return o.Print(done, func(w io.Writer) { _, _ = fmt.Fprintf(w, "%s: %s\n", file, imported(&done)) })
}

func imported(d *Done) string {
	text := fmt.Sprintf("%s with %s taken", config.Counted(d.Decisions, "decision"), config.Counted(d.Rewards, "reward"))
	if d.Repeated > 0 {
		text += fmt.Sprintf("; %s were there from an earlier import", terminal.Number(d.Repeated))
	}
	if d.Expired > 0 {
		text += fmt.Sprintf(", %s of them without a reward, whose windows are over", terminal.Number(d.Expired))
	}
	return text
}

// reader returns the reader of the format.
func (x *importing) reader() (func(io.Reader) iter.Seq2[Record, error], error) {
	costs, err := x.span()
	if err != nil {
		return nil, err
	}
	if !(x.rate > 0) {
		return nil, config.Failf(config.ErrUsage, "--rate %v: want a number above 0", x.rate)
	}
	switch x.format {
	case "obd":
		return OpenBandit, nil
	case "vw":
		return func(r io.Reader) iter.Seq2[Record, error] { return Vowpal(r, costs) }, nil
	case "vw-adf":
		return func(r io.Reader) iter.Seq2[Record, error] { return VowpalADF(r, costs) }, nil
	}
	return nil, config.Failf(config.ErrUsage, "--format %q, want obd, vw or vw-adf", x.format)
}

func (x *importing) span() (c Costs, err error) {
	least, most, _ := strings.Cut(x.costs, ",")
	var wrong [2]error
	c.Least, wrong[0] = strconv.ParseFloat(least, 64)
	c.Most, wrong[1] = strconv.ParseFloat(most, 64)
	if errors.Join(wrong[:]...) != nil || !(c.Least < c.Most) || math.IsInf(c.Most-c.Least, 0) {
		return c, config.Failf(config.ErrUsage, "--costs %s: want two numbers LEAST,MOST, such as 0,1", x.costs)
	}
	return c, nil
}

// names returns the network's names of the log's actions.
func (x *importing) names(ctx context.Context, dir string) (names []string, err error) {
	arms, err := ask.Arms(ctx, dir)
	if errors.Is(err, api.ErrNotRunning) {
		return nil, config.Failf(config.ErrNetwork, "no peer runs in %s: start it with `peerd run --dir %s`", dir, terminal.Quote(dir))
	} else if err != nil {
		return nil, err
	}
	for _, a := range arms {
		if !a.Retired {
			names = append(names, a.Name)
		}
	}
	for i, name := range x.actions {
		if slices.Contains(x.actions[:i], name) {
			return nil, config.Failf(config.ErrUsage, "--actions: %q is there twice: want every action once", name)
		}
		if !slices.Contains(names, name) {
			return nil, config.Failf(config.ErrUsage, "--actions: %q is no action of this network; `peerd status` shows its %d", name, len(names))
		}
	}
	if len(x.actions) > 0 {
		names = x.actions
	}
	return names, nil
}
