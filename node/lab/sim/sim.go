// Package sim runs hundreds of agents in one goroutine, from one seed.
//
// A round is the same as in lockstep: every message sent in round t is delivered at the start of
// round t+1, in the order of [protocol.Sort], unless the network's faults lose, repeat or delay
// it. The agents are the daemon's own.
package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/lockstep"
	"peerd.dev/protocol"
)

// Config describes a run.
type Config struct {
	Spec    node.Spec
	Seeds   []node.Seed                  // by peer
	Keys    []vouch.Value[protocol.Keys] // by peer; nil for forgeable ones
	Worlds  []bandit.World               // by peer; idle peers need none
	Rounds  uint64
	Points  uint64 // of the regret curve; at least 1
	Faults  Faults
	Liars   Liars
	Network node.Seed // seed of faults and liars
	Topic   bool      // messages to everyone arrive directly at all peers
	Alone   bool      // every peer is a network of one
	Bytes   bool      // compute Result.Bytes and Result.Links; it takes a tenth of the time
	Truth   []float64 // means of the arms over all sites; nil if arms have none
	// Means are the arms' means at each peer's own site; nil if arms have none.
	Means [][]float64
	// OwnGap, if not nil, takes the place of Means where what arms pay depends on the round: by how much
	// arm a pays less than the best one at a site; sites are the peers with arms, numbered from 0.
	OwnGap func(site int, a bandit.Arm, round uint64) float64
	Own    bool // the regret of worlds is against the best arm of each peer's own site
	Cover  bool // compute Result.Coverage, which needs Truth

	// Played, if not nil, has what peers did elsewhere: the run is theirs.
	Played *Played
	// Trace, if not nil, returns where to write what peer p does; see
	// [lockstep.Trace]. Agents then send round ends, as in lockstep.
	Trace func(p protocol.Peer) *lockstep.Trace
	// Watch, if not nil, is called after every round with all agents.
	Watch  func(t protocol.Round, agents []*node.Agent)
	lemmas watcher // nil except in tests
	// Progress, if not nil, is called about a hundred times per run with the number of rounds
	// played. If it returns an error, the run ends.
	Progress func(done uint64) error
}

// A watcher sees what is public of a run: releases that are drawn, messages, and after each round estimates and pulls.
type watcher interface {
	drew(peer int, drawn []dp.Release)
	sent(peer int, m *protocol.Message)
	round(agents []*node.Agent, pulls [][]uint64)
}

// run is a run in progress.
type run struct {
	Config
	agents  []*node.Agent
	halves  []*kept.Half // by peer; nil for those that give all decisions
	traces  []*lockstep.Trace
	liars   []*liar // by peer; nil for honest ones
	network *Network
	down    []uint64 // round until which a peer is away
	stops   int      // the peer of [Faults.Stop]; -1 for none
	rng     *rand.Rand
	regret  float64                   // summed over honest peers
	own     float64                   // the same, against the best arm of each site
	sites   []Site                    // by peer
	best    []float64                 // mean of that arm, by peer
	earned  [][]float64               // rewards by peer and arm, where nothing leaves the peers
	honest  float64                   // number of peers with arms whose regret counts
	cover   *cover                    // nil unless asked for
	busy    map[[2]int]protocol.Round // by both ends of a link: the round after the last in which a release went over it
	res     Result
	buf     []byte
	sized   struct {
		message protocol.Message
		bytes   uint64
	}
}

// Run plays c.Rounds rounds.
func Run(c Config) (Result, error) {
	r, err := start(c)
	if err != nil {
		return Result{}, err
	}
	for t := range c.Rounds {
		for i := range r.agents {
			if err := r.step(protocol.Round(t), i); err != nil {
				return r.res, fmt.Errorf("peer %d, round %d: %w", i, t, err)
			}
		}
		r.network.Turn()
		r.point(t + 1)
		if r.lemmas != nil {
			r.lemmas.round(r.agents, r.res.Pulls)
		}
		if c.Watch != nil {
			c.Watch(protocol.Round(t), r.agents)
		}
		if c.Progress != nil && (t+1)%max(1, c.Rounds/100) == 0 {
			if err := c.Progress(t + 1); err != nil {
				return r.res, err
			}
		}
	}
	r.judge()
	if p := c.Played; p != nil {
		r.res.Spent, r.res.Refused = p.Spent, p.Refused
		return r.res, nil
	}
	for i, a := range r.agents {
		means := a.Summary().Estimates
		if r.silent() { // the agent knows nothing
			means = r.earned[i]
			for k, n := range r.res.Pulls[i] {
				means[k] /= float64(max(1, n))
			}
		}
		r.res.Means = append(r.res.Means, means)
	}
	if r.cover != nil {
		r.res.Coverage = &r.cover.Coverage
	}
	return r.res, nil
}

func start(c Config) (*run, error) {
	n := c.Spec.Peers()
	if len(c.Seeds) != n || len(c.Worlds) != n {
		return nil, fmt.Errorf("sim: %d peers, %d seeds, %d worlds: want as many of each", n, len(c.Seeds), len(c.Worlds))
	}
	r := &run{Config: c, down: make([]uint64, n), stops: -1, sites: make([]Site, n), rng: c.Network.Rand("network")}
	var err error
	if r.network, err = NewNetwork(n, c.Faults, r.rng); err != nil {
		return nil, err
	}
	if truth := slices.Sorted(slices.Values(c.Truth)); len(truth) > 1 {
		r.res.Gap = truth[len(truth)-1] - truth[len(truth)-2]
	}
	if err = c.Liars.check(); err != nil {
		return nil, err
	}
	cadence, err := c.Spec.Cadence()
	if err != nil {
		return nil, err
	}
	best, worst := 0, 0
	for k, mean := range c.Truth {
		if mean > c.Truth[best] {
			best = k
		}
		if mean < c.Truth[worst] {
			worst = k
		}
	}
	second := best
	for k, mean := range c.Truth {
		if k != best && (second == best || mean > c.Truth[second]) {
			second = k
		}
	}
	if c.Bytes {
		r.busy = make(map[[2]int]protocol.Round)
	}
	if c.Cover {
		r.cover, r.Worlds = &cover{truth: c.Truth}, slices.Clone(c.Worlds)
	}
	for _, means := range c.Means {
		best := 0.
		if len(means) > 0 { // the peer is not idle
			best = slices.Max(means)
		}
		r.best = append(r.best, best)
	}
	signed := make(notary)
	number := 0 // of peers with arms
	for i := range n {
		peer := node.PeerConfig{
			Self: protocol.Peer(i), Seed: c.Seeds[i], Noise: c.Seeds[i].Noise(), Topic: c.Topic, RoundEnds: c.Trace != nil,
			Reuse: r.network.prompt(),
		}
		keys := protocol.Keys(forgeable.Keys(peer.Self)) // there are no forgers in a run: liars sign with their own keys
		if c.Keys != nil {
			keys = &notarized{c.Keys[i].Get(), protocol.Peer(i), signed}
		}
		peer.Keys = vouch.For(keys)
		spec := c.Spec
		if c.Alone {
			peer.Self, spec.Graph = 0, [][]protocol.Peer{nil}
		}
		a, err := spec.Agent(peer)
		if err != nil {
			return nil, fmt.Errorf("peer %d: %w", i, err)
		}
		half, err := kept.New(&spec, peer.Self, c.Seeds[i])
		if err != nil {
			return nil, fmt.Errorf("peer %d: %w", i, err)
		}
		r.agents, r.halves = append(r.agents, a), append(r.halves, half)
		if r.sites[i].Number = number; !a.Idle() {
			number++
		}
		r.res.Pulls, r.earned = append(r.res.Pulls, make([]uint64, c.Spec.Arms)), append(r.earned, make([]float64, c.Spec.Arms))
		if c.Trace != nil {
			r.traces = append(r.traces, c.Trace(protocol.Peer(i)))
		}
		var l *liar
		if c.Liars.Is(i, n) {
			l = &liar{Liars: c.Liars, self: protocol.Peer(i), keys: keys, arms: c.Spec.Arms, peers: n, truth: c.Truth, best: best, second: second, worst: worst, rounds: c.Rounds, batches: cadence, asked: make(map[protocol.Peer][]int64), said: make(map[lieKey]*protocol.Message)}
		} else if !a.Idle() {
			if c.Faults.Stop > 0 && r.stops < 0 {
				r.stops = i
			}
			if r.counts(i) {
				r.honest++
			}
			if r.cover != nil {
				r.Worlds[i] = &checked{c.Worlds[i], r.cover, a}
			}
		}
		r.liars = append(r.liars, l)
	}
	if r.stops >= 0 && r.honest == 0 {
		return nil, errors.New("sim: the only honest peer with arms stops, want another one")
	}
	return r, nil
}

// step plays agent i's part of round t.
func (r *run) step(t protocol.Round, i int) error {
	in := r.network.Take(i)
	if r.away(t, i) {
		r.res.Lost += uint64(len(in))
		return nil
	}
	lies := r.liars[i] != nil
	if lies {
		r.liars[i].hear(in)
	}
	arm, ready, err := r.act(t, i, in)
	if err != nil {
		return err
	}
	if r.cover != nil && r.cover.err != nil {
		return r.cover.err
	}
	r.sized.bytes = 0
	if r.lemmas != nil {
		r.lemmas.drew(i, ready.Drawn)
	}
	if r.traces != nil {
		if err := r.trace(t, i, int(arm), ready); err != nil {
			return err
		}
	}
	if arm != bandit.NoArm {
		r.res.Pulls[i][arm]++
		if !lies && r.counts(i) {
			r.lose(t, i, arm)
		}
	}
	if !lies {
		r.res.Refused += uint64(len(ready.Refused))
	}
	r.res.Released += uint64(len(ready.Drawn))
	if len(ready.Charges) > 0 {
		r.res.Spent = max(r.res.Spent, r.agents[i].Spent())
	}
	for k := range ready.Messages {
		e := &ready.Messages[k]
		if _, ok := e.Message.IsRoundEnd(); ok {
			continue // the mailboxes know when a round is over
		}
		if r.lemmas != nil {
			r.lemmas.sent(i, &e.Message)
		}
		if e.To != protocol.Everyone {
			if err := r.send(t, i, int(e.To), &e.Message); err != nil {
				return err
			}
			continue
		}
		for to := range r.agents {
			if to != i {
				if err := r.send(t, i, to, &e.Message); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// send posts one message of a peer, or the lie that replaces it.
func (r *run) send(t protocol.Round, from, to int, m *protocol.Message) error {
	if r.liars[from] != nil {
		if r.liars[from].withholds(m) {
			return nil
		}
		lie, err := r.liars[from].lie(m, t, protocol.Peer(to))
		if err != nil {
			return err
		}
		m = &lie
	}
	r.post(t, from, to, m, r.size(m))
	return nil
}

// size returns the encoded size of m. A message that a peer sends to several neighbours in
// sequence is measured once.
func (r *run) size(m *protocol.Message) uint64 {
	if !r.Bytes {
		return 0
	}
	if r.sized.bytes == 0 || *m != r.sized.message {
		r.buf = protocol.Encode(r.buf[:0], *m)
		r.sized.message, r.sized.bytes = *m, uint64(len(r.buf))
	}
	return r.sized.bytes
}

// post sends one message through the network's faults.
func (r *run) post(t protocol.Round, from, to int, m *protocol.Message, size uint64) {
	r.res.Messages++
	r.res.Bytes += size
	if r.busy != nil && m.Body() > 0 {
		r.link(t, min(from, to), max(from, to))
	}
	if r.network.Post(t, from, to, m) {
		r.res.Lost++
	}
}

// link counts a link over which a release goes in round t.
func (r *run) link(t protocol.Round, a, b int) {
	ends := [2]int{a, b}
	switch {
	case r.busy[ends] == t+1:
		return
	case r.agents[a].Idle() || r.agents[b].Idle():
		r.res.HubLinks++
	default:
		r.res.Links++
	}
	r.busy[ends] = t + 1
}

// away reports whether a fault keeps peer i out of round t.
func (r *run) away(t protocol.Round, i int) bool {
	if i == r.stops && r.Faults.stopped(t) {
		return true
	}
	if r.Faults.Churn == 0 {
		return false
	}
	if uint64(t) < r.down[i] {
		return true
	}
	if r.rng.Float64() < r.Faults.Churn {
		r.down[i] = uint64(t) + 1 + r.rng.Uint64N(2*MeanAbsence-1)
		return true
	}
	return false
}

func (r *run) trace(t protocol.Round, i, arm int, ready node.Ready) error {
	tr := r.traces[i]
	if err := tr.Step(t, arm, r.agents[i].Belief(), ready.Drawn); err != nil {
		return err
	}
	for _, e := range ready.Messages {
		r.buf = protocol.Encode(r.buf[:0], e.Message)
		if err := tr.Frame(e.To, r.buf); err != nil {
			return err
		}
	}
	return nil
}
