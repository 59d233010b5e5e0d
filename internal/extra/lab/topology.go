package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal/columns"
	"peerd.dev/node/lab/graphs"
)

// mostNodes bounds the size of measured graphs, which takes seconds.
const mostNodes = 10_000

func newTopology(o *command.App) *cobra.Command {
	var nodes int
	var seed uint64
	var edges bool
	cmd := &cobra.Command{
		Use:   "topology SPEC...",
		Short: "Measure network graphs before using one",
		Long: `Draw the graph that testnet.topology would use, and measure how well it carries gossip.
Lambda2 is the mean factor by which disagreement shrinks in a round; the gap is
1 - lambda2, so larger is better. Several topologies make a table. No configuration is
read and no peer is started.

Topologies: ` + strings.Join(graphs.Forms(), ", ") + `.
Random ones are drawn from --seed, again and again until the graph is connected.`,
		Example: `  peerd topology ring -n 5
  peerd topology ring grid 'regular(4)' 'gnp(0.3)' -n 20
  peerd topology 'gnp(0.3)' -n 10 --seed 7 --edges`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("topology needs a SPEC, such as ring or 'regular(4)'")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if nodes < 1 || nodes > mostNodes {
				return config.Failf(config.ErrUsage, "--nodes %d: want 1 to %d", nodes, mostNodes)
			}
			var docs []topologyDoc
			for _, text := range args {
				n := nodes
				if strings.HasPrefix(text, "file") && !cmd.Flags().Changed("nodes") {
					n = 0 // as many as the file names
				}
				doc, err := measure(text, n, seed, edges)
				if err != nil {
					return err
				}
				docs = append(docs, doc)
			}
			return o.Print(docs, func(w io.Writer) { writeTopologies(w, docs, edges) })
		},
	}
	cmd.Flags().IntVarP(&nodes, "nodes", "n", 10, "peers")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "where chance comes from")
	cmd.Flags().BoolVar(&edges, "edges", false, "print the links too, in the form that file(PATH) reads")
	return cmd
}

// A topologyDoc is a graph and its measures.
type topologyDoc struct {
	Topology string   `json:"topology"`
	Nodes    int      `json:"nodes"`
	Links    int      `json:"links"`
	Degree   float64  `json:"degree"` // on average
	Least    int      `json:"least_degree"`
	Most     int      `json:"most_degree"`
	Lambda2  float64  `json:"lambda2"`
	Gap      float64  `json:"spectral_gap"`
	Diameter int      `json:"diameter"`
	Redraws  int      `json:"redraws"` // graphs discarded because they were not connected
	Edges    [][2]int `json:"edges,omitempty"`
}

func measure(text string, n int, seed uint64, edges bool) (topologyDoc, error) {
	g, report, err := graphs.Build(text, n, seed)
	switch {
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission):
		return topologyDoc{}, err
	case err != nil:
		return topologyDoc{}, config.Failf(config.ErrUsage, "%w", err)
	}
	m := graphs.Measure(g)
	least, most := graphs.Degrees(g)
	doc := topologyDoc{
		Topology: text, Nodes: m.Peers, Links: m.Edges, Degree: m.AverageDegree, Least: least, Most: most,
		Lambda2: m.Lambda2, Gap: m.SpectralGap, Diameter: m.Diameter, Redraws: report.Redraws,
	}
	if edges {
		doc.Edges = g.Edges()
	}
	return doc, nil
}

func writeTopologies(w io.Writer, docs []topologyDoc, edges bool) {
	t := columns.New(w)
	t.Printf("TOPOLOGY\tNODES\tLINKS\tDEGREE\tLEAST\tMOST\tLAMBDA2\tGAP\tDIAMETER\tREDRAWS\n")
	for _, d := range docs {
		t.Printf("%s\t%d\t%d\t%.3g\t%d\t%d\t%.6f\t%.4g\t%d\t%d\n",
			d.Topology, d.Nodes, d.Links, d.Degree, d.Least, d.Most, d.Lambda2, d.Gap, d.Diameter, d.Redraws)
	}
	t.End()
	if !edges {
		return
	}
	for _, d := range docs {
		_, _ = fmt.Fprintf(w, "\n# %s\n", d.Topology)
		for _, e := range d.Edges {
			_, _ = fmt.Fprintf(w, "%d %d\n", e[0], e[1])
		}
	}
}
