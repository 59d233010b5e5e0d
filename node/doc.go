// Package node is the peer: an [Agent], which is a learner, a protocol and the one way
// out between them. Four drivers run the same value: node/site for daemons, node/lab/lockstep
// for processes that wait for each other, node/lab/sim for simulations, node/lab/audit for plays
// of neighbouring histories.
//
// # Driving an Agent
//
//	for each round t {
//		1. agent.Receive(deliveries, sorted by protocol.Sort)
//		2. turn := what is offered
//		   choice := agent.Choose(turn)
//		   route := agent.Chose(t, choice) // keep it with the choice
//		3. agent.Observed(route, pull)         // when the reward is known; may draw noise
//		4. agent.Tick(t)                       // may draw noise
//		5. r := agent.Ready()
//		   write r.Charges, r.Drawn, r.Hidden and the inputs of this step in one durable batch
//		   only then send r.Messages
//	}
//
// Choices may come at any time and rewards much later: then 2 and 3 are steps of their own, each
// with its Ready. [Agent.Round] does 1 to 4 if a [bandit.World] pays at once. An idle agent (a
// relay) does 1, 4 and 5 only.
//
// After a crash, an agent with the same [Spec] and [PeerConfig] continues like the first one. It
// has to Load the newest saved state and take the logged inputs again, each after Replay with
// what was drawn then. Only drivers of this module can read a saved state from bytes, since
// releases are in it.
package node
