//go:build unix

package durabletest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/api"
)

// A killed is a network of a configuration whose processes are killed.
type killed struct {
	name  string
	roles []int // peers with a role, which get half of the kills: coordinator, server, sinks
	more  []string
	file  string        // name of the configuration, if it differs
	lasts time.Duration // after which a new network begins; 0 if one network takes all kills

	look func(*labSite)            // at a peer that was killed or has ended; nil for nothing
	near func([]api.Status) bool   // no peer is behind the others, so that all may end; nil for always
	end  func(*lab, time.Duration) // checks what was seen, when all have ended, and how long that took; nil for nothing
}

// slowly returns settings with which a network that explores in epochs runs for minutes, in 64
// epochs of nearly equal length, over three arms that are hard to distinguish.
func slowly(more ...string) []string {
	return append(more, "rounds.every=10ms", "rounds.count=1000000", "learner.elimination.rounds=64", "learner.elimination.gap=0.06",
		"world.bernoulli.means=[[0.52, 0.5, 0.48]]")
}

func killedNetworks() []killed {
	rewards := []string{"rounds.every=10ms", "privacy.horizon=1000000"}
	return append([]killed{
		{name: "cdp-mab", roles: []int{0}, more: slowly("protocol.coordinator.deadline=100")},
		{name: "hdp-mab", roles: serverAndSinks(), more: slowly("protocol.sink.deadline=50")},
		{name: "ddp-mab", more: slowly("protocol.gis.deadline=200")},
		{name: "dp-master-worker", roles: []int{0}, more: rewards},
		{name: "dp-decentralized", more: rewards},
		{name: "ldp-fedlinucb", more: append(rewards, "rounds.count=1000000", "privacy.mechanism=tree-gaussian", "protocol.batch.first=20", "protocol.batch.growth=0")},
		{name: "ldp-fedlinucb-lazy", roles: []int{0}, more: append(rewards, "rounds.count=1000000", "experiment.noise=tight")}, // which charges all
		{name: "ldp-fedlinucb-local", roles: []int{0}, more: append(rewards, "rounds.count=1000000")},
		{name: "feducb-central", roles: []int{0}, more: append(rewards, "rounds.count=1000000", "protocol.batch.first=20", "protocol.batch.growth=0")},
		{name: "local-feducb", more: append(rewards, "rounds.count=1000000", "protocol.local.first=20", "protocol.local.growth=0")},
	}, shuffledNetworks()...)
}

// serverAndSinks are the roles of configuration hdp-mab if all peers are there.
func serverAndSinks() []int { return []int{9, 0, 9, 3, 9, 6} }

// shippedNetworks are unchanged configurations. Their runs last some seconds, so the kills need
// several networks, one after another.
func shippedNetworks() []killed {
	const epochs, rewards, linear = 9 * time.Second, 28 * time.Second, 18 * time.Second // of 10 s, 30 s and 20 s
	explored := []string{"learner.elimination.rounds=3", "learner.elimination.gap=0.2"} // as the files propose
	return []killed{
		{name: "cdp-mab", roles: []int{0}, lasts: epochs},
		{name: "cdp-mab-pr", roles: []int{0}, lasts: epochs},
		{name: "cdp-mab-hetero", roles: []int{0}, lasts: epochs},
		{name: "ddp-mab", lasts: epochs},
		{name: "ddp-mab-pr", file: "ddp-mab", more: explored, lasts: epochs},
		{name: "hdp-mab", roles: serverAndSinks(), lasts: epochs},
		{name: "hdp-mab-pr", file: "hdp-mab", roles: serverAndSinks(), more: explored, lasts: epochs},
		{name: "dp-master-worker", roles: []int{0}, lasts: rewards},
		{name: "dp-decentralized", lasts: rewards},
		{name: "ldp-fedlinucb", lasts: linear},
	}
}

// TestANetworkIsKilled kills processes of a network with SIGKILL at random times, one after
// another, and starts them again on their folders; some stay away for longer than a deadline.
// Whatever was in a ledger stays in it unchanged, no peer is blocked by what others remember of
// it, the budget is charged once, and at the end all release again and are linked. PEERD_LONG
// makes 50 kills of each network; otherwise there are a few kills of the first one.
func TestANetworkIsKilled(t *testing.T) {
	networks, kills := killedNetworks(), 50
	if os.Getenv("PEERD_LONG") == "" {
		networks, kills = networks[:1], 2
	}
	for _, x := range networks {
		t.Run(x.name, func(t *testing.T) { x.run(t, kills) })
	}
}

// TestANetworkIsKilledAsShipped does the same with unchanged configurations: 50 kills of each, in
// consecutive networks that last as long as the configuration says.
func TestANetworkIsKilledAsShipped(t *testing.T) {
	if os.Getenv("PEERD_LONG") == "" {
		t.Skip("scripts/show.sh kill-network runs it")
	}
	for _, x := range shippedNetworks() {
		t.Run(x.name, func(t *testing.T) { x.run(t, 50) })
	}
}

// run plays networks until there were as many kills as wanted.
func (x *killed) run(t *testing.T, kills int) {
	c := &casualties{rng: rand.New(rand.NewPCG(7, uint64(kills)))}
	for c.kills < kills {
		x.play(t, c, kills)
	}
	slices.Sort(c.starts)
	t.Logf("%d kills in %d networks, %d of them of a coordinator, server or sink, %d peers away for 3 s; at the end %d releases of all, and %d of %d sites know the best arm; ledgers verify, nothing is blocked",
		c.kills, c.networks, c.roles, c.away, c.leaves, c.right, c.sites)
	t.Logf("from exec to /readyz: p50 %v, max %v", c.starts[len(c.starts)/2].Round(time.Millisecond), c.starts[len(c.starts)-1].Round(time.Millisecond))
}

// casualties are the results of kills.
type casualties struct {
	rng                          *rand.Rand
	kills, networks, roles, away int
	leaves                       uint64
	right, sites                 int // sites that know the best arm at the end, and all sites
	starts                       []time.Duration
}

// play begins a network and kills its peers until there were as many kills as wanted, or the
// network has lasted long enough.
func (x *killed) play(t *testing.T, c *casualties, kills int) {
	file := x.file
	if file == "" {
		file = x.name
	}
	began := time.Now()
	l := newConfigured(t, filepath.Join("..", "..", "..", "configs", file+".yaml"), x.more...)
	for _, s := range l.sites {
		s.start(launch{})
	}
	for _, s := range l.sites {
		s.ready()
	}
	c.networks++
	seen := make([][][]byte, len(l.sites)) // lines of ledgers
	for c.kills < kills && (x.lasts == 0 || time.Since(began) < x.lasts) {
		i := c.rng.IntN(len(l.sites))
		if c.kills%2 == 0 && len(x.roles) > 0 {
			i = x.roles[c.kills/2%len(x.roles)]
			c.roles++
		}
		s := l.sites[i]
		time.Sleep(time.Duration(c.rng.Int64N(int64(400 * time.Millisecond))))
		seen[i] = s.lines()
		s.kill()
		if x.look != nil {
			x.look(s)
		}
		if c.kills++; c.kills%5 == 0 {
			time.Sleep(3 * time.Second)
			c.away++
		}
		s.start(launch{})
		c.starts = append(c.starts, s.ready())
		x.compare(s, seen[i])
	}
	x.settle(l)
	for i, s := range l.sites {
		d := s.status()
		if arms := len(d.Pulls) > 0; d.BlockedReason != "" || d.LastErr != "" || arms && (d.Spent < .99 || d.Spent > 1) || !arms && d.Spent+float64(d.Released) > 0 {
			t.Errorf("peer %d: %+v", i, d)
		}
		c.leaves += d.Released
		if len(d.Means) > 0 { // it has arms, of which the first is the best in all configurations
			c.sites++
			if best, _ := plan.ArgMax(d.Means); best == 0 {
				c.right++
			}
		}
		x.compare(s, seen[i])
		s.verified()
	}
	if x.near != nil {
		l.await(fmt.Sprintf("no peer of %s is behind", x.name), 3*time.Minute, func() bool { return x.near(statuses(l.sites)) })
	}
	ends := time.Now()
	for _, s := range l.sites {
		s.stop()
	}
	stopping := time.Since(ends)
	if x.look != nil {
		for _, s := range l.sites {
			x.look(s)
		}
	}
	if x.end != nil {
		x.end(l, stopping)
	}
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

// settle waits until all peers are linked, none is alone and, unless the run is over, all with
// arms have released something again and heard of others.
func (x *killed) settle(l *lab) {
	l.Helper()
	before := statuses(l.sites)
	l.await(fmt.Sprintf("%s goes on", x.name), 3*time.Minute, func() bool {
		return !slices.ContainsFunc(statuses(l.sites), func(d api.Status) bool {
			was := before[d.Peer]
			silent := d.BytesIn == was.BytesIn || len(d.Pulls) > 0 && d.Released <= was.Released+6
			return !d.LinksUp || d.AloneReason != "" || x.lasts == 0 && silent
		})
	})
}
