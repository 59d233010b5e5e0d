package config

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"peerd.dev/gossip/wire"
	"peerd.dev/protocol"
)

// PolicyHash returns the hash of all that the peers of a network must agree on: the shared
// keys of the schema, except the parameters of learners, protocols and worlds that are not
// chosen, and the network file except addresses. A world that deals records to sites adds its
// name and data, the hash of their file. It is taken over one line for each, in the order of
// the schema and then of the file, so that equal policies have equal hashes on every machine.
func PolicyHash(s *Settings, n *Network, data string) [sha256.Size]byte {
	return sha256.Sum256(PolicyText(s, n, data))
}

// PolicyText returns what [PolicyHash] is the hash of.
func PolicyText(s *Settings, n *Network, data string) []byte {
	var b bytes.Buffer
	HashLine(&b, "peerd policy", 3)
	for _, t := range agreed(s, n, data) {
		HashLine(&b, t.Key, t.Value)
	}
	return b.Bytes()
}

// Terms returns what [PolicyHash] is the hash of, for people, each under a key of its own.
func Terms(s *Settings, n *Network, data string) []wire.Term {
	all := agreed(s, n, data)
	for i := range all {
		switch t := &all[i]; t.Key {
		case peerTerm:
			place, value, _ := strings.Cut(t.Value, " ")
			t.Key, t.Value = t.Key+" "+place, value
		case linkTerm:
			t.Key, t.Value = t.Key+" "+t.Value, "there"
		}
	}
	return all
}

// The keys of which a policy has several.
const (
	peerTerm = "network.peer"
	linkTerm = "network.link"
)

func agreed(s *Settings, n *Network, data string) (all []wire.Term) {
	add := func(key string, value any) { all = append(all, wire.Term{Key: key, Value: fmt.Sprint(value)}) }
	if data != "" {
		add("world", s.World.Kind+" "+data)
	}
	for _, x := range s.SharedSettings() {
		add(x.Key, x.Value)
	}
	add("network.name", n.Name)
	add("network.start", n.Start.UTC().Format(time.RFC3339Nano))
	add("network.every", n.Every)
	if n.Version > 0 { // who is there changes while peers run
		add("network.first", n.First)
		return all
	}
	for i, p := range n.Peers {
		add(peerTerm, fmt.Sprintf("%d %s %q", i, p.ID, p.Name))
	}
	for i, of := range Neighbours(len(n.Peers), n.Links) {
		for _, j := range of {
			if protocol.Peer(i) < j {
				add(linkTerm, fmt.Sprintf("%d %d", i, j))
			}
		}
	}
	return all
}

// HashLine writes a key with a quoted value, so that no value reads as two lines.
func HashLine(w io.Writer, key string, value any) {
	_, _ = fmt.Fprintf(w, "%s %q\n", key, fmt.Sprint(value))
}
