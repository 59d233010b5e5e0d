package world

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Changing is a [Bernoulli] whose arms change places, abruptly and at all sites at once: after a
// number of rounds each arm pays what the next one has paid, and the last one what the first one
// has. Regret is against the best arm of the round.
type Changing struct {
	bandit.World
	arms  int
	every uint64
	by    int // places that arms have moved
}

// ChangingParams are the parameters of world changing.
type ChangingParams struct {
	Means    [][]float64 `want:"rows of numbers" doc:"The probability of a reward for every arm at first: one row for all sites, or several rows that sites take in turn."`
	Draw     Draw        `want:"given|sites|shared" doc:"Where the means come from: given takes means; sites draws them uniformly from [0, 1] for every site, shared once for all sites."`
	Instance uint64      `want:"0.." doc:"Seed of the drawn means, the same in all runs; 0 draws new ones for every run of an experiment."`
	Every    uint64      `want:"1..1073741824" unit:"rounds" doc:"Rounds after which each arm pays what the next one has paid, and the last one what the first one has."`
}

func (p ChangingParams) means() means {
	return means{given: p.Means, draw: p.Draw, instance: p.Instance}
}

// Words implements [Params].
func (ChangingParams) Words() Words {
	return Words{"changing", "pays as bernoulli does, with arms that change places at times"}
}

// Traits implements [Traited].
func (p ChangingParams) Traits() Traits { return Traits{Arms: p.means().arms(), Changing: true} }

// Check implements [Checked].
func (p ChangingParams) Check(c Config) (field, want string) {
	return p.means().checkProbabilities("changing", c)
}

// Small implements [Shrinking].
func (ChangingParams) Small() Params {
	return ChangingParams{Means: [][]float64{{.2, .8, .5}}, Draw: Given, Every: 8}
}

// Open implements [Params].
func (p ChangingParams) Open(c Config) (Source, error) {
	return &changingSource{c, p.means(), p.Every}, nil
}

// Format implements [fmt.Formatter] like other worlds.
func (Changing) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers all arms, and moves them to their places in a round.
func (w *Changing) Turn(round uint64) bandit.Turn {
	w.by = int(round / w.every % uint64(w.arms))
	return w.World.Turn(round)
}

// Play draws a reward of an arm, of the round of the last Turn.
func (w *Changing) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, w.arms); err != nil {
		return 0, err
	}
	return w.World.Play(w.at(a))
}

// Regret returns by how much the mean of an arm over all sites is below the best one, in the
// round of the last Turn.
func (w *Changing) Regret(a bandit.Arm) float64 { return w.World.Regret(w.at(a)) }

// at returns the arm that initially paid what a pays now.
func (w *Changing) at(a bandit.Arm) bandit.Arm { return bandit.Arm((int(a) + w.by) % w.arms) }

// changingSource is a Source of Changing.
type changingSource struct {
	config Config
	first  means
	every  uint64
}

// Sites implements [Source].
func (s *changingSource) Sites(run *rand.Rand) (*Sites, error) {
	rows, err := s.first.bySite("changing", s.config, run)
	if err != nil {
		return nil, err
	}
	gap := gaps(rows)
	return &Sites{Means: rows, World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w, err := NewBernoulli(rows[i], src)
		if err != nil {
			return nil, err
		}
		w.judge(gap)
		return &Changing{World: w, arms: len(gap), every: s.every}, nil
	}}, nil
}

// About implements [Source].
func (s *changingSource) About() string {
	return fmt.Sprintf("arms change places every %d rounds", s.every)
}

// Data implements [Source].
func (s *changingSource) Data() string { return "" }
