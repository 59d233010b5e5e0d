package audit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/averages"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/protocol"
	"peerd.dev/protocol/shuffling"
)

// A report of [Run] is about everyone who sees what is drawn. In protocol shuffle that is no one but a silo, and the promise
// against the analyzer can count on more than the own noise. So the auditor has the analyzer's keys here, and the view is what
// it opens: single reports or the sum over silos, their order, and the sizes of all messages. The other silos' records are known.

// A crowd is the silos of protocol shuffle, peers 2 and on; peer 0 is the shuffler, peer 1 the analyzer.
type crowd struct {
	name   string
	sees   shuffling.Sees
	honest int // silos whose noise the promise counts on, and the fewest that are forwarded
	absent int // further silos, which never report
}

// The network of a crowd.
const (
	crowdFirst  = 2
	crowdSilos  = Peers // that report
	crowdBatch  = 4     // rounds
	crowdRounds = crowdBatch*recordLeaves + 16
	crowdLate   = crowdRounds - 8 // until then the last silo's report of the last batch is lost
)

// crowds are what a promise can count on.
func crowds() []crowd {
	return []crowd{
		{"reports", shuffling.Reports, 1, 0},
		{"sum", shuffling.Sum, 1, 0},
		{"collective", shuffling.Sum, crowdSilos, 1},
	}
}

// spec returns the agents of a file with settings of a crowd.
func (c crowd) spec(t *testing.T) node.Spec {
	t.Helper()
	peers := crowdFirst + crowdSilos + c.absent
	file := require.Value(plan.Schema().Load("../../../configs/sdp-fedlinucb-vector.yaml", []string{
		"mode=lockstep", "seed=1", "arms=[a,b]", "learner.linucb.features=2", "world.linear.features=2", "rounds.count=8",
		fmt.Sprintf("privacy.horizon=%d", crowdBatch*recordLeaves), fmt.Sprintf("protocol.shuffle.every=%d", crowdBatch), fmt.Sprintf("testnet.nodes=%d", peers),
		"protocol.shuffle.sees=" + string(c.sees), fmt.Sprintf("protocol.shuffle.honest=%d", c.honest), fmt.Sprintf("protocol.shuffle.least=%d", c.honest),
	}))(t)
	spec := require.Value(plan.Spec(&file.Settings))(t)
	spec.Graph = protocoltest.Star(peers)
	p := spec.Protocol.(shuffling.Params)
	p.Deadline, p.Pull = 2, 3 // the plays are short
	spec.Protocol = p
	return spec
}

// tapped parameters give the auditor a peer's press.
type tapped struct {
	shuffling.Params
	press *protocol.Press
}

func (p tapped) New(c protocol.Config) (protocol.Protocol, error) {
	*p.press = c.Press
	return p.Params.New(c)
}

// A sight is a play from the analyzer's view.
type sight struct {
	*transcript
	orders map[uint64]string // of silos, by batch
}

// A viewer makes plays of a crowd.
type viewer struct {
	crowd
	spec     node.Spec
	promised dp.Charge // by the noise of one silo alone
	streams  blank
	learner  bandit.Learner
	canary   Canary
}

func newViewer(t *testing.T, c crowd) *viewer {
	t.Helper()
	v := &viewer{crowd: c, spec: c.spec(t)}
	alone := v.spec
	alone.Privacy.Amend = nil
	streams, err := alone.Streams()
	if err == nil {
		v.promised, err = streams.Charge()
	}
	if err != nil {
		t.Fatal(err)
	}
	if streams, err = v.spec.Streams(); err == nil {
		v.streams, err = newBlank(streams)
	}
	if err != nil {
		t.Fatal(err)
	}
	v.learner = require.Value(v.spec.NewLearner(node.Coins{}))(t)
	s := setting{spec: v.spec, cadence: v.spec.Protocol.Cadence(), rounds: crowdRounds}
	s.describe()
	v.canary = Canary{Name: c.name, rounds: []uint64{0}, setting: s}
	return v
}

// agent returns a peer. Everything but noise and secrets follows from public coins.
func (v *viewer) agent(i int, coins, secret node.Seed, press *protocol.Press) (*node.Agent, error) {
	c := node.PeerConfig{Self: protocol.Peer(i), Seed: coins.Of(fmt.Sprintf("peer %d", i)), Keys: vouch.For[protocol.Keys](forgeable.Keys(i)), Noise: node.Seed(secret.Of(fmt.Sprintf("peer %d", i))).Noise()}
	v.spec.Privacy.Mode = dp.Lockstep
	return v.spec.Assemble(c, func(p protocol.Config) (protocol.Protocol, error) {
		p.Secret = secret.Rand(fmt.Sprintf("secret %d", i))
		return protocol.New(tapped{v.spec.Protocol.(shuffling.Params), press}, p)
	}, v.spec.NewLearner)
}

// play plays one history with public coins.
func (v *viewer) play(side int, coins, secret node.Seed) (*sight, error) {
	var press [crowdFirst + crowdSilos]protocol.Press
	var agents [len(press)]*node.Agent
	var known [crowdSilos]notes
	var err error
	p := &play{canary: &v.canary, side: side, t: &transcript{canary: &v.canary, side: side}}
	for i := range agents {
		if agents[i], err = v.agent(i, coins, secret, &press[i]); err != nil {
			return nil, err
		}
		charges := agents[i].Ready().Charges
		if i < crowdFirst {
			continue
		}
		silo := i - crowdFirst
		if known[silo], err = newNotes(silo, charges[0], v.streams, &v.canary.setting); err != nil {
			return nil, err
		}
		known[silo].learner = v.learner
	}
	s := &sight{transcript: &transcript{canary: &v.canary, side: side, charge: v.promised}, orders: make(map[uint64]string)}
	from := make(map[dp.Sealed]int) // silos, by text
	var next [len(agents)][]protocol.Delivery
	for t := range protocol.Round(crowdRounds) {
		in := next
		clear(next[:])
		for i, a := range agents {
			silo := i - crowdFirst
			w := world{features: v.canary.features(side, uint64(t), silo), pay: func(arm bandit.Arm) bandit.Reward {
				if silo > 0 {
					return other(uint64(t), int(arm))
				}
				return bandit.Reward(v.canary.reward(side, uint64(t), int(arm)))
			}}
			protocol.Sort(in[i])
			x := step{round: t, features: w.features}
			if x.Played, err = a.Round(t, in[i], w); err != nil {
				return nil, err
			}
			ready := a.Ready()
			if x.drawn = slices.Clone(ready.Drawn); silo >= 0 {
				if err := known[silo].enter(p, &x); err != nil {
					return nil, err
				}
			}
			for _, e := range ready.Messages {
				m := e.Message
				if silo >= 0 && len(m.Sealed()) > 0 {
					from[m.Sealed()[0]] = silo
					if v.honest > 1 && silo == crowdSilos-1 && m.Label().Seq == recordLeaves && t < crowdLate {
						continue
					}
				}
				if int(e.To) >= len(agents) {
					continue // absent
				}
				if next[e.To] = append(next[e.To], protocol.Delivery{From: protocol.Peer(i), Message: m}); silo == 0 || e.To == 1 {
					s.shape = append(s.shape, newOutline(&sent{round: t, to: e.To, frame: protocol.Encode(nil, m)}))
				}
				if e.To == 1 && len(m.Sealed()) > 0 {
					if err := s.open(v, press[1], m, from, p.t.nodes); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return s, nil
}

// open adds a batch that arrives at the analyzer: its order, and every number with noise that can be read, or the sum.
func (s *sight) open(v *viewer, press protocol.Press, m protocol.Message, from map[dp.Sealed]int, drawn []drawnNode) error {
	if _, again := s.orders[m.Label().Seq]; again {
		return nil
	}
	var opened []dp.Release
	var silos []int
	for i, text := range m.Sealed() {
		r, err := press.Open(text)
		if err != nil {
			return err
		}
		if opened = append(opened, r); i > 0 || v.sees == shuffling.Reports {
			silos = append(silos, from[text])
		}
	}
	s.orders[m.Label().Seq] = fmt.Sprint(silos)
	if v.sees == shuffling.Reports {
		for i := range opened {
			s.add(&opened[i], silos[i:i+1], drawn)
		}
		return nil
	}
	sum, err := averages.Joined(opened)
	if err == nil {
		s.add(&sum, silos, drawn)
	}
	return err
}

// add adds the numbers of a release, which is a report or the sum of several. The noise of several is one number of as much
// variance.
func (s *sight) add(r *dp.Release, silos []int, drawn []drawnNode) {
	noise := r.Noise()
	noise.Scale = uint64(math.Round(float64(noise.Scale) * math.Sqrt(float64(noise.VarianceUnits)/dp.VarianceScale)))
	noise.VarianceUnits = dp.VarianceScale
	for k := range r.Len() {
		n := drawnNode{peer: slices.Min(silos), from: r.Span().From, to: r.Span().To, place: k, noise: noise, value: r.Value(k), side: s.side}
		for i := range drawn {
			d := &drawn[i]
			if d.to != n.to || d.place != k || !slices.Contains(silos, d.peer) {
				continue
			}
			for side := range n.exact {
				if d.peer == 0 {
					n.exact[side] += d.exact[side]
				} else {
					n.exact[side] += d.exact[0]
				}
			}
		}
		s.nodes = append(s.nodes, n)
	}
}

// audit plays both histories, in pairs with the same public coins, and returns what is broken.
func (v *viewer) audit(t *testing.T, runs int, seed uint64) (broken []string, b Bound) {
	t.Helper()
	e, noise := newExact(false), conformance{}
	var sides [2][]playScores
	batches, alike := 0, 0
	for i := range runs {
		coins := node.Seed(node.NewSeed(seed).Of(fmt.Sprint(v.name, i)))
		var both [2]*sight
		for side := range both {
			s := require.Value(v.play(side, coins, coins.Of(fmt.Sprintf("secret of side %d", side))))(t)
			both[side] = s
			e.ask(checkSensitivity, s.shiftFault())
			noise.add(s.transcript)
			sides[side] = append(sides[side], s.scores())
			b.Charged, b.Reach = s.measure().charged(&s.charge), max(b.Reach, s.reach())
		}
		e.sameTraffic(v.name, both[0].transcript, both[1].transcript)
		for batch := range uint64(recordLeaves) {
			if both[0].orders[batch+1] == "" {
				t.Fatalf("batch %d was not forwarded", batch+1)
			}
			if batches++; both[0].orders[batch+1] == both[1].orders[batch+1] {
				alike++
			}
		}
	}
	for _, c := range e.checks {
		if c.Broken > 0 {
			broken = append(broken, c.Name+": "+c.Example)
		}
	}
	if b.find(sides, measure(dp.Gaussian), len(crowds())); b.Low99 > b.Charged {
		broken = append(broken, fmt.Sprintf("bound: μ is at least %.3f; %.3f was promised", b.Low99, b.Charged))
	}
	all := append(noise.tests(false), Test{"orders of two plays with the same public coins", batches, atLeastSeen(alike, float64(batches)/6), count(alike)})
	for _, test := range all {
		if test.P < alarm/float64(len(all)) {
			broken = append(broken, fmt.Sprintf("%s: p = %.2g%s", test.Name, test.P, paren(test.Detail)))
		}
	}
	return broken, b
}

// TestTheAnalyzersViewPasses audits what the analyzer of protocol shuffle opens, over fixed seeds: each report or the sum, with the noise
// of one silo, and the sum with a third of the noise in each of three, while a fourth never reports and one is late once.
// With each fault of scripts/mutants/faults.txt that names this test, all must alarm.
func TestTheAnalyzersViewPasses(t *testing.T) {
	seeds := auditSeeds(2)
	for _, c := range crowds() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := newViewer(t, c)
			var last Bound
			for seed := range seeds {
				t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
					broken, b := v.audit(t, recordRuns(), seed+1)
					if len(broken) > 0 {
						t.Error(broken)
					}
					last = b
				})
			}
			t.Logf("μ %.4f of %.4f promised, at least %.3f by %s", last.Reach, last.Charged, last.Low99, last.Statistic)
		})
	}
}
