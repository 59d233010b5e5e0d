// Command protocol has a protocol of its own, in which peers send each other their sums, and plays it in the simulator,
// in the audit and by two live peers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/dp/state"
	"peerd.dev/node"
	"peerd.dev/node/decision"
	"peerd.dev/node/lab/audit"
	"peerd.dev/node/lab/sim"
	"peerd.dev/node/lab/world"
	"peerd.dev/node/peer"
	"peerd.dev/protocol"
)

// pushed is the message of push: the sums of one arm, signed.
const pushed = protocol.FirstFree

// push is the protocol. Every peer sends its neighbours, all others, the running sums of each of its
// arms, and takes the mean over peers.
type push struct {
	Every uint64 `want:"1.." unit:"rounds" doc:"Rounds from one row to the next."`
}

func (push) Words() protocol.Words {
	return protocol.Words{Name: "push", Summary: "every peer sends its sums to its neighbours", Public: "nothing"}
}

func (push) Traits() protocol.Traits {
	return protocol.Traits{Kinds: map[protocol.Kind]string{pushed: "sums"}, Leaf: "every"}
}

func (p push) Cadence() protocol.Cadence { return protocol.Cadence{Rounds: p.Every, Noun: "row"} }

func (push) Small(leaf uint64) protocol.Params { return push{leaf} }

func (push) New(c protocol.Config) (protocol.Protocol, error) {
	return &pusher{c: c, belief: belief.New(c.Parts, 1), sums: make([]dp.Release, c.Parts*c.Peers())}, nil
}

type pusher struct {
	c      protocol.Config
	belief belief.Belief
	sums   []dp.Release // of every peer, by arm
}

func (p *pusher) Chosen(arm int)                            { p.belief.Pulls[arm]++ }
func (p *pusher) Belief() *belief.Belief                    { return &p.belief }
func (*pusher) Tick(protocol.Round, *protocol.Outbox) error { return nil }

func (p *pusher) Released(own []protocol.Own, out *protocol.Outbox) error {
	for _, o := range own {
		if o.Over {
			continue
		}
		m := p.c.Press.Signed(protocol.Content{
			Kind: pushed, Label: protocol.Label{Origin: p.c.Self, Stream: o.Stream, Seq: o.Number}, Body: []dp.Release{o.Leaf.Sum},
		})
		for _, n := range p.c.Neighbours() {
			out.Send(n, m)
		}
		p.hold(p.c.Self, o.Leaf.Sum)
	}
	return nil
}

func (p *pusher) Receive(from protocol.Peer, m protocol.Message, _ *protocol.Outbox) error {
	if m.Kind() != pushed || m.Body() != 1 || m.Label().Origin != from || int(m.Label().Stream) >= p.c.Parts || !p.c.Press.Authentic(m) {
		return m.Refuse("want the sums of an arm, signed by their sender")
	}
	if r := m.Release(0); r.Stream() != m.Label().Stream || r.Len() != 1 || r.Counts() != 1 {
		return m.Refuse("want one sum and one count")
	}
	p.hold(from, *m.Release(0))
	return nil
}

// hold takes the newest sums of an arm of a peer.
func (p *pusher) hold(from protocol.Peer, sum dp.Release) {
	arm := int(sum.Stream())
	p.of(arm)[from] = sum
	p.merge(arm)
}

// of returns the sums of an arm.
func (p *pusher) of(arm int) []dp.Release { return p.sums[arm*p.c.Peers():][:p.c.Peers()] }

func (p *pusher) merge(arm int) {
	var mean, inverse, sites float64
	var noise dp.NoiseMoments
	for _, r := range p.of(arm) {
		if !r.Empty() && r.Count(0) > 0 {
			n := float64(r.Count(0))
			mean, inverse, sites = mean+r.At(0)/n, inverse+1/n, sites+1
			of := r.NoiseMoments().Over(n)
			noise.LaplaceSumSq, noise.LaplaceMax = noise.LaplaceSumSq+of.LaplaceSumSq, max(noise.LaplaceMax, of.LaplaceMax)
		}
	}
	if sites > 0 {
		p.belief.X[arm], p.belief.SampleVar[arm] = mean/sites, inverse/sites/sites
		p.belief.LaplaceSumSq[arm], p.belief.LaplaceMax[arm] = noise.LaplaceSumSq/sites/sites, noise.LaplaceMax/sites
	}
}

// Save implements protocol.Protocol. Bytes do not become releases, so these are saved as they are.
func (p *pusher) Save() (protocol.State, error) {
	return protocol.Saved(state.Save(1, p.visit), p.sums...), nil
}

// Load implements protocol.Protocol.
func (p *pusher) Load(s protocol.State) error {
	if err := state.Load(s.Bytes(), 1, p.visit); err != nil {
		return fmt.Errorf("%w: %w", protocol.ErrState, err)
	}
	if p.sums = s.Releases(); len(p.sums) != p.c.Parts*p.c.Peers() {
		return fmt.Errorf("%w: sums of %d arms and peers, want %d", protocol.ErrState, len(p.sums), p.c.Parts*p.c.Peers())
	}
	for arm := range p.c.Parts {
		p.merge(arm)
	}
	return nil
}

func (p *pusher) visit(v *state.Visitor) { v.Uints(p.belief.Pulls) }

func main() {
	log.SetFlags(0)
	spec := node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{{1, 2}, {0, 2}, {0, 1}},
		Learner:  bandit.IMEDParams{},
		Protocol: push{Every: 20},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: 5 * dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: 2000,
		},
	}
	if err := simulate(spec); err != nil {
		log.Fatal(err)
	}
	// What such peers send must follow from their releases. A test of the program would say the same.
	if err := audit.Agent(context.Background(), spec.Learner, spec.Protocol); err != nil {
		log.Fatal(err)
	}
	fmt.Println("audit passed: true")
	if err := live(); err != nil {
		log.Fatal(err)
	}
}

// simulate plays three sites, over all of which the first arm pays more.
func simulate(spec node.Spec) error {
	means := world.BernoulliParams{Means: [][]float64{{.9, .4}, {.3, .5}, {.8, .3}}, Draw: world.Given}
	source, err := world.Open(means, world.Config{Arms: 2, Sites: 3})
	if err != nil {
		return err
	}
	sites, err := source.Sites(nil)
	if err != nil {
		return err
	}
	c := sim.Config{Spec: spec, Rounds: 2000, Points: 1, Network: node.NewSeed(1), Truth: sites.Overall()}
	for i := range 3 {
		seed := node.PeerSeed(1, protocol.Peer(i))
		w, err := sites.World(i, rand.NewChaCha8(seed.Of("world")))
		if err != nil {
			return err
		}
		c.Seeds, c.Worlds = append(c.Seeds, seed), append(c.Worlds, w)
	}
	result, err := sim.Run(c)
	if err != nil {
		return err
	}
	fmt.Printf("simulator: messages: %t, refused: %d\n", result.Messages > 0, result.Refused)
	for i, pulls := range result.Pulls {
		fmt.Printf("simulator: peer %d pulls the better arm most: %t\n", i, pulls[0] > pulls[1])
	}
	return nil
}

// live runs two peers of a network in this program. Only the first has users; the second learns from it.
func live() error {
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, err := freeAddress()
	if err != nil {
		return err
	}
	own := []peer.Option{
		peer.Protocol(push{Every: 5}), peer.Set("protocol.name", "push"), peer.Set("learner.name", "ucb"),
		peer.Set("arms", "[red, green]"), peer.Set("privacy.epsilon", "1"), peer.Set("privacy.mechanism", "tree"), peer.Set("privacy.horizon", "10000"),
		peer.Set("api.window", "1s"),
	}
	network := fmt.Sprintf("name: live\nstart: %s\nevery: 100ms\nlinks: [[0, 1]]\npeers:\n", time.Now().UTC().Format(time.RFC3339))
	for _, name := range []string{"north", "south"} {
		id, err := peer.Init(filepath.Join(dir, name), append(own, peer.Set("listen", "["+address[name]+"]"))...)
		if err != nil {
			return err
		}
		network += fmt.Sprintf("  - {name: %s, id: %s, addrs: [%s]}\n", name, id, address[name])
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	var peers []*peer.Peer
	for _, name := range []string{"north", "south"} {
		if err = os.WriteFile(filepath.Join(dir, name, "network.yaml"), []byte(network), 0o600); err != nil {
			return err
		}
		p, err := peer.Open(filepath.Join(dir, name), own...)
		if err != nil {
			return err
		}
		peers = append(peers, p)
		running.Go(func() {
			if err := errors.Join(p.Run(ctx), p.Close()); err != nil {
				log.Print(err)
			}
		})
	}
	for {
		d, err := peers[0].Decide(ctx, decision.Ask{})
		if err != nil {
			return err
		}
		if _, err = peers[0].Reward(ctx, decision.Report{ID: d.ID, Value: .5}); err != nil {
			return err
		}
		s, err := peers[1].Status(ctx)
		if err != nil {
			return err
		}
		if s.Means[0] != 0 && s.Means[1] != 0 {
			fmt.Println("live: the second peer has estimates from the first, refused:", s.Refused)
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// freeAddress returns an address on this machine for each peer.
func freeAddress() (map[string]string, error) {
	all := make(map[string]string)
	for _, name := range []string{"north", "south"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		all[name] = fmt.Sprintf("/ip4/127.0.0.1/tcp/%d", l.Addr().(*net.TCPAddr).Port)
	}
	return all, nil
}
