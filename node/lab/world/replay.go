package world

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Replay pays what happened to the patients of one site. Each encounter belongs
// to exactly one arm and is handed out at most once, in random order, so that a
// patient adds to an experiment no more records than Cap left.
//
// Only encounters that qualify for one arm are played ([Records.Single]): every record is in the stream of one arm, as
// parallel composition over arms requires, and the means follow from no draw.
//
// What is protected is the reward. The treatment plays the part of the choice and
// is public, as choices are: a neighbouring data set in which an encounter has
// another treatment may differ in a record of two arms.
type Replay struct {
	plain               // means are over all the records that an arm had at the start
	records [][]*record // by arm, handed out from the end; by pointer as in Records
	left    []int       // by arm
}

var _ bandit.Finite = (*Replay)(nil)

// NewReplay returns the world of a network of one site, which holds these records,
// some of every arm. src decides the order, and is not needed afterwards.
func NewReplay(site *Records, src *rand.ChaCha8) *Replay {
	rng := rand.New(src)
	w := &Replay{records: make([][]*record, arms), left: make([]int, arms)}
	means := make([]float64, arms)
	for _, e := range site.rows {
		if e.arms.size() != 1 {
			continue
		}
		a := e.arms.first()
		w.records[a] = append(w.records[a], e)
		means[a] += float64(e.reward)
	}
	for a, l := range w.records {
		w.left[a] = len(l)
		means[a] /= float64(len(l))
		rng.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	}
	w.plain = newPlain(means)
	return w
}

// noRecord returns the error of an arm that has nothing to hand out at a site.
func noRecord(a int, site *Records) error {
	return fmt.Errorf("world: replay: arm %d has no record among %d rows", a, site.Rows())
}

// Play hands out a record of an arm, for the first and last time.
func (w *Replay) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.left)); err != nil {
		return 0, err
	}
	if w.left[a] == 0 {
		return 0, fmt.Errorf("%w of arm %d", ErrExhausted, a)
	}
	w.left[a]--
	return w.records[a][w.left[a]].reward, nil
}

// Left returns how many records of an arm have not been played. It panics for an
// arm that does not exist.
func (w *Replay) Left(a bandit.Arm) int { return w.left[a] }

// Save returns how many records of each arm are left, behind the version.
func (w *Replay) Save() []byte {
	state := []byte{version}
	for _, n := range w.left {
		state = binary.BigEndian.AppendUint64(state, uint64(n))
	}
	return state
}

// Load takes over how many records are left of each arm. After an error w is as it was.
func (w *Replay) Load(state []byte) error {
	b, err := fields(state, 8*len(w.left))
	if err != nil {
		return err
	}
	left := make([]int, len(w.left))
	for a := range left {
		n := binary.BigEndian.Uint64(b[8*a:])
		if had := len(w.records[a]); n > uint64(had) {
			return fmt.Errorf("world: saved state with %d records left of arm %d, which had %d", n, a, had)
		}
		left[a] = int(n)
	}
	w.left = left
	return nil
}
