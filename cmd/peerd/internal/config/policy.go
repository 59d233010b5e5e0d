package config

import (
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"peerd.dev/protocol"
)

// PolicyHash returns the hash of all that the peers of a network must agree on:
// the shared keys of the schema, except the parameters of learners, protocols and worlds that
// are not chosen, the network file except addresses, and for a world that deals records to
// sites its name and data, the hash of their file. It is taken over one line for each,
// in the order of the schema and then of the file, so that equal policies have equal
// hashes on every machine.
func PolicyHash(s *Settings, n *Network, data string) [sha256.Size]byte {
	h := sha256.New()
	HashLine(h, "peerd policy", 3)
	if data != "" {
		HashLine(h, "world", s.World.Kind+" "+data)
	}
	for _, k := range Schema() {
		if k.Shared && s.Applies(k) {
			HashLine(h, k.Name, ValueText(s.Value(k.Name).Interface()))
		}
	}
	HashLine(h, "network.name", n.Name)
	HashLine(h, "network.start", n.Start.UTC().Format(time.RFC3339Nano))
	HashLine(h, "network.every", n.Every)
	for i, p := range n.Peers {
		HashLine(h, "network.peer", fmt.Sprintf("%d %s %q", i, p.ID, p.Name))
	}
	for i, of := range Neighbours(len(n.Peers), n.Links) {
		for _, j := range of {
			if protocol.Peer(i) < j {
				HashLine(h, "network.link", fmt.Sprintf("%d %d", i, j))
			}
		}
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}

// HashLine writes a key with a quoted value, so that no value reads as two lines.
func HashLine(w io.Writer, key string, value any) {
	_, _ = fmt.Fprintf(w, "%s %q\n", key, fmt.Sprint(value))
}
