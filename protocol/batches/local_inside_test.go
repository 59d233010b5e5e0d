package batches

import (
	"peerd.dev/protocol"
)

// CliqueOf returns which peers are in a peer's clique.
func CliqueOf(p protocol.Peer, g [][]protocol.Peer, hops uint64) []bool {
	return cliqueOf(p, balls(g, hops))
}
