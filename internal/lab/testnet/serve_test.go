package testnet

import (
	"bytes"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/sites"
	"peerd.dev/protocol/rows"
)

// TestClientsAreSentToPeersWithArms: a relay, the first peer, answers no decision.
func TestClientsAreSentToPeersWithArms(t *testing.T) {
	s := &config.Settings{Testnet: config.Testnet{Nodes: 3}}
	s.SetProtocol(rows.Params{Every: 1, Pull: 1, Merge: rows.MergeMean, Relays: 1})
	n := &Net{Settings: s, Dir: "dir", Names: sites.Names(3), apis: []string{"a:1", "b:2", "c:3"}}
	var b bytes.Buffer
	n.announceAPIs(&b)
	if text := b.String(); strings.Contains(text, "a:1") || !strings.Contains(text, "PEERD_URL=http://b:2 ") || !strings.Contains(text, "http://c:3") {
		t.Error(text)
	}
}
