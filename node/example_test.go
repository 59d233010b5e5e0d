package node_test

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node"
	"peerd.dev/node/lab/learner"
	"peerd.dev/protocol"
	"peerd.dev/protocol/averaging"
)

// A peer without neighbours plays three rounds of a world whose second arm pays. It keeps the
// rewards; only what Ready contains may leave.
func ExampleAgent() {
	spec := node.Spec{
		Arms: 2, Graph: [][]protocol.Peer{nil},
		Learner:  learner.UCBParams{},
		Protocol: averaging.AverageParams{Consistency: averaging.Capped, F: 1, Rate: .2, Patience: 8},
		Privacy: node.Privacy{
			Mode: dp.Lockstep, Budget: account.Budget{Epsilon: dp.Nano}, Mechanism: dp.Tree, RecordsPerUser: 1, Horizon: 100,
		},
	}
	seed := node.NewSeed(1)
	agent, err := spec.Agent(node.PeerConfig{Self: 0, Seed: seed, Noise: seed.Noise()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("charged:", len(agent.Ready().Charges), "time, ε", agent.Spent())
	for t := range protocol.Round(3) {
		agent.Receive(nil)
		choice := agent.Choose(bandit.Turn{Round: uint64(t)})
		route := agent.Chose(t, choice)
		pull := bandit.Pull{Arm: choice.Arm(), Reward: bandit.Reward(choice.Arm())}
		if err := agent.Observed(route, pull); err != nil {
			fmt.Println(err)
			return
		}
		if err := agent.Tick(t); err != nil {
			fmt.Println(err)
			return
		}
		ready := agent.Ready() // to be durable before its messages are sent
		fmt.Println("round", t, "arm", choice.Arm(), "releases", len(ready.Drawn), "reward", pull.Reward)
	}
	// Output:
	// charged: 1 time, ε 1
	// round 0 arm 0 releases 1 reward private
	// round 1 arm 1 releases 1 reward private
	// round 2 arm 0 releases 1 reward private
}
