package dp_test

import (
	"fmt"
	"math"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/vouch"
)

// A stream of rewards in a world without people: records go in, and every closed leaf releases a
// running sum with noise. People need dp.Private and dp.NewSecureSource instead, whose noise is
// different every time.
func ExampleCurator() {
	curator, err := dp.NewCurator(dp.Lockstep, vouch.For(account.Budget{Epsilon: dp.Nano}), dp.NewSeededSource([32]byte{1}))
	if err != nil {
		panic(err)
	}
	rewards, err := curator.Open(dp.Spec{
		What: "rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 1000,
		RecordsPerUser: 1, Mechanism: dp.Kary, Epsilon: dp.Nano,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println("spent:", curator.Spent())
	for leaf := uint64(1); leaf <= 3; leaf++ {
		for range 100 {
			if err := curator.Add(rewards, []float64{.75}); err != nil {
				panic(err)
			}
		}
		released, err := curator.Leaf(rewards, leaf)
		if err != nil {
			panic(err)
		}
		sum := released.Sum
		fmt.Printf("leaf %d: %.1f of %d rewards\n", leaf, sum.At(0), sum.Count(0))
	}
	if _, err := curator.Open(dp.Spec{
		What: "more rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 1000,
		RecordsPerUser: 1, Mechanism: dp.Kary, Epsilon: dp.Nano,
	}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// spent: epsilon 1
	// leaf 1: 79.7 of 100 rewards
	// leaf 2: 153.7 of 200 rewards
	// leaf 3: 229.2 of 300 rewards
	// dp: more rewards costs epsilon 1 but only 0 is left
}

// The cost of a stream, and the noise of its sums, without a Curator.
func ExampleSpec_Charge() {
	spec := dp.Spec{
		What: "rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 4096,
		RecordsPerUser: 1, Epsilon: dp.Nano, Delta: 1e-6,
	}
	for _, spec.Mechanism = range []dp.Mechanism{dp.Tree, dp.Kary, dp.BLT} {
		charge, err := spec.Charge()
		if err != nil {
			panic(err)
		}
		rewards := math.Ldexp(math.Sqrt(charge.SumNoise(4095).Variance()), dp.GridExponent)
		fmt.Printf("%v: %v, %v noise of deviation %.1f in the sum of 4095 leaves\n", spec.Mechanism, charge.Loss, spec.Mechanism.Law(), rewards)
	}
	// Output:
	// tree: epsilon 1, laplace noise of deviation 63.7 in the sum of 4095 leaves
	// kary: epsilon 1, laplace noise of deviation 16.4 in the sum of 4095 leaves
	// blt: mu 0.2365, gaussian noise of deviation 15.8 in the sum of 4095 leaves
}

// A verifier has a charge, which says which releases were paid for, with which noise.
func ExampleCharge() {
	charge, err := dp.Spec{
		What: "rewards", Streams: 1, Dim: 1, Lo: 0, Hi: 1, Leaves: 8,
		RecordsPerUser: 1, Mechanism: dp.Tree, Epsilon: dp.Nano,
	}.Charge()
	if err != nil {
		panic(err)
	}
	node := dp.Fields{
		Span: dp.Span{From: 0, To: 2}, Count: []uint64{2}, Value: []int64{1 << 20}, Exponent: dp.GridExponent,
		Noise: dp.Noise{Law: dp.Laplace, Scale: charge.Scale, VarianceUnits: dp.VarianceScale},
	}
	fmt.Println(charge.Check(), charge.Covers(node))
	node.Noise.Scale /= 2
	fmt.Println(charge.Covers(node))
	// Output:
	// <nil> <nil>
	// dp: other noise than was charged: 256/256 laplace terms of scale 2097152, want 256/256 laplace of 4194304
}
