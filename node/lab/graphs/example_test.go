package graphs_test

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/node/lab/graphs"
)

// A random graph mixes twenty times faster than a ring of half as many edges.
func Example() {
	for _, text := range []string{"ring", "regular(4)"} {
		spec, err := graphs.ParseSpec(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		spec.N = 50
		g, _, err := spec.Build(rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			fmt.Println(err)
			return
		}
		m := graphs.Measure(g)
		fmt.Printf("%s: %v, diameter %d, spectral gap %.2g\n", spec, g, m.Diameter, m.SpectralGap)
	}
	// Output:
	// ring: 50 peers, 50 edges, diameter 25, spectral gap 0.00016
	// regular(4): 50 peers, 100 edges, diameter 5, spectral gap 0.0037
}
