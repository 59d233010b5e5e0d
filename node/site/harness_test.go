package site

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/ledger"
	"peerd.dev/node/site/tables"
	"peerd.dev/node/store"
	"peerd.dev/node/store/storetest"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
	sums "peerd.dev/protocol/running"
)

// The site under test is the middle one of three peers in a row, so that it asks and
// is asked.
const (
	left  protocol.Peer = 0
	self  protocol.Peer = 1
	right protocol.Peer = 2
)

const (
	dir    = "/store"
	every  = time.Second // a round
	window = 3 * every
)

func epoch() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }

// setting is what tests vary.
type setting struct {
	adjacency  dp.Adjacency
	protocol   string
	params     protocol.Params // nil for small ones
	features   int             // numbers that describe an action; the learner need not use them
	inputs     bandit.Inputs   // of decisions; zero for as many numbers, without a context
	names      *decision.Names // of features; nil for none
	describes  bool            // decisions come with features
	mode       dp.Mode
	mechanism  dp.Mechanism
	rules      Rules
	arms       []string
	absent     []bandit.Arm
	horizon    uint64
	records    uint64              // of a user
	world      bool                // simulated
	worlds     func() bandit.World // of another kind; nil for coins
	alone      bool                // no neighbours
	saveEvery  uint64              // 0 for the usual
	pinned     []Pinned
	graph      [][]protocol.Peer
	version    uint64          // of the membership; 0 for one without versions
	idle       bool            // the site has a role without actions
	neighbours []protocol.Peer // nil for the usual
	seed       uint64
	explore    float64
	learner    bandit.Params    // nil for the first learner that suits
	founding   int              // as in [Config]
	coins      func() node.Seed // the same
	tables     bool             // the application draws some actions from tables
	inside     bool             // the site keeps decisions, and so do its neighbours
	conceal    bool             // the ledger commits to releases
	noised     float64          // ε of own rewards before kept decisions follow from them; 0 for no noise
	takes      int              // what the application takes by a policy of its own, where it does; see takenFor
}

// usual is a private site that serves an application.
func usual(name string, settle Settle) setting {
	x := setting{
		protocol: name, arms: []string{"red", "green", "blue"}, horizon: 4096, records: 2,
		rules: Rules{Window: window, Default: .25, Adding: First, Settle: settle, Keep: 5 * every, PerSubject: 2},
	}
	if e, err := protocoltest.Lookup(papers.All(), name); err == nil && protocol.TraitsOf(e).Wide {
		l, _ := learnerFor(e)
		learner, err := bandit.New(bandit.Small(l), bandit.Config{Arms: len(x.arms), Peers: 3, Horizon: x.horizon, Epsilon: 1})
		if err != nil {
			panic(err)
		}
		x.features, x.describes, x.mechanism = learner.Statistic().Dim, true, dp.TreeGaussian
	}
	return x
}

// repeatable makes every draw depend on the seed, so that runs can be compared.
func (x setting) repeatable(seed uint64) setting {
	x.mode, x.seed = dp.Lockstep, seed
	return x
}

// The protocols for tests that are about a single one: averaged is of means that peers mix,
// stated of sums that each peer states.
var averaged, stated = nameOf(averaging.AverageParams{}), nameOf(sums.Params{})

func nameOf(p protocol.Params) string { return p.Words().Name }

// protocols names those that the tests about all protocols go through.
func protocols() (names []string) {
	for _, e := range papers.All() {
		if _, ok := learnerFor(e); ok && !protocol.TraitsOf(e).Wide && protocol.Learns(small(e), self) {
			names = append(names, e.Words().Name)
		}
	}
	return names
}

// byFeatures names the protocols of learners by features, for tests that are also about features. The site has no arms in shuffle,
// whose sealed texts the audit compares.
func byFeatures() (names []string) {
	for _, e := range papers.All() {
		if protocol.TraitsOf(e).Wide && protocol.Learns(small(e), self) {
			names = append(names, e.Words().Name)
		}
	}
	return names
}

// withoutRoles names the protocols in which all peers have arms, so that the site sends messages
// to both neighbours.
func withoutRoles() (names []string) {
	for _, name := range protocols() {
		if e, err := protocoltest.Lookup(papers.All(), name); err == nil && protocol.Learners(small(e), 3) == 3 {
			names = append(names, name)
		}
	}
	return names
}

// small returns parameters with which a few rounds show everything.
func small(e protocol.Params) protocol.Params { return protocol.Small(e, 2) }

// learnerFor returns the first learner of the table that suits a protocol.
func learnerFor(e protocol.Params) (bandit.Params, bool) {
	for _, l := range append([]bandit.Params{learner.UCBParams{}}, learner.All()...) {
		learner, err := bandit.New(bandit.Small(l), bandit.Config{Arms: 3, Peers: 3, Horizon: 4096, Epsilon: 1})
		if err != nil || learner.Statistic().Width() > 1 != protocol.TraitsOf(e).Wide {
			continue
		}
		if _, phased := learner.(bandit.Phased); phased == (small(e).Cadence().Epochs > 0) {
			return l, true
		}
	}
	return nil, false
}

// spec describes the network: protocol and learner with parameters that show everything in a few
// rounds.
func (x *setting) spec() node.Spec {
	budget := account.Budget{Epsilon: dp.Nano}
	switch {
	case x.mechanism == dp.None:
		budget = account.Unlimited
	case x.mechanism.Law() == dp.Gaussian:
		budget.Delta = 1e12
	}
	row, err := protocoltest.Lookup(papers.All(), x.protocol)
	if err != nil {
		panic(err)
	}
	learner, _ := learnerFor(row)
	params := small(row)
	if x.params != nil {
		params = x.params
	}
	if x.idle {
		params, _ = withRelays(params, int(self)+1)
	}
	s := node.Spec{
		Arms: len(x.arms), Absent: x.absent, Graph: [][]protocol.Peer{{self}, {left, right}, {self}},
		Learner: bandit.Small(learner), Protocol: params, Explore: x.explore,
		Privacy: node.Privacy{Mode: x.mode, Budget: budget, Mechanism: x.mechanism, Adjacency: x.adjacency, RecordsPerUser: x.records, Horizon: x.horizon},
	}
	if x.learner != nil {
		s.Learner = x.learner
	}
	if x.inside {
		s.Give, s.Sites, s.Inside = node.GiveFew, 20, x.noised
		if s.Protocol, err = s.Giving(); err != nil {
			panic(err)
		}
	}
	switch {
	case x.graph != nil:
		s.Graph = x.graph
	case x.alone:
		s.Graph = [][]protocol.Peer{nil, nil, nil}
	}
	return s
}

// agent returns a peer's agent. In lockstep all its random numbers come from the seed.
func (x *setting) agent(p protocol.Peer, life Life) (*node.Agent, error) {
	c := node.PeerConfig{Self: p, Incarnation: life.Incarnation, Keys: vouch.For[protocol.Keys](forgeable.Keys(p)), Topic: true, Seed: life.Seed, Noise: dp.NewSecureSource()}
	if x.mode == dp.Lockstep {
		c.Seed = node.PeerSeed(x.seed, p)
		c.Noise = c.Seed.Noise()
	}
	spec := x.spec()
	return spec.Agent(c)
}

// half returns the kept half of the site, if it keeps decisions.
func (x *setting) half(life Life) (*kept.Half, error) {
	spec := x.spec()
	return kept.New(&spec, self, life.Seed)
}

// clock is the site's.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// rig is a site on a disk in memory, with a clock of its own, and its neighbours. It outlives
// stops and crashes of the site.
type rig struct {
	setting
	t      testing.TB
	disk   *vfs.MemFS
	memory *storetest.Memory   // instead of the disk; nil for the disk
	wrap   func(vfs.FS) vfs.FS // nil for the bare disk
	full   store.Options       // Reserve and Fatal
	clock  *clock
	ahead  func() (time.Duration, int) // as in [Config]
	logs   *logBuffer
	alarms chan error
	c      Config
	s      *Site
	net    *network
	mute   bool // durable steps are not sent

	keepers func() []Keeper // of a start; nil for none
}

// Table returns the newest table.
func (s *Site) Table(context.Context) (tables.Table, error) {
	return s.tables.(*tables.Tables).Newest()
}

// tip returns the end of the ledger, durable or not.
func (s *Site) tip() protocol.Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkpoint()
}

func newRig(t testing.TB, x setting) *rig {
	r := &rig{
		setting: x, t: t, disk: vfs.NewCrashableMem(), clock: &clock{now: epoch()},
		logs: new(logBuffer), alarms: make(chan error, 16), net: newNetwork(t, &x),
	}
	r.full.Fatal = func(err error) { panic(err) }
	return r
}

// config describes the site.
func (r *rig) config() Config {
	spec := r.spec()
	cadence, err := spec.Cadence()
	if err != nil {
		r.t.Fatal(err)
	}
	statistic, err := spec.Statistic()
	if err != nil {
		r.t.Fatal(err)
	}
	var keepers []Keeper
	if r.keepers != nil {
		keepers = r.keepers()
	}
	c := Config{
		Keepers: keepers, Tables: func(s Source) Tables { return tables.New(s) }, Pinned: r.pinned, Conceal: r.conceal,
		Dir: dir, Store: r.full,
		Genesis: ledger.Genesis{
			Version: ledger.Version, Peer: "12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X", Network: "test",
			Mode: ledger.Private, Budget: spec.Privacy.Budget, Unit: "a reward",
		},
		Founding: r.founding, Inputs: r.inputs, Names: r.names, Streams: cadence.Streams(statistic.Parts), Cadence: cadence, Horizon: r.horizon,
		Membership: Membership{
			Arms: r.arms, Absent: r.absent, Peers: 3, ID: func(p protocol.Peer) string { return fmt.Sprint("peer ", p) }, Neighbours: []protocol.Peer{left, right},
			Agent: func(life Life) (*node.Agent, error) { return r.agent(self, life) }, Half: r.half,
		},
		Rules: r.rules, Coins: r.coins,
		Clock: node.Clock{Start: epoch(), Every: every}, Rounds: r.horizon,
		Alarm: func(err error) { r.alarms <- err }, Now: r.clock.Now, Ahead: r.ahead,
		Logger: slog.New(slog.NewTextHandler(r.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if r.inputs.Action == 0 {
		c.Inputs = bandit.Inputs{Action: r.features}
	}
	if r.mode == dp.Lockstep {
		c.Genesis.Mode = ledger.Lockstep
	}
	if c.Store.FS = r.disk; r.memory != nil {
		c.Store.Memory = r.memory
	}
	if r.wrap != nil {
		c.Store.FS = r.wrap(r.disk)
	}
	if r.alone {
		c.Neighbours = nil
	}
	if r.neighbours != nil {
		c.Peers, c.Neighbours = 4, r.neighbours
	}
	if r.version > 0 {
		c.Membership, c.Memberships = r.membership(r.version), r.membershipOf
	}
	if r.worlds != nil {
		c.World = func(Life) (bandit.World, error) { return r.worlds(), nil }
	}
	if r.world {
		c.World = func(Life) (bandit.World, error) {
			return newCoins([]float64{.2, .5, .7}[:len(r.arms)], r.features, node.NewSeed(r.seed).Of("world")), nil
		}
	}
	return c
}

// open starts the site without reports of its neighbours.
func (r *rig) open() {
	r.t.Helper()
	r.c = r.config()
	s, err := Open(r.c)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.saveEvery > 0 {
		s.saveEvery = r.saveEvery
	}
	r.s = s
}

// start starts the site and makes its neighbours report what they remember.
func (r *rig) start() {
	r.t.Helper()
	r.open()
	r.greet()
}

// greet makes the neighbours report what they remember, also those that left since the site was open. Like Run, it sends what was left in the
// outbox again unless the site is blocked.
func (r *rig) greet() {
	r.t.Helper()
	for p := range protocol.Peer(r.c.Peers) {
		if slices.Contains(r.c.Neighbours, p) || slices.Contains(r.s.standing.Witnesses(), r.c.ID(p)) {
			r.s.OnRemembered(p, r.net.memory(p), true)
		}
	}
	r.again()
}

// again sends what was left in the outbox, unless the site is blocked.
func (r *rig) again() {
	r.t.Helper()
	if !r.s.isBlocked() {
		if err := r.s.resend(r.t.Context(), r.net); err != nil {
			r.t.Fatal(err)
		}
	}
}

// stop ends the site in good order.
func (r *rig) stop() {
	r.t.Helper()
	if err := r.s.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// crash leaves only synced data on the disk.
func (r *rig) crash() {
	r.t.Helper()
	was := r.disk
	r.disk = was.CrashClone(vfs.CrashCloneCfg{})
	_ = r.s.store.Close()
}

// round moves the clock to the next round and ends it.
func (r *rig) round() {
	r.t.Helper()
	t := max(r.s.state.Round, r.s.roundAt(r.clock.Now()))
	if d := epoch().Add(time.Duration(t) * every).Sub(r.clock.Now()); d > 0 {
		r.clock.add(d)
	}
	if err := r.s.Round(protocol.Round(t), r.net.step(protocol.Round(t))); err != nil {
		r.t.Fatalf("round %d: %v", t, err)
	}
	r.pump()
}

func (r *rig) rounds(n int) {
	r.t.Helper()
	for range n {
		r.round()
	}
}

// pump does what the goroutine of send does, until nothing waits.
func (r *rig) pump() {
	r.t.Helper()
	for {
		select {
		case x := <-r.s.sends:
			if r.mute {
				x.messages = nil
			}
			if err := r.s.sendOne(r.t.Context(), r.net, x); err != nil {
				r.t.Fatal(err)
			}
		default:
			return
		}
	}
}

func (r *rig) decide(asks ...decision.Ask) []decision.Outcome[decision.Decision] {
	for i := range asks {
		if r.describes && asks[i].Features == nil && asks[i].Actions == nil {
			asks[i].Features = r.described(float64(crc32.ChecksumIEEE([]byte(asks[i].ID))))
		}
		if r.rules.Shadow.shadows() && asks[i].Taken == nil {
			asks[i].Taken = r.takenFor(asks[i].ID)
		}
	}
	return r.s.Decide(r.t.Context(), asks)
}

// takenFor returns what the application takes for a decision, and says of its propensity.
func (x *setting) takenFor(id string) *decision.Taken {
	h := int(crc32.ChecksumIEEE([]byte(id))) + x.takes
	return &decision.Taken{Action: x.arms[h%len(x.arms)], Propensity: 1 / float64(2+h%5)}
}

// ask asks for one decision that must be made.
func (r *rig) ask(a decision.Ask) decision.Decision {
	r.t.Helper()
	out := r.decide(a)
	if out[0].Err != nil {
		r.t.Fatalf("decision %q: %v", a.ID, out[0].Err)
	}
	return out[0].Value
}

// asks makes a number of decisions in one call, with ids of a prefix.
func (r *rig) asks(n int, prefix string, a decision.Ask) (all []decision.Decision) {
	r.t.Helper()
	asks := slices.Repeat([]decision.Ask{a}, n)
	for i := range asks {
		asks[i].ID = fmt.Sprint(prefix, i)
	}
	for _, o := range r.decide(asks...) {
		if o.Err != nil {
			r.t.Fatal(o.Err)
		}
		all = append(all, o.Value)
	}
	return all
}

// pays reports the rewards of decisions in one call, which must be accepted.
func (r *rig) pays(all []decision.Decision, value func(*decision.Decision) float64) {
	r.t.Helper()
	reports := make([]decision.Report, len(all))
	for i := range all {
		reports[i] = decision.Report{ID: all[i].ID, Value: bandit.Reward(value(&all[i]))}
	}
	for _, o := range r.s.Reward(r.t.Context(), reports) {
		if o.Err != nil {
			r.t.Fatal(o.Err)
		}
	}
}

// report reports one reward.
func (r *rig) report(id string, value float64) (decision.Receipt, error) {
	out := r.s.Reward(r.t.Context(), []decision.Report{{ID: id, Value: bandit.Reward(value)}})
	return out[0].Value, out[0].Err
}

// pay reports a reward that must be accepted.
func (r *rig) pay(id string, value float64) decision.Receipt {
	r.t.Helper()
	got, err := r.report(id, value)
	if err != nil {
		r.t.Fatalf("reward of %q: %v", id, err)
	}
	return got
}

func (r *rig) status() node.Status {
	r.t.Helper()
	st, err := r.s.Status(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return st
}

// lines returns the ledger.
func (r *rig) lines() [][]byte {
	r.t.Helper()
	return ledgerOf(r.t, r.s.store)
}

func ledgerOf(t testing.TB, st *store.Store) (lines [][]byte) {
	t.Helper()
	for line, err := range Records(st, 0, 1<<62) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// draft returns the ledger, checked as others would check it.
func (r *rig) draft() *draft {
	r.t.Helper()
	d := newDraft()
	d.add(r.t, r.lines())
	return d
}

// refused returns the code of a refusal, or "" for none.
func refused(t testing.TB, err error) decision.Code {
	t.Helper()
	if err == nil {
		return ""
	}
	r, ok := err.(*decision.Refusal) //nolint:errorlint // it is promised bare
	if !ok {
		t.Fatalf("%v is no refusal", err)
	}
	return r.Code
}

// network is the site's transport: it records what is sent and passes it to two neighbours, which
// are agents in memory.
type network struct {
	t     testing.TB
	peers map[protocol.Peer]*neighbour

	mu         sync.Mutex
	dead       bool // messages are lost
	frames     []frame
	known      map[frame]bool
	again      int                 // frames that were sent more than once
	checkpoint protocol.Checkpoint // with the next message
	inbox      chan protocol.Delivery
	watch      func(es []protocol.Envelope, m protocol.Checkpoint) // sees what is sent; may be nil
	outrun     func() bool                                         // a message to everyone overtakes the checkpoint, which is then lost; may be nil
}

// frame is a message as it is sent.
type frame struct {
	to    protocol.Peer
	bytes string
}

// neighbour is another peer.
type neighbour struct {
	agent  *node.Agent
	x      *setting
	in     []protocol.Delivery // arrived, for its next round
	out    []protocol.Delivery // for the site's next round
	deaf   bool                // cut off from the site
	gone   bool                // no neighbour any more
	memory protocol.Checkpoint // of the site's ledger
	rounds uint64
}

func newNetwork(t testing.TB, x *setting) *network {
	n := &network{
		t: t, known: make(map[frame]bool), peers: make(map[protocol.Peer]*neighbour), inbox: make(chan protocol.Delivery, 1024),
	}
	for _, p := range []protocol.Peer{left, right} {
		other := *x
		other.mode, other.alone, other.idle = dp.Lockstep, false, false
		a, err := other.agent(p, Life{Incarnation: 1})
		if err != nil {
			t.Fatal(err)
		}
		n.peers[p] = &neighbour{agent: a, x: x}
	}
	return n
}

// Advance implements [Transport].
func (n *network) Advance(m protocol.Checkpoint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checkpoint = m
}

// Send implements [Transport].
func (n *network) Send(_ context.Context, es []protocol.Envelope) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.dead {
		return nil
	}
	if n.watch != nil {
		n.watch(es, n.checkpoint)
	}
	for i := range es {
		f := frame{es[i].To, string(protocol.Encode(nil, es[i].Message))}
		again := n.known[f]
		for _, p := range []protocol.Peer{left, right} {
			if o := n.peers[p]; !o.deaf && !o.gone && (f.to == p || f.to == protocol.Everyone) {
				if f.to != protocol.Everyone || n.outrun == nil || !n.outrun() {
					o.memory = n.checkpoint
				}
				if !again {
					o.in = append(o.in, protocol.Delivery{From: self, Message: es[i].Message})
				}
			}
		}
		if again {
			n.again++
			continue
		}
		n.known[f] = true
		n.frames = append(n.frames, f)
	}
	return nil
}

// Inbox implements [Transport].
func (n *network) Inbox() <-chan protocol.Delivery { return n.inbox }

// memory returns what a neighbour remembers of the site's ledger.
func (n *network) memory(p protocol.Peer) protocol.Checkpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.peers[p] == nil {
		return protocol.Checkpoint{}
	}
	return n.peers[p].memory
}

// hear makes a neighbour remember a checkpoint that another peer has reported to it.
func (n *network) hear(p protocol.Peer, c protocol.Checkpoint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers[p].memory = c
}

// step lets the neighbours play a round and returns what they sent the site in the round before.
func (n *network) step(t protocol.Round) (in []protocol.Delivery) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range []protocol.Peer{left, right} {
		o := n.peers[p]
		if !o.deaf && !o.gone {
			in = append(in, o.out...)
		}
		o.out = nil
	}
	for _, p := range []protocol.Peer{left, right} {
		o := n.peers[p]
		protocol.Sort(o.in)
		if _, err := o.agent.Round(t, o.in, payer{o}); err != nil {
			n.t.Fatalf("peer %d: %v", p, err)
		}
		o.in = nil
		ready := o.agent.Ready()
		for _, err := range ready.Refused {
			n.t.Fatalf("peer %d refuses a message: %v", p, err)
		}
		for i := range ready.Messages {
			e := &ready.Messages[i]
			d := protocol.Delivery{From: p, Message: e.Message}
			if e.To == self || e.To == protocol.Everyone {
				o.out = append(o.out, d)
			}
			if other := left + right - p; e.To == protocol.Everyone {
				n.peers[other].in = append(n.peers[other].in, d)
			}
		}
	}
	return in
}

// logBuffer holds what was logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
