package audit

import (
	"math"

	"peerd.dev/dp"
)

// shared collects the noise of nodes that share terms. Their numbers are not independent,
// but plays are: each gives the mean square of its noise.
type shared struct {
	nodes       int     // of all plays
	plays       int     // with such nodes
	sum, square float64 // of the plays' means
	here        float64 // Σ of squares in this play, each by its mean
	now         int     // nodes of this play
}

// node takes in a node of this play, whose terms have a law.
func (s *shared) node(n *drawnNode, term law) {
	x := float64(n.added())
	s.here += x * x / (float64(n.noise.Terms) / dp.Term * term.variance())
	s.now++
}

// play ends a play.
func (s *shared) play() {
	if s.now > 0 {
		mean := s.here / float64(s.now)
		s.nodes += s.now
		s.plays++
		s.sum += mean
		s.square += mean * mean
	}
	s.here, s.now = 0, 0
}

// tests asks whether the noise has the size that nodes say they have.
func (s *shared) tests() []Test {
	if s.plays < enough {
		return nil
	}
	n := float64(s.plays)
	mean := s.sum / n
	deviation := math.Sqrt((s.square/n - mean*mean) / (n - 1))
	return []Test{{"size of nodes that share noise", s.nodes, normal((mean - 1) / deviation), percent(math.Sqrt(mean)) + " of the charged scale"}}
}
