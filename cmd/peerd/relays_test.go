package main

import (
	"encoding/json"
	"strings"
	"testing"

	"peerd.dev/internal/lab/testnet"
)

// relaySet makes rows.yaml a network with peers without arms, without noise.
func relaySet(relays string, more ...string) []string {
	return append([]string{
		"protocol.rows.relays=" + relays, "testnet.nodes=4", "testnet.topology=complete", "rounds.count=2000", "privacy.horizon=2000",
		"mode=lockstep", "seed=1", "privacy.epsilon=inf", "privacy.mechanism=none",
		"experiment.seeds=2", "experiment.figure.kind=none",
	}, more...)
}

// TestTheTruthIsThatOfSitesWithArms: what relays would be paid is not part of the mean over sites
// that peers estimate.
func TestTheTruthIsThatOfSitesWithArms(t *testing.T) {
	for _, alone := range []string{"false", "true"} {
		d := playFile(t, t.TempDir(), "../../configs/rows.yaml", relaySet("3", "experiment.coverage=true", "experiment.alone_noised="+alone,
			"arms=[a, b]", "world.bernoulli.means=[]", "world.bernoulli.draw=sites", "world.bernoulli.instance=3")...)
		if v := d.Cells[0].Coverage; v == nil || v.Checked == 0 || v.Broken() {
			t.Errorf("alone %s: coverage %+v", alone, v)
		}
	}
}

// TestRelaysTakeNoRowOfMeans: there are as many sites as peers with arms.
func TestRelaysTakeNoRowOfMeans(t *testing.T) {
	problems := check(t, map[string]string{
		"protocol.name": "rows", "protocol.rows.relays": "1", "testnet.nodes": "3", "world.bernoulli.means": "[[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]",
	})
	if len(problems) != 1 || !strings.Contains(problems[0].Reason, "want at most 2 rows, one for each site, not 3") {
		t.Error(problems)
	}
}

// TestATestnetWithARelayIsCompared: the final table is about the peers with arms.
func TestATestnetWithARelayIsCompared(t *testing.T) {
	c, stdout, stderr := peerd(t, "testnet", "../../configs/relay.yaml", "--json", "--set", "rounds.count=100", "--set", "testnet.seeds=2")
	var d testnet.Document
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || c != exitOK {
		t.Fatalf("code %d, %v: %s%s", c, err, stdout, stderr)
	}
	if len(d.Seeds.Sites) != 4 || d.Seeds.Sites[0].Name != "site-2" || d.Seeds.Sites[0].Best != "mail" || d.Seeds.Sites[1].Best != "banner" {
		t.Errorf("%+v", d.Seeds)
	}
}
