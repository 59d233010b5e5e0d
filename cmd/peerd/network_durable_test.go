//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"peerd.dev/node/api"
)

// A killed is a network of a configuration whose processes are killed.
type killed struct {
	name  string
	roles []int // peers with a role, of which half of the kills are: coordinator, server, sinks
	more  []string
}

// slowly are settings with which a network that explores in epochs goes on for minutes, in 64
// epochs of nearly one length, over three arms that are hard to tell apart.
func slowly(more ...string) []string {
	return append(more, "rounds.every=10ms", "rounds.count=1000000", "learner.elimination.rounds=64", "learner.elimination.gap=0.06",
		"world.bernoulli.means=[[0.52, 0.5, 0.48]]")
}

func killedNetworks() []killed {
	rewards := []string{"rounds.every=10ms", "privacy.horizon=1000000"}
	return []killed{
		{"cdp-mab", []int{0}, slowly("protocol.coordinator.deadline=100")},
		{"hdp-mab", []int{0, 1, 0, 4, 0, 7}, slowly("protocol.sink.deadline=50")}, // the server, and the sinks if all are there
		{"ddp-mab", nil, slowly("protocol.gis.deadline=200")},
		{"dp-master-worker", []int{0}, rewards},
		{"dp-decentralized", nil, rewards},
		{"ldp-fedlinucb-lazy", []int{0}, append(rewards, "rounds.count=1000000", "privacy.calibration=tight")}, // which charges all
		{"ldp-fedlinucb-local", []int{0}, append(rewards, "rounds.count=1000000")},
		{"feducb-central", []int{0}, append(rewards, "rounds.count=1000000", "protocol.batch.first=20", "protocol.batch.growth=0")},
		{"local-feducb", nil, append(rewards, "rounds.count=1000000", "protocol.local.first=20", "protocol.local.growth=0")},
	}
}

// TestANetworkIsKilled kills processes of a network with SIGKILL at random moments, one after
// another, and starts them again on their folders; some stay away for longer than a deadline. Whatever
// was in a ledger stays in it as it was, no peer is blocked by what others remember of it, the budget is
// charged once, and at the end all release again and are linked. PEERD_LONG makes it 50 kills of
// each network; else it is a few of the first one.
func TestANetworkIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	networks, kills := killedNetworks(), 50
	if os.Getenv("PEERD_LONG") == "" {
		networks, kills = networks[:1], 2
	}
	for _, x := range networks {
		t.Run(x.name, func(t *testing.T) { x.run(t, kills) })
	}
}

func (x *killed) run(t *testing.T, kills int) {
	l := newConfigured(t, filepath.Join("..", "..", "configs", x.name+".yaml"), x.more...)
	for _, s := range l.sites {
		s.start(launch{})
	}
	for _, s := range l.sites {
		s.ready()
	}
	seen := make([][][]byte, len(l.sites)) // lines of ledgers
	r := rand.New(rand.NewPCG(7, uint64(kills)))
	var starts []time.Duration
	role, away := 0, 0
	for k := range kills {
		i := r.IntN(len(l.sites))
		if k%2 == 0 && len(x.roles) > 0 {
			i = x.roles[k/2%len(x.roles)]
			role++
		}
		s := l.sites[i]
		time.Sleep(time.Duration(r.Int64N(int64(400 * time.Millisecond))))
		seen[i] = s.lines()
		s.kill()
		if k%5 == 4 {
			time.Sleep(3 * time.Second)
			away++
		}
		s.start(launch{})
		starts = append(starts, s.ready())
		x.compare(s, seen[i])
	}
	x.settle(l)
	leaves := uint64(0)
	for i, s := range l.sites {
		d := s.status()
		if arms := len(d.Pulls) > 0; d.BlockedReason != "" || d.Refused > 0 || arms && (d.Spent < .99 || d.Spent > 1) || !arms && d.Spent+float64(d.Released) > 0 {
			t.Errorf("peer %d: %+v", i, d)
		}
		leaves += d.Released
		x.compare(s, seen[i])
		s.verified()
	}
	slices.Sort(starts)
	t.Logf("%d kills, %d of them of a coordinator, server or sink, %d peers away for over a deadline; at the end %d rounds and %d releases of %d peers; ledgers verify, nothing is blocked",
		kills, role, away, l.sites[0].status().Round, leaves, len(l.sites))
	t.Logf("from exec to /readyz: p50 %v, max %v", starts[len(starts)/2].Round(time.Millisecond), starts[len(starts)-1].Round(time.Millisecond))
}

// compare fails if a ledger does not begin with lines that were seen.
func (x *killed) compare(s *labSite, seen [][]byte) {
	s.Helper()
	now := s.lines()
	if len(now) < len(seen) {
		s.Fatalf("peer %d: the ledger has %d records after a kill, had %d", s.i, len(now), len(seen))
	}
	for k := range seen {
		if !bytes.Equal(now[k], seen[k]) {
			s.Fatalf("peer %d: ledger record %d is %s, was %s", s.i, k, now[k], seen[k])
		}
	}
}

// settle waits until all peers are linked and all with arms have released something again, and
// heard of others.
func (x *killed) settle(l *lab) {
	l.Helper()
	before := statuses(l.sites)
	l.await(fmt.Sprintf("%s goes on", x.name), 3*time.Minute, func() bool {
		return !slices.ContainsFunc(statuses(l.sites), func(d api.Status) bool {
			was := before[d.Peer]
			return !d.LinksUp || d.BytesIn == was.BytesIn || len(d.Pulls) > 0 && d.Released <= was.Released+6
		})
	})
}
