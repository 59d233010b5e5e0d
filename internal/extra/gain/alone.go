package gain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"peerd.dev/bandit"
	"peerd.dev/node"
	"peerd.dev/node/kept"
	"peerd.dev/protocol"
)

// A Site is a site of a network whose gain is estimated.
type Site struct {
	Spec         node.Spec // of the network
	MinExposures uint64    // decisions of each arm before the learner chooses
	Waited       uint64    // decisions that wait for their rewards at once
	Unit         float64   // by how much the greatest reward is above the least, in the units of what is returned; 0 stands for 1
}

// alone returns the site without neighbours, with a number of arms: nothing leaves it.
func (s Site) alone(arms int) Site {
	s.Spec.Arms, s.Spec.Absent, s.Spec.Give, s.Spec.Inside = arms, nil, node.GiveNone, 0
	s.Spec.Graph, s.Spec.Protocol = make([][]protocol.Peer, 1), protocol.Among(s.Spec.Protocol, 1)
	return s
}

// play makes a number of kept decisions, and returns how many were of each arm. Rewards are paid when a decision is made, and
// the site learns of each, without noise, when s.Waited more decisions have been made.
func (s *Site) play(seed node.Seed, decisions uint64, pay func(bandit.Arm) bandit.Reward) ([]uint64, error) {
	h, err := kept.New(&s.Spec, 0, seed)
	if err != nil {
		return nil, err
	}
	var queue []bandit.Pull
	pulls := make([]uint64, s.Spec.Arms)
	for t := range decisions {
		arm := s.exposed(pulls)
		if arm == bandit.NoArm {
			arm = h.Choose(bandit.Turn{Round: t}, fmt.Sprint(t)).Arm()
		}
		pulls[arm]++
		queue = append(queue, bandit.Pull{Arm: arm, Reward: pay(arm)})
		if uint64(len(queue)) > s.Waited {
			if _, err = h.Add("", queue[0]); err != nil {
				return nil, err
			}
			queue = queue[1:]
		}
	}
	return pulls, nil
}

// exposed returns the arm with the fewest decisions of those that lack some, or none.
func (s *Site) exposed(pulls []uint64) bandit.Arm {
	if least := slices.Min(pulls); least < s.MinExposures {
		return bandit.Arm(slices.Index(pulls, least))
	}
	return bandit.NoArm
}

// lose returns the regret of a number of decisions of the site, where arms pay 1 with these probabilities and else 0.
func (s *Site) lose(seed node.Seed, decisions uint64, means []float64) (float64, error) {
	coins := rand.New(rand.NewChaCha8(seed.Of("world")))
	pulls, err := s.play(seed, decisions, func(arm bandit.Arm) bandit.Reward {
		if coins.Float64() < means[arm] {
			return 1
		}
		return 0
	})
	if err != nil {
		return 0, fmt.Errorf("a site without neighbours: %w", err)
	}
	return regret(pulls, means), nil
}

// regret returns how many rewards pulls have lost.
func regret(pulls []uint64, means []float64) (lost float64) {
	for k, n := range pulls {
		lost += float64(n) * (slices.Max(means) - means[k])
	}
	return lost
}

// rest waits until work of a duration has taken a share of all time.
func rest(ctx context.Context, took time.Duration, share float64) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Duration(float64(took) * (1/share - 1))):
		return nil
	}
}
