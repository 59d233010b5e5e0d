package protocoltest

import (
	"fmt"
	"slices"
	"strings"

	"peerd.dev/protocol"
)

// Lookup returns the parameters of a name in a table, or an error that lists the names there are.
func Lookup(table []protocol.Params, name string) (protocol.Params, error) {
	var names []string
	for _, p := range table {
		if p.Words().Name == name {
			return p, nil
		}
		names = append(names, p.Words().Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("unknown protocol %q, want one of %s", name, strings.Join(names, ", "))
}
