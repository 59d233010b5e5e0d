package daemon

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/gossip"
	"peerd.dev/gossip/wire"
	"peerd.dev/internal/config"
	"peerd.dev/internal/version"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
	"peerd.dev/protocol"
)

// StoreDir is the folder of the store in a peer's folder. It is private.
const StoreDir = "store"

// A Deployment is a peer as its files describe it: configuration, key, network file.
type Deployment struct {
	s       *config.Settings
	Network *config.Network
	Record  *Record // of the network document; nil for a file that is not signed
	id      gossip.Identity
	Self    protocol.Peer
	Links   []protocol.Peer // neighbours, ascending
	actions config.Actions
	sites   config.Sites      // nil for an application's peer, and until they are needed
	agreed  []byte            // what all peers agreed on
	policy  [sha256.Size]byte // its hash
	terms   []wire.Term       // the same, for people
	Keys    vouch.Value[protocol.Keys]
	Spec    node.Spec
	least   uint64 // rewards that the network asks of each member
	tags    string // build tags of this program
}

// NewDeployment reads the network file and the key of valid settings. Errors of these files are
// [config.ErrRefused], and so is a peer that has left the network; one that it does not name is [config.ErrNetwork].
func NewDeployment(s *config.Settings) (*Deployment, error) {
	t, err := LastDeployment(s)
	if err != nil {
		return nil, err
	}
	if p := &t.Network.Peers[t.Self]; p.Absent() {
		return nil, config.Failf(errGone, "peer %s is %s in version %d of the network", p.Name, p.Standing, t.Network.Version)
	}
	return t, nil
}

// LastDeployment is NewDeployment also for a peer that has left the network.
func LastDeployment(s *config.Settings) (*Deployment, error) {
	t := &Deployment{s: s, tags: version.Read().Tags}
	n, err := config.ReadNetwork(s.NetworkPath())
	if err != nil {
		return nil, err
	}
	if n.Version > 0 && s.Mode == config.Lockstep {
		return nil, config.Failf(config.ErrRefused, "mode: lockstep: want live with a signed network document, since rounds in lockstep wait for all peers")
	}
	if problems := s.CheckNetwork(n); len(problems) > 0 {
		return nil, &config.Refusal{What: "configuration, with network file " + s.NetworkPath() + ",", Problems: problems}
	}
	if t.id, err = identity(s, n); err != nil {
		return nil, err
	}
	self, ok := n.Index(t.id.ID())
	if !ok {
		way := "add it there, on every peer"
		if n.Version > 0 {
			way = "join with a token of `peerd network invite`; or, if this peer's key was replaced, the file is older than that: copy the one of another peer over it"
		}
		return nil, config.Failf(config.ErrNetwork, "peer %s is not in %s: %s", t.id.ID(), s.NetworkPath(), way)
	}
	t.Self = self
	if n.Version > 0 {
		if t.Record, err = OpenRecord(s, t.id); err != nil {
			return nil, err
		}
	}
	return t, t.settle(n)
}

// Key returns the peer's key.
func (t *Deployment) Key() gossip.Identity { return t.id }

// Agreed returns what all peers agreed on, of which the policy of the ledger is the hash.
func (t *Deployment) Agreed() []byte { return t.agreed }

// settle makes t the deployment in a network.
func (t *Deployment) settle(n *config.Network) (err error) {
	t.Network = n
	data := ""
	if t.s.Simulated().Records > 0 {
		if err = t.openSites(); err != nil {
			return err
		}
		data = t.sites.Data()
	}
	t.agreed, t.policy, t.terms = config.PolicyText(t.s, n, data), config.PolicyHash(t.s, n, data), config.Terms(t.s, n, data)
	ring, err := gossip.NewKeyring(t.s.Domain(t.policy), n.IDs())
	if err != nil {
		return config.Failf(config.ErrNetwork, "%w", err)
	}
	keys, err := ring.Keys(t.id)
	if err != nil {
		return err
	}
	t.Keys = vouch.For[protocol.Keys](keys)
	graph := config.Neighbours(len(n.Peers), n.Links)
	t.Links = graph[t.Self]
	t.actions = t.s.Actions(n)
	at, err := t.s.In(n)
	if err != nil {
		return err
	}
	if t.Spec, err = at.Spec(graph, t.s.Domain(t.policy)); err != nil {
		return err
	}
	t.Spec.Absent, t.least = t.actions.Absent, at.Give.Least
	return nil
}

// agent returns the peer's agent for one of its lives.
func (t *Deployment) agent(life site.Life) (*node.Agent, error) {
	return t.Spec.Agent(node.PeerConfig{
		Self: t.Self, Incarnation: life.Incarnation, Seed: life.Seed, Noise: dp.NewSecureSource(), Keys: t.Keys, Topic: true,
	})
}

// half returns the kept half of the peer's site for one of its lives; nil if the site gives all decisions.
func (t *Deployment) half(life site.Life) (*kept.Half, error) {
	return kept.New(&t.Spec, t.Self, life.Seed.Of("inside"))
}

// openSites opens the simulated world.
func (t *Deployment) openSites() (err error) {
	if t.sites == nil {
		t.sites, err = t.s.OpenSites(t.s.SitesOf(len(t.Network.Peers)))
	}
	return err
}

// World returns what the peer plays, with coins of its own.
func (t *Deployment) World(seed node.Seed) (bandit.World, error) {
	if err := t.openSites(); err != nil {
		return nil, err
	}
	return t.sites.World(t.s.SitesOf(int(t.Self)), rand.NewChaCha8(seed.Of("world")))
}

// hidesCounts reports whether no metric may count requests for decisions: their number is noised, or would count kept ones.
func (t *Deployment) hidesCounts() bool {
	return t.Spec.Privacy.NoisedCounts() || t.s.Privacy.Answers == config.Inside
}

// idle reports whether the peer has a role without arms.
func (t *Deployment) idle() bool {
	return !protocol.Learns(t.Spec.Protocol, t.Self)
}

// HostConfig returns the configuration of the peer's place in the network.
func (t *Deployment) HostConfig(incarnation uint32, log *slog.Logger) gossip.Config {
	c := gossip.Config{
		Identity: t.id, Listen: t.s.Listen, Self: t.Self, Incarnation: incarnation,
		Peers: t.Network.Infos(), Neighbours: t.Links, Network: t.Network.Name, Policy: t.policy, Terms: t.terms,
		Topic: t.s.Mode == config.Live, Logger: log,
	}
	if t.Record != nil {
		c.Document = t.Record
	}
	return c
}

// site opens the peer's store, with the options that are not settings.
func (t *Deployment) site(log *slog.Logger, o store.Options, alarm func(error), ahead func() (time.Duration, int), with ...Addition) (*site.Site, error) {
	s := t.s
	o.Reserve, o.Logger = s.Store.Reserve<<20, log
	cadence, err := t.Spec.Cadence()
	if err != nil {
		return nil, err
	}
	statistic, err := t.Spec.Statistic()
	if err != nil {
		return nil, err
	}
	c := site.Config{
		Dir:     filepath.Join(s.Dir, StoreDir),
		Store:   o,
		Genesis: t.genesis(),
		Streams: cadence.Streams(statistic.Parts), Cadence: cadence, Horizon: s.Privacy.Rounds(),
		Pinned: t.pinned(), Settings: t.s.FreeSettings(),
		Rules:  rules(s),
		Clock:  node.Clock{Start: t.Network.Start, Every: t.Network.Every},
		Rounds: s.RoundCount(),
		Alarm:  alarm, Ahead: ahead, Logger: log,
		Membership: t.membership(), Founding: len(s.Arms),
	}
	for _, a := range with {
		if a.Keeper != nil {
			c.Keepers = append(c.Keepers, a.Keeper)
		}
		if a.Tables != nil {
			c.Tables = a.Tables
		}
	}
	_, c.Conceal = t.Spec.Protocol.(protocol.Promising)
	if t.Record != nil {
		c.Memberships = t.membershipOf
	}
	if learner := bandit.TraitsOf(t.Spec.Learner); learner.Contextual {
		c.Inputs, c.Names = learner.Inputs, s.Names()
	}
	switch {
	case t.idle():
	case s.World.Kind != config.Application:
		c.World = func(life site.Life) (bandit.World, error) { return t.World(life.Seed) }
	}
	return site.Open(c)
}

// rules returns the site's rules, which settings state.
func rules(s *config.Settings) site.Rules {
	return site.Rules{
		Window: s.API.Window, Default: s.API.DefaultReward, Range: s.API.Range(), Adding: s.API.Reward, Settle: s.API.Settle, Fallback: s.API.Fallback,
		MinExposures: s.API.MinExposures, Keep: s.API.Keep, PerSubject: s.Privacy.RecordsPerUser, Named: s.API.Subject == config.Required,
		Shadow: s.API.Shadow, Baseline: s.API.Baseline, BaselineShare: s.API.BaselineShare, UntilBetter: s.API.BaselineUntil == config.BaselineBetter,
		Offer: s.API.Offer,
	}
}

// Actions returns the names of the network's actions by place, and the places that cannot be chosen.
func (t *Deployment) Actions() (names []string, absent []bandit.Arm) {
	return t.actions.Names, t.actions.Absent
}

// genesis returns the first record of the peer's ledger.
func (t *Deployment) genesis() ledger.Genesis {
	return ledger.Genesis{
		Version: ledger.Version, Peer: t.id.ID(), Network: t.Network.Name, Policy: t.policy,
		Mode: ledger.Private, Budget: t.Spec.Privacy.Budget, Unit: ledgerUnit(&t.Spec.Privacy), Tags: t.tags,
	}
}

// name returns the name of a peer in the network file, or its id.
func (t *Deployment) name(id string) string {
	for _, m := range t.Network.Peers {
		if m.ID == id || slices.Contains(m.Former, id) {
			return m.Name
		}
	}
	return id
}

// pinned lists the settings that a folder keeps from its founding: what its ledger contains, what
// its noise was computed for, when its rounds are, and which records of a world are its own.
func (t *Deployment) pinned() []site.Pinned {
	all := []site.Pinned{
		{Key: "identity.key", Value: t.Network.Peers[t.Self].FirstID()},
		{Key: "network name", Value: t.Network.Name},
		{Key: "network start", Value: t.Network.Start.UTC().Format(time.RFC3339Nano)},
		{Key: "network every", Value: t.Network.Every.String()},
	}
	if t.tags != "" { // otherwise they would write into the ledger of a program without tags
		all = append(all, site.Pinned{Key: "build tags", Value: t.tags})
	}
	all = append(all, t.s.FixedSettings()...)
	if t.s.Simulated().Records > 0 {
		all = append(all,
			site.Pinned{Key: "the hash of the world's data", Value: t.sites.Data()},
			site.Pinned{Key: "the number of sites that share the world's data", Value: strconv.Itoa(t.s.SitesOf(len(t.Network.Peers)))},
			site.Pinned{Key: "this peer's place among them", Value: strconv.Itoa(t.s.SitesOf(int(t.Self)))},
		)
	}
	return all
}

// ledgerUnit returns whom the budget protects.
func ledgerUnit(p *node.Privacy) string {
	if p.NoisedCounts() {
		return fmt.Sprintf("the presence of one user with up to %d rewards", p.RecordsPerUser)
	}
	one, many := "another in [0,1]", "others in [0,1]"
	if p.Adjacency == dp.ZeroOut {
		one, many = "0", "0"
	}
	if p.RecordsPerUser == 1 {
		return "the value of one reward, replaced by " + one
	}
	return fmt.Sprintf("the values of up to %d rewards of one user, replaced by %s", p.RecordsPerUser, many)
}
