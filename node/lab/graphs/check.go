package graphs

import "fmt"

// leastP is the least edge probability. It is below any useful one: gnp skips edges by
// 1/log(1−p), which has no meaning when 1−p rounds to 1.
const leastP = 1e-9

func anything(Spec) error { return nil }

func checkGrid(s Spec) error { return within(s, paramCols, s.Cols, 0, s.N) }

func checkGnp(s Spec) error { return within(s, paramP, s.P, leastP, 1) }

func checkRegular(s Spec) error {
	// Above 2 peers degree 1 makes pairs, never one graph.
	if err := within(s, paramDegree, s.Degree, min(2, s.N-1), s.N-1); err != nil {
		return err
	}
	if s.N%2 == 1 && s.Degree%2 == 1 {
		return fmt.Errorf("topology: %s: degree is %d, must be even when n is odd, as %d is", s.Name, s.Degree, s.N)
	}
	return nil
}

// checkFile refuses what cannot be connected before a graph is made: otherwise one line of a file
// could ask for memory for 1e18 peers.
func checkFile(s Spec) error {
	n := s.peers()
	if n == 0 {
		return fmt.Errorf("topology: %s: there are neither edges nor n", s)
	}
	if len(s.Edges) < n-1 {
		return fmt.Errorf("topology: %s: %d peers (0..%d) need at least %d edges, there are %d", s, n, n-1, n-1, len(s.Edges))
	}
	return nil
}

// within checks that lo ≤ got ≤ hi; NaN is not.
func within[T int | float64](s Spec, p param, got, lo, hi T) error {
	if got >= lo && got <= hi {
		return nil
	}
	return fmt.Errorf("topology: %s: %s is %v, must be from %v to %v when n is %d", s.Name, p.name(), got, lo, hi, s.N)
}
