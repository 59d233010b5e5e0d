package world

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Replay pays what happened to the patients of one site. Each encounter belongs
// to exactly one arm and is handed out at most once, in random order, so that a
// patient adds to an experiment no more records than Cap left.
//
// An encounter that qualifies for several arms is given to one of them, each
// equally likely, when the Replay is made: before any choice, and whatever its
// reward. Its arm's pulls are thereby fixed, and every record lies in the stream
// of one arm, as parallel composition over arms needs. The price is that the
// means move from those of [Records.Means] towards those of [Records.Single]: on
// the whole data they are expected to be .340, .338, .385, .370, .309, and those
// of one site vary with the seed (in contiguous thirds the second hospital's bias
// is .006 with a standard deviation of .005, and gone with about one seed in seven).
// [Records.Single] before Split avoids the draw, with a quarter fewer records.
//
// What is protected is the reward. The treatment plays the part of the choice and
// is public, as choices are: a neighbouring data set in which an encounter has
// another treatment may differ in a record of two arms.
type Replay struct {
	left  [][]*record // by arm; the last is the next; by pointer as in Records
	means []float64
}

var _ World = (*Replay)(nil)

// NewReplay returns the world of what one site holds. It fails if an arm gets no
// record.
func NewReplay(site *Records, rng *rand.Rand) (*Replay, error) {
	w := &Replay{left: make([][]*record, arms), means: make([]float64, arms)}
	for _, e := range site.rows {
		if e.arms == 0 {
			continue
		}
		a := e.arms.pick(rng)
		w.left[a] = append(w.left[a], e)
		w.means[a] += float64(e.reward)
	}
	for a, l := range w.left {
		if len(l) == 0 {
			return nil, fmt.Errorf("world: replay: arm %d has no record among %d rows", a, site.Rows())
		}
		w.means[a] /= float64(len(l))
		rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	}
	return w, nil
}

// Format implements [fmt.Formatter], so that no reward is printed.
func (w Replay) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Arms returns the number of arms, 5.
func (w *Replay) Arms() int { return len(w.left) }

// Play hands out a record of an arm, for the first and last time.
func (w *Replay) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.left)); err != nil {
		return 0, err
	}
	n := len(w.left[a])
	if n == 0 {
		return 0, fmt.Errorf("%w of arm %d", ErrExhausted, a)
	}
	e := w.left[a][n-1]
	w.left[a] = w.left[a][:n-1]
	return e.reward, nil
}

// Left returns how many records of an arm have not been played. It panics for an
// arm that does not exist.
func (w *Replay) Left(a bandit.Arm) int { return len(w.left[a]) }

// Means returns the mean over all the records that the arm had at the start,
// which is the expected reward of each of its pulls.
func (w *Replay) Means() []float64 { return slices.Clone(w.means) }

// Bounded says whether every reward lies in [0,1]: yes.
func (w *Replay) Bounded() bool { return true }
