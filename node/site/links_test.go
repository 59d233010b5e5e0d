package site

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/site/standing"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// changes is a network whose signed changes link, unlink, add and remove peers.
type changes struct {
	*rig
	versions []Membership
	rng      *rand.Rand
	notes    []string
}

// at returns a version of the membership, whose document is its number.
func (c *changes) at(document []byte) (Membership, error) {
	return c.versions[store.ReadNumber(document)-1], nil
}

// put makes the next version.
func (c *changes) put(peers int, neighbours []protocol.Peer, gone []string) Membership {
	slices.Sort(neighbours)
	graph := make([][]protocol.Peer, peers)
	graph[self] = neighbours
	for _, p := range neighbours {
		graph[p] = []protocol.Peer{self}
	}
	m := Membership{
		Document: store.Number(uint64(len(c.versions) + 1)), Peers: peers, Neighbours: neighbours, Gone: gone, Arms: c.arms,
		ID: func(p protocol.Peer) string { return fmt.Sprint("peer ", p) }, Name: func(id string) string { return id },
		Agent: func(life Life) (*node.Agent, error) {
			x := c.setting
			x.graph = graph
			return x.agent(self, life)
		},
	}
	c.versions = append(c.versions, m)
	return m
}

// change returns the version after a random change.
func (c *changes) change() Membership {
	m := c.versions[len(c.versions)-1]
	var linked, others []protocol.Peer
	for p := range protocol.Peer(m.Peers) {
		switch {
		case p == self || slices.Contains(m.Gone, m.ID(p)):
		case slices.Contains(m.Neighbours, p):
			linked = append(linked, p)
		default:
			others = append(others, p)
		}
	}
	pick := func(from []protocol.Peer) protocol.Peer { return from[c.rng.IntN(len(from))] }
	without := func(p protocol.Peer) []protocol.Peer {
		return slices.DeleteFunc(slices.Clone(linked), func(q protocol.Peer) bool { return q == p })
	}
	switch what := c.rng.IntN(8); {
	case what < 4 && len(linked) > 1:
		p := pick(linked)
		c.notes = append(c.notes, fmt.Sprint("unlink ", p))
		return c.put(m.Peers, without(p), m.Gone)
	case what < 6 && len(others) > 0:
		p := pick(others)
		c.notes = append(c.notes, fmt.Sprint("link ", p))
		return c.put(m.Peers, append(linked, p), m.Gone)
	case what == 6 && len(linked) > 2:
		p := pick(linked)
		c.notes = append(c.notes, fmt.Sprint("remove ", p))
		return c.put(m.Peers, without(p), append(slices.Clone(m.Gone), m.ID(p)))
	default:
		c.notes = append(c.notes, fmt.Sprint("join ", m.Peers))
		return c.put(m.Peers+1, append(linked, protocol.Peer(m.Peers)), m.Gone)
	}
}

// reports starts the site with a version and has every peer that is present report what it remembers: neighbours on their
// links, the others in an exchange of memories, and those that had neither, nothing.
func (c *changes) reports(remembered protocol.Checkpoint, met map[protocol.Peer]bool) {
	c.t.Helper()
	m := c.versions[len(c.versions)-1]
	c.c = c.config()
	c.c.Memberships, c.c.Document, c.c.Peers, c.c.Neighbours, c.c.Gone, c.c.Agent, c.c.Arms = c.at, m.Document, m.Peers, m.Neighbours, m.Gone, m.Agent, m.Arms
	s, err := Open(c.c)
	if err != nil {
		c.t.Fatal(err)
	}
	c.s = s
	for p := range protocol.Peer(m.Peers) {
		switch linked := slices.Contains(m.Neighbours, p); {
		case p == self || slices.Contains(m.Gone, m.ID(p)):
		case !met[p] && linked:
			s.OnRemembered(p, protocol.Checkpoint{}, true)
		case linked && c.rng.IntN(4) > 0:
			s.OnRemembered(p, remembered, true)
		case met[p]:
			s.OnMemory(p, remembered)
		}
	}
}

// TestNoChangeOfLinksKeepsASiteShut: whatever peers were linked, unlinked, added and removed, a site opens after its start
// once all peers have reported, the unlinked ones without a link; and an older copy of its folder does not.
func TestNoChangeOfLinksKeepsASiteShut(t *testing.T) {
	t.Parallel()
	unlinked := 0
	for seed := range uint64(20) {
		x := usual(averaged, OnArrival)
		c := &changes{rig: newRig(t, x), rng: rand.New(rand.NewPCG(seed, 7))}
		c.put(5, []protocol.Peer{left, right, 3, 4}, nil)
		met := make(map[protocol.Peer]bool)
		c.reports(protocol.Checkpoint{}, met)
		for range 12 {
			c.rounds(1 + c.rng.IntN(2))
			for _, p := range c.s.c.Neighbours {
				met[p] = true
			}
			if c.rng.IntN(3) > 0 {
				if err := c.s.SetMembership(c.change()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			older, had := c.disk.CrashClone(vfs.CrashCloneCfg{}), c.s.tip().Records
			for c.s.tip().Records == had {
				c.pay(c.ask(decision.Ask{}).ID, .5)
				c.round()
			}
			tip := c.s.tip()
			c.stop()
			c.notes = append(c.notes, "restart")
			c.reports(tip, met)
			m := c.versions[len(c.versions)-1]
			for _, id := range c.s.standing.Witnesses() {
				if !slices.ContainsFunc(m.Neighbours, func(p protocol.Peer) bool { return m.ID(p) == id }) {
					unlinked++
				}
			}
			if c.s.isBlocked() {
				t.Fatalf("seed %d, after %v: %s", seed, c.notes, c.s.standing.Reason())
			}
			newest, site := c.disk, c.s
			c.disk = older
			c.reports(tip, met)
			if !c.s.OldCopy() || !c.s.isBlocked() {
				t.Fatalf("seed %d, after %v: a copy of %d of %d records opens", seed, c.notes, had, tip.Records)
			}
			c.stop()
			c.disk, c.s = newest, site
		}
		c.stop()
	}
	if unlinked < 20 {
		t.Errorf("the sites waited for %d unlinked peers only", unlinked)
	}
}

// TestAStrangersMemoryStartsNoGrace: what a peer remembers that has never been linked opens no site, and the time in which
// others may report begins with the first report of a neighbour.
func TestAStrangersMemoryStartsNoGrace(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	r.neighbours = []protocol.Peer{left, right, 3}
	r.start()
	r.rounds(2)
	r.stop()
	r.neighbours = []protocol.Peer{left, right}
	r.open()
	r.s.OnMemory(5, r.s.tip())
	r.clock.add(2 * standing.Grace)
	r.remembered(left)
	r.remembered(right)
	if !r.s.isBlocked() {
		t.Error("two of three witnesses open the site at once")
	}
	r.s.OnMemory(3, r.s.tip())
	if r.s.isBlocked() {
		t.Error(r.s.standing.Reason())
	}
	r.stop()
}

// TestAMemoryWithoutALinkEndsNoRivalry: a peer that is linked with another process under this key can show a memory to this one.
func TestAMemoryWithoutALinkEndsNoRivalry(t *testing.T) {
	r := newRig(t, usual(averaged, OnArrival))
	r.open()
	r.s.OnRival(left)
	r.s.OnMemory(left, r.s.tip())
	r.s.OnMemory(right, r.s.tip())
	if !r.s.isBlocked() {
		t.Error("the site opens beside another process under its key")
	}
	r.remembered(left)
	if r.s.isBlocked() {
		t.Error(r.s.standing.Reason())
	}
	r.stop()
}
