// Package plan has the settings of testnets and experiments: their schema, which contains a site's,
// their rules, and the cells of an experiment.
package plan

import (
	"slices"
	"sync"

	"peerd.dev/internal/config"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/lab/world"
	"peerd.dev/protocol"
)

// Schema returns the schema of testnets and experiments: a site's, with simulated worlds and what papers
// have.
func Schema() *config.Schema {
	standard.once.Do(func() {
		x := config.Extension{
			Learners: learners(), Protocols: protocols(),
			Sections: sections(), Keys: keys(), Laboratory: laboratory{}, Papers: true,
			Constraints: slices.Concat(worldConstraints(), runConstraints(), rawConstraints(), shuffleConstraints(), programConstraints()),
		}
		for _, p := range world.Table() {
			x.Worlds = append(x.Worlds, config.Entry{Name: p.Words().Name, Summary: p.Words().Summary, Params: p})
		}
		standard.schema = config.Site().With(x)
	})
	return standard.schema
}

//nolint:gochecknoglobals // made once, then only read
var standard struct { // no OnceValue, since rules of some keys ask for others
	once   sync.Once
	schema *config.Schema
}

// knownNet returns the network of n peers as far as a topology says it: no least degree where chance
// decides it or no graph can be built.
func knownNet(text string, n int) protocol.Net {
	net := protocol.Net{Peers: n}
	spec, err := graphs.Read(text, n)
	if err != nil || spec.Validate() != nil {
		return net
	}
	switch {
	case spec.Name == "regular":
		net.LeastDegree = spec.Degree
	case !spec.Drawn():
		if g, _, err := spec.Build(nil); err == nil {
			net.LeastDegree, _ = graphs.Degrees(g)
		}
	}
	return net
}
