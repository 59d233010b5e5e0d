package kept_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/protocoltest"
	"peerd.dev/internal/vouch"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/node/lab/forgeable"
	"peerd.dev/node/lab/learner"
	"peerd.dev/node/lab/papers"
	"peerd.dev/node/lab/sim"
	"peerd.dev/protocol"
)

// A past is what the users do whose decisions are kept, in one of several histories.
type past struct {
	name string
	come func(away bool, t uint64) int // how many kept decisions there are in a round besides the one of the world
	none bool                          // nor is there that one
	pays func(y bandit.Reward, t uint64) bandit.Reward
}

// pasts returns the histories. Given decisions and what they pay are the same in all of them.
func pasts() []past {
	some := func(away bool, t uint64) int { return protocoltest.Count(!away && t%4 == 3) }
	exact := func(y bandit.Reward, _ uint64) bandit.Reward { return y }
	return []past{
		{"exact", some, false, exact},
		{"flipped", some, false, func(y bandit.Reward, _ uint64) bandit.Reward { return 1 - y }},
		{"garbage", some, false, func(y bandit.Reward, t uint64) bandit.Reward { return (y + bandit.Reward(t*5%16)) / 16 }},
		{"absent", func(bool, uint64) int { return 0 }, true, exact},
		{"many", func(_ bool, t uint64) int { return 2 + int(t%3) }, false, exact},
	}
}

// A keeper is the world of a site with both halves. It pays as a function of site, round and arm.
type keeper struct {
	*node.Agent
	half  *kept.Half
	site  uint64
	arms  int
	past  *past
	dim   int
	round uint64
	given bool // the decision of the turn
	force bool
	stock int // kept choices of an arm after which given users are not offered it; 0 for no limit
	taken map[bandit.Arm]int
}

func (k *keeper) Turn(round uint64) bandit.Turn {
	k.round, k.given = round, k.force || k.Gives()
	var sold []bandit.Arm
	for a := range bandit.Arm(k.arms - 1) {
		if k.stock > 0 && k.given && k.taken[a] >= k.stock {
			sold = append(sold, a)
		}
	}
	return bandit.Turn{Round: round, Excluded: sold, Features: k.features(round), None: round%4 == 3 || k.past.none && !k.given}
}

func (k *keeper) features(round uint64) (all []bandit.Features) {
	if k.dim == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(k.site, round))
	for range k.arms {
		x := make(bandit.Features, k.dim)
		for i := range x {
			x[i] = (2*rng.Float64() - 1) / float64(k.dim)
		}
		all = append(all, x)
	}
	return all
}

func (k *keeper) Play(a bandit.Arm) (bandit.Reward, error) {
	means := [][]float64{{.9, .4, .2}, {.3, .8, .5}}[k.site%2]
	y := bandit.Reward(0)
	if rand.New(rand.NewPCG(k.site*1000+uint64(a), k.round)).Float64() < means[a] {
		y = 1
	}
	if !k.given {
		k.taken[a]++
		y = k.past.pays(y, k.round)
	}
	return y, nil
}

func (*keeper) Regret(bandit.Arm) float64 { return 0 }
func (*keeper) Save() []byte              { return nil }
func (*keeper) Load([]byte) error         { return nil }

// more makes kept decisions.
func (k *keeper) more(t uint64, from, to int) error {
	k.round, k.given = t, false
	for i := from; i < to; i++ {
		if _, err := k.half.Keep(fmt.Sprint(t, "/", i), bandit.Turn{Round: t, Features: k.features(t + uint64(i))}, k); err != nil {
			return err
		}
	}
	return nil
}

// play plays a round: with both halves or, in every fourth one, with a decision that is given whatever the agent wants,
// so that given and kept ones take turns.
func (k *keeper) play(t protocol.Round, in []protocol.Delivery, force bool) (node.Played, error) {
	if !force || t%4 != 0 {
		return kept.Round(k.Agent, k.half, t, in, k)
	}
	k.Receive(in)
	k.force = true
	turn := k.Turn(uint64(t))
	k.force, turn.None = false, false
	p, err := k.Give(t, turn, k)
	if err == nil {
		_, err = k.half.Add("", p.Pull)
	}
	if err == nil {
		err = k.Tick(t)
	}
	k.half.See(k.Rows())
	return p, err
}

// traces are what may not differ, by peer and round.
type traces struct {
	gives   bool   // the next decision
	given   string // arm, route and reward of a given decision
	charges string
	drawn   string
	sent    string // every frame with its addressee, in order
	closed  string // leaves by stream
	saved   [32]byte
}

// traced plays a network in one of the histories.
func traced(t *testing.T, spec node.Spec, past *past, faults sim.Faults, stock int) (all [][]traces) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatalf("%s with %s: %v", spec.Learner.Words().Name, spec.Protocol.Words().Name, err)
		}
	}
	churn := faults.Churn
	faults.Churn = 0 // it is played here
	network, err := sim.NewNetwork(spec.Peers(), faults, rand.New(rand.NewPCG(3, 4)))
	must(err)
	sites := make([]*keeper, spec.Peers())
	for i := range sites {
		seed := node.PeerSeed(5, protocol.Peer(i))
		k := &keeper{site: uint64(i), arms: spec.Arms, past: past, stock: stock, taken: map[bandit.Arm]int{}}
		if traits := bandit.TraitsOf(spec.Learner); traits.Contextual {
			k.dim = traits.Inputs.Dim()
		}
		k.Agent, err = spec.Agent(node.PeerConfig{Self: protocol.Peer(i), Seed: seed, Noise: seed.Noise(), Keys: vouch.For[protocol.Keys](forgeable.Keys(i)), RoundEnds: true})
		must(err)
		k.half, err = kept.New(&spec, protocol.Peer(i), seed)
		must(err)
		sites[i] = k
	}
	all = make([][]traces, len(sites))
	for t := range protocol.Round(150) {
		for i, k := range sites {
			away := rand.New(rand.NewPCG(uint64(i), uint64(t)/8)).Float64() < churn
			in, come := network.Take(i), past.come(away, uint64(t))
			must(k.more(uint64(t), 0, come/2))
			if away {
				continue
			}
			played, err := k.play(t, in, spec.Give == node.GiveFew)
			must(err)
			must(k.more(uint64(t), come/2, come))
			all[i] = append(all[i], k.trace(&played, must))
			ready := k.Ready()
			x := &all[i][len(all[i])-1]
			x.charges, x.drawn, x.sent = fmt.Sprint(ready.Charges), fmt.Sprint(ready.Drawn, string(ready.Hidden.Bytes())), ""
			for _, e := range ready.Messages {
				x.sent += fmt.Sprintf("%d %x\n", e.To, protocol.Encode(nil, e.Message))
				if _, ok := e.Message.IsRoundEnd(); !ok {
					for to := range sites {
						if e.To == protocol.Everyone && to != i || int(e.To) == to {
							network.Post(t, i, to, &e.Message)
						}
					}
				}
			}
			saved, err := k.Agent.Save()
			must(err)
			x.saved = sha256.Sum256(saved.Bytes())
		}
		network.Turn()
	}
	return all
}

func (k *keeper) trace(p *node.Played, must func(error)) (x traces) {
	closed, err := k.Closed()
	must(err)
	x.gives, x.closed = k.Gives(), fmt.Sprint(closed)
	if !p.Kept && p.Pull.Arm != bandit.NoArm {
		x.given = fmt.Sprint(p.Pull.Arm, p.Route, float64(p.Pull.Reward), []float64(p.Pull.Features))
	}
	return x
}

// keeping returns networks in which sites keep decisions: with every learner and protocol that may, and networks of one.
func keeping(give node.Give, learners []bandit.Params, peers int) (all []node.Spec) {
	for _, p := range papers.All() {
		for _, l := range learners {
			graph := [][]protocol.Peer{nil}
			if peers > 1 {
				graph = protocoltest.Ring(peers)
			}
			for _, m := range dp.Mechanisms() {
				if !protocol.Suits(p, m) || m == dp.None {
					continue
				}
				spec := node.Spec{
					Arms: 3, Graph: graph, Learner: bandit.Small(l), Protocol: protocol.Small(protocol.Among(p, peers), 3), Give: give, Sites: 20, Explore: .2,
					Privacy: node.Privacy{Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: m, RecordsPerUser: 1, Horizon: 400},
				}
				if m.Law() == dp.Gaussian {
					spec.Privacy.Budget.Delta = 1e12
				}
				if spec.Check() != nil {
					continue
				}
				if giving, err := spec.Giving(); err == nil {
					spec.Protocol = giving
				}
				if _, err := spec.Charge(); err != nil {
					continue
				}
				all = append(all, spec)
				if spec.Privacy.Adjacency = dp.AddOrRemove; spec.CheckCounts() == nil {
					all = append(all, spec)
				}
				break
			}
		}
	}
	return all
}

// TestKeptLeavesNoTrace: whatever users pay whose decisions are kept, whether they come or not, and how many: all that
// leaves a site and all that is given, drawn, charged and saved is the same.
func TestKeptLeavesNoTrace(t *testing.T) {
	for _, give := range []node.Give{node.GiveFew, node.GiveNone} {
		specs := keeping(give, learner.All(), 4)
		if len(specs) < 3 {
			t.Fatalf("%d networks give %s", len(specs), give)
		}
		for _, spec := range append(specs, keeping(give, bandit.Table(), 1)...) {
			faults := []sim.Faults{{}, {Loss: .2, Delay: 3}, {Churn: .2}}
			for i, f := range faults {
				if spec.Peers() == 1 && i > 0 {
					break
				}
				if trace := noTrace(t, spec, f, 0); trace != "" {
					t.Errorf("%s with %s, %d peers give %s, explore %v, faults %+v: %s", spec.Learner.Words().Name, spec.Protocol.Words().Name, spec.Peers(), spec.Give, spec.Explore, f, trace)
				}
				spec.Explore = 0
			}
		}
	}
}

// TestOffersThatFollowFromKeptAnswersAreATrace: the promise needs a world that reveals nothing. Here given users are not offered what is
// sold out, and kept ones, whose choices follow from exact rewards, buy as well.
func TestOffersThatFollowFromKeptAnswersAreATrace(t *testing.T) {
	spec := keeping(node.GiveFew, learner.All(), 4)[0]
	if noTrace(t, spec, sim.Faults{}, 5) == "" {
		t.Error("the stock says nothing of kept decisions: the test looks at nothing")
	}
}

// noTrace compares the histories of a network, and returns the first difference; empty if there is none.
func noTrace(t *testing.T, spec node.Spec, faults sim.Faults, stock int) string {
	t.Helper()
	var first [][]traces
	for i, p := range pasts() {
		all := traced(t, spec, &p, faults, stock)
		if i == 0 {
			first = all
		}
		for peer := range all {
			for round := range all[peer] {
				if got, want := all[peer][round], first[peer][round]; got != want {
					return fmt.Sprintf("with kept decisions %s, peer %d differs in its step %d:\n%s", p.name, peer, round, difference(got, want))
				}
			}
		}
	}
	given, sent := 0, 0
	for _, peer := range first {
		for _, x := range peer {
			given += protocoltest.Count(x.given != "")
			sent += len(x.sent)
		}
	}
	if few := spec.Give == node.GiveFew; few != (given > 0) || spec.Peers() > 1 && sent == 0 {
		return fmt.Sprintf("%d given decisions, %d characters sent: the test looks at nothing", given, sent)
	}
	return ""
}

// difference says which traces differ.
func difference(got, want traces) (s string) {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if a, b := fmt.Sprint(g.Field(i)), fmt.Sprint(w.Field(i)); a != b {
			s += fmt.Sprintf("%s: %.100s, want %.100s\n", g.Type().Field(i).Name, a, b)
		}
	}
	return s
}
