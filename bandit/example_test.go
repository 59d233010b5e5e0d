package bandit_test

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

// A learner of the table chooses from a belief about two arms. The second has the lower mean, but
// it is known from few rewards.
func ExampleLearner() {
	params := bandit.IMEDParams{}
	learner, err := bandit.New(params, bandit.Config{Arms: 2, Peers: 1, Rand: rand.New(rand.NewPCG(1, 1))})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := belief.New(2, 1)
	b.X[0], b.SampleVar[0] = .6, 1./1000 // 1,000 rewards
	b.X[1], b.SampleVar[1] = .5, 1./10
	choice := learner.Choose(&b, bandit.Turn{Round: 1010})
	fmt.Println(params.Words().Name, "chooses arm", choice.Arm)

	update := learner.Update(bandit.Pull{Arm: choice.Arm, Reward: 1}, nil)
	fmt.Println("part", learner.Part(choice.Arm), "is updated by", update)
	// Output:
	// imed chooses arm 1
	// part 1 is updated by [1]
}
