package main

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/node"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// storeDir is the folder of the store in a peer's folder. It is private.
const storeDir = "store"

// seat is a peer's place in its network, as its files say.
type seat struct {
	s       *Settings
	network *Network
	id      gossip.Identity
	self    protocol.Peer
	links   []protocol.Peer // neighbours, ascending
	policy  [sha256.Size]byte
	keys    protocol.Keys
	spec    node.Spec
}

func newSeat(s *Settings) (*seat, error) {
	t := &seat{s: s}
	var err error
	if t.network, err = readNetwork(s.NetworkPath()); err != nil {
		return nil, err
	}
	if problems := s.checkNetwork(t.network); len(problems) > 0 {
		return nil, &Refusal{"configuration, beside network file " + s.NetworkPath() + ",", problems}
	}
	if t.id, err = s.identity(); err != nil {
		return nil, err
	}
	self, ok := t.network.index(t.id.ID())
	if !ok {
		return nil, failf(ErrNetwork, "peer %s is not in %s: add it there, on every peer", t.id.ID(), s.NetworkPath())
	}
	t.self = self
	t.policy = policyHash(s, t.network)
	ring, err := gossip.NewKeyring(s.domain(t.policy), t.network.ids())
	if err != nil {
		return nil, failf(ErrNetwork, "%w", err)
	}
	if t.keys, err = ring.Keys(t.id); err != nil {
		return nil, err
	}
	n := len(t.network.Peers)
	t.links = neighbours(n, t.network.Links)[self]
	t.spec, err = s.spec(n)
	return t, err
}

// agent returns the peer's agent in a life of it.
func (t *seat) agent(life site.Life, noise *dp.Source) (*node.Agent, error) {
	return t.spec.Agent(node.Seat{
		Self: t.self, Incarnation: life.Incarnation, Neighbours: t.links, Seed: life.Seed, Noise: noise,
		Keys: t.keys, Topic: t.s.Mode == Slots, Marks: t.s.Mode == Lockstep, Closed: life.Closed,
	})
}

// world returns what the peer plays with coins of its own.
func (t *seat) world(seed node.Seed) (node.World, error) {
	sites, err := t.s.sites(len(t.network.Peers))
	if err != nil {
		return nil, err
	}
	return sites.world(int(t.self), seed.Rand("world"))
}

// host returns the configuration of the peer's place in the network.
func (t *seat) host(incarnation uint32, log *slog.Logger) gossip.Config {
	return gossip.Config{
		Identity: t.id, Listen: t.s.Listen, Self: t.self, Incarnation: incarnation,
		Peers: t.network.infos(), Neighbours: t.links, Network: t.network.Name, Policy: t.policy,
		Lossless: t.s.Mode == Lockstep, Topic: t.s.Mode == Slots, Logger: log,
	}
}

// site opens the peer's store.
func (t *seat) site(log *slog.Logger, alarm func(error), observe func(time.Duration)) (*site.Site, error) {
	s := t.s
	entry, err := protocol.Lookup(t.spec.Protocol)
	if err != nil {
		return nil, err
	}
	c := site.Config{
		Dir:   filepath.Join(s.Dir, storeDir),
		Store: store.Options{Reserve: s.Store.Reserve << 20, Logger: log, Observe: observe},
		Genesis: ledger.Genesis{
			Version: ledger.Version, Peer: t.id.ID(), Network: t.network.Name, Policy: t.policy,
			Mode: ledger.Private, Budget: t.spec.Privacy.Budget, Unit: ledgerUnit(&t.spec.Privacy),
		},
		Arms: s.Arms, Peers: len(t.network.Peers), Neighbours: t.links,
		ID:    func(p protocol.Peer) string { return t.network.Peers[p].ID },
		Fixed: t.fixed(),
		Agent: func(life site.Life) (*node.Agent, error) { return t.agent(life, dp.NewSecureSource()) },
		Rules: site.Rules{
			Window: s.API.Window, Default: s.API.DefaultReward, Settle: s.API.Settle, Fallback: s.API.Fallback,
			MinExposures: s.API.MinExposures, Keep: s.API.Keep, PerSubject: s.Privacy.RecordsPerUser,
		},
		Slots:  node.Slots{Start: t.network.Start, Every: t.network.Every},
		Rounds: s.RoundCount(), Leaves: entry.Leaves(t.spec.Params, s.Privacy.Horizon), Together: entry.Together,
		Alarm: alarm, Logger: log,
	}
	if s.World.Kind != Application {
		c.World = func(life site.Life) (node.World, error) { return t.world(life.Seed) }
	}
	return site.Open(c)
}

// fixed lists what a folder is begun with and keeps: what its ledger says and its noise
// is made for, and when its rounds are.
func (t *seat) fixed() []site.Fixed {
	all := []site.Fixed{
		{Key: "identity.key", Value: t.id.ID()},
		{Key: "network name", Value: t.network.Name},
		{Key: "network start", Value: t.network.Start.UTC().Format(time.RFC3339Nano)},
		{Key: "network every", Value: t.network.Every.String()},
	}
	for _, key := range []string{
		"arms", "privacy.epsilon", "privacy.delta", "privacy.mechanism", "privacy.calibration", "privacy.adjacency",
		"privacy.records_per_user", "privacy.horizon",
		"protocol.name", "protocol.rows.every",
	} {
		if key != "protocol.rows.every" || t.s.Protocol.Name == "rows" {
			all = append(all, site.Fixed{Key: key, Value: valueText(t.s.value(key).Interface())})
		}
	}
	return all
}

// ledgerUnit says whom the budget protects.
func ledgerUnit(p *node.Privacy) string {
	one, many := "another in [0,1]", "others in [0,1]"
	if p.Adjacency == dp.ZeroOut {
		one, many = "0", "0"
	}
	if p.RecordsPerUser == 1 {
		return "the value of one reward, replaced by " + one
	}
	return fmt.Sprintf("the values of up to %d rewards of one user, replaced by %s", p.RecordsPerUser, many)
}
