//go:build unix

package durabletest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/api"
	"peerd.dev/node/lab/graphs"
	"peerd.dev/node/ledger"
)

// TestARelayIsKilled kills the centre of a star of real processes again and again, at random
// times, while the sites around it learn. The sites continue in between and learn through it: all
// favour the arm that is best over all sites, which at two of them is not the best. The relay,
// which has no arms, never pays and never releases.
func TestARelayIsKilled(t *testing.T) {
	const kills = 4
	l := newConfigured(t, "../../../configs/relay.yaml")
	for _, s := range l.sites {
		s.start(launch{})
	}
	for _, s := range l.sites {
		s.ready()
	}
	relay, around := l.sites[0], l.sites[1:]
	r := rand.New(rand.NewPCG(7, kills))
	for range kills {
		time.Sleep(time.Duration(r.Int64N(int64(300 * time.Millisecond))))
		relay.kill()
		before := statuses(around)
		l.await("the sites go on without the relay", time.Minute, func() bool {
			for i, d := range statuses(around) {
				if d.Round < before[i].Round+50 || d.Released == before[i].Released {
					return false
				}
			}
			return true
		})
		relay.start(launch{})
		relay.ready()
	}
	l.await("every site favours mail", 30*time.Second, func() bool {
		for _, d := range statuses(around) {
			if best, _ := plan.ArgMax(d.Means); best != 0 || d.Round < 1500 {
				return false
			}
		}
		return true
	})
	l.await("the relay is linked again and passes rows on", time.Minute, func() bool {
		d := relay.status()
		return d.LinksUp && d.BytesOut > 0
	})
	for _, d := range statuses(around) {
		if d.Spent != 1 || d.LedgerRecords < 3 {
			t.Errorf("site %d: %+v", d.Peer, d)
		}
	}
	checkRelay(relay)
	t.Logf("%d kills; at the end %d rounds, the relay's ledger holds its genesis alone", kills, relay.status().Round)
}

// newConfigured makes the network of a configuration, with changes.
func newConfigured(t *testing.T, file string, more ...string) *lab {
	t.Helper()
	c := require.Value(plan.Schema().Load(file, more))(t)
	var changes []string
	values := c.Values()
	for _, k := range plan.Schema().Keys() {
		if c.From[k.Name] != config.FromDefault {
			changes = append(changes, k.Name, values[k.Name])
		}
	}
	graph, _, err := graphs.Build(plan.TestnetOf(&c.Settings).Topology, plan.TestnetOf(&c.Settings).Nodes, 1)
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, plan.TestnetOf(&c.Settings).Nodes, changes...)
	l.net.Links = graph.Edges()
	l.writeNetwork()
	return l
}

func statuses(sites []*labSite) (all []api.Status) {
	for _, s := range sites {
		all = append(all, s.status())
	}
	return all
}

// checkRelay checks, by its status and by its ledger, that a peer has paid for nothing and
// released nothing.
func checkRelay(s *labSite) {
	s.Helper()
	if d := s.status(); d.Spent != 0 || d.Released != 0 || d.LedgerRecords != 1 || len(d.Pulls) != 0 {
		s.Errorf("the relay: %+v", d)
	}
	file := filepath.Join(s.lab.dir, fmt.Sprintf("relay-%d.jsonl", s.i))
	if c, text := s.peerd("ledger", "export", "-o", file); c != command.ExitOK {
		s.Fatalf("export: code %d: %s", c, text)
	}
	if c, text := s.peerd("ledger", "verify", file); c != command.ExitOK {
		s.Errorf("verify: code %d: %s", c, text)
	}
	lines := s.lines()
	if len(lines) != 1 {
		s.Fatalf("%d ledger records, want the genesis alone", len(lines))
	}
	record := require.Value(ledger.ParseLine(lines[0]))(s)
	if _, ok := record.Body.(*ledger.Genesis); !ok {
		s.Errorf("record 0 is %T", record.Body)
	}
}
