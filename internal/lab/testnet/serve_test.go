package testnet

import (
	"bytes"
	"strings"
	"testing"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/protocol/rows"
	"peerd.dev/protocol/running"
)

// TestClientsAreSentToPeersWithArms: a relay, the first peer, answers no decision.
func TestClientsAreSentToPeersWithArms(t *testing.T) {
	s := &config.Settings{Sections: config.Params{"testnet": plan.Testnet{Nodes: 3}}}
	s.SetProtocol(running.Params{Every: 1, Pull: 1, Merge: rows.MergeMean, Relays: 1, F: 1})
	n := &Net{Settings: s, Dir: "dir", Names: plan.SiteNames(3), apis: []string{"a:1", "b:2", "c:3"}}
	var b bytes.Buffer
	n.announceAPIs(&b)
	if text := b.String(); strings.Contains(text, "a:1") || !strings.Contains(text, "PEERD_URL=http://b:2 ") || !strings.Contains(text, "http://c:3") {
		t.Error(text)
	}
}
