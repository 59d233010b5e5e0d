package sim

import (
	"fmt"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/protocol"
)

// Played is a run that peers played elsewhere, such as processes in lockstep. The simulator then asks it in place of
// agents, and plays the worlds, so that a run has the same regrets and sums wherever it was played.
type Played struct {
	// Move returns what peer i did in round t: the arm that it pulled, [bandit.NoArm] for none, and what it sent. It is
	// called in the order of rounds and peers.
	Move    func(t protocol.Round, i int) (bandit.Arm, []protocol.Envelope, error)
	Spent   float64 // of the budget, by each peer
	Refused uint64  // messages
}

// silent reports whether nothing leaves the peers.
func (r *run) silent() bool { return r.Alone && r.Spec.Give == node.GiveNone }

// act returns what peer i does in round t with what has arrived.
func (r *run) act(t protocol.Round, i int, in []protocol.Delivery) (arm bandit.Arm, ready node.Ready, err error) {
	a := r.agents[i]
	if r.Played == nil {
		played, bad := kept.Round(a, r.halves[i], t, in, r.Worlds[i])
		if bad != nil {
			return 0, ready, bad
		}
		if ready = a.Ready(); r.silent() {
			ready = node.Ready{} // sums without a record, for no peer
			if k := played.Pull.Arm; k != bandit.NoArm {
				r.earned[i][k] += float64(played.Pull.Reward)
			}
		}
		return played.Pull.Arm, ready, nil
	}
	arm, ready.Messages, err = r.Played.Move(t, i)
	if err != nil || a.Idle() {
		return arm, ready, err
	}
	if none := r.Worlds[i].Turn(uint64(t)).None; none != (arm == bandit.NoArm) {
		return arm, ready, fmt.Errorf("it pulled arm %d where the world offers none: %v", arm, none)
	}
	if arm != bandit.NoArm {
		_, err = r.Worlds[i].Play(arm)
	}
	return arm, ready, err
}
