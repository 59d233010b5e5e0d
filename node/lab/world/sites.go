package world

import (
	"io"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// A Source has read what the worlds of all sites need. It makes the sites of any number of
// runs, which may be concurrent.
type Source interface {
	// Sites returns the sites of a run. Means that runs do not share are drawn from run;
	// nil says that there is no run, and is refused with a [ParamError] where means would
	// be drawn.
	Sites(run *rand.Rand) (*Sites, error)
	// About says what the Source holds, in a line for people; often empty.
	About() string
	// Data returns the hash of the file that was read, in hexadecimal digits; empty where
	// none was.
	Data() string
}

// Sites are the worlds of a network in one run.
type Sites struct {
	// Means are the expected rewards by site and arm, for the referee only; nil where arms
	// have none of their own.
	Means [][]float64
	// OwnGap returns by how much arm a pays less than the best one at a site in a round, where what
	// arms pay depends on the round; nil where Means hold in all rounds.
	OwnGap func(site int, a bandit.Arm, round uint64) float64
	// Binary says that all rewards are 0 or 1, drawn independently, so that Means are their law.
	Binary bool
	// Own says that arms have no means, and that [bandit.World.Regret] is against the best arm of the own
	// site, which is not the best one elsewhere.
	Own bool
	// World returns a new world of site i, from 0. It draws from src, which
	// belongs to it.
	World func(i int, src *rand.ChaCha8) (bandit.World, error)
}

// Overall returns the mean of each arm over sites, or nil where arms have none.
func (s *Sites) Overall() []float64 {
	if s.Means == nil {
		return nil
	}
	return overall(s.Means)
}

// Gaps returns by how much each arm's mean over sites is below the best one, or nil where
// arms have no means.
func (s *Sites) Gaps() []float64 {
	if s.Means == nil {
		return nil
	}
	return gaps(s.Means)
}

// A File is what a Source reads.
type File interface {
	io.ReaderAt
	io.Closer
}

// A ParamError refuses a parameter.
type ParamError struct {
	Key    string // such as world.replay.cap
	Reason string
}

func (e *ParamError) Error() string { return e.Key + ": " + e.Reason }

// A DataError says that data is missing or cannot be read.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }
