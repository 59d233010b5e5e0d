package world

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"peerd.dev/bandit"
)

// Changing is a [Bernoulli] whose arms change places, abruptly and at all sites at once or at one
// site after the other: after a number of rounds each arm pays what the next one has paid, and the
// last one what the first one has. Regret is against the best arm of the round.
type Changing struct {
	bandit.World
	places
	site    int
	changes uint64    // that there were in the newest turn
	by      int       // places that arms have moved here
	gap     []float64 // by which an arm's mean over all sites is below the best one
}

// places say where the arms of a [Changing] are.
type places struct {
	first [][]float64 // means by site and arm in round 0; rows may be one slice
	every uint64
	oneBy bool // one site after the other
}

// moved returns by how many places the arms of a site have moved after a number of changes.
func (p *places) moved(site int, changes uint64) int {
	if p.oneBy {
		n := uint64(len(p.first))
		changes = (changes + n - 1 - uint64(site)) / n
	}
	return int(changes % uint64(len(p.first[0])))
}

// now returns the means of a site after a number of changes.
func (p *places) now(site int, changes uint64) []float64 {
	by := p.moved(site, changes)
	return slices.Concat(p.first[site][by:], p.first[site][:by])
}

// ownGap returns by how much an arm pays less than the best one of a site in a round.
func (p *places) ownGap(site int, a bandit.Arm, round uint64) float64 {
	row := p.first[site]
	return slices.Max(row) - row[(int(a)+p.moved(site, round/p.every))%len(row)]
}

// ChangingParams are the parameters of world changing.
type ChangingParams struct {
	Means    [][]float64 `want:"rows of numbers" doc:"Probability of a reward for every arm at first."`
	Draw     Draw        `want:"given|sites|shared" doc:"Means are given, or uniform in [0, 1], for every site or once for all."`
	Instance uint64      `want:"0.." doc:"Seed of what all runs share; 0 draws it for every run."`
	Every    uint64      `want:"1..1073741824" unit:"rounds" doc:"Rounds after which each arm pays what the next one has paid."`
	OneByOne bool        `key:"one_by_one" want:"true|false" doc:"One site after the other changes, every rounds apart."`
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

// Open implements [Params].
func (p ChangingParams) Open(c Config) (Source, error) {
	return &changingSource{c, p}, nil
}

// Format implements [fmt.Formatter] like other worlds.
func (Changing) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers all arms, and moves them to their places in a round.
func (w *Changing) Turn(round uint64) bandit.Turn {
	if changes := round / w.every; changes != w.changes {
		w.move(changes)
	}
	return w.World.Turn(round)
}

// move moves the arms to their places after a number of changes.
func (w *Changing) move(changes uint64) {
	rows := make([][]float64, len(w.first))
	for i := range rows {
		rows[i] = w.now(i, changes)
	}
	w.changes, w.by, w.gap = changes, w.moved(w.site, changes), gaps(rows)
}

// Play draws a reward of an arm, of the round of the last Turn.
func (w *Changing) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.gap)); err != nil {
		return 0, err
	}
	return w.World.Play(bandit.Arm((int(a) + w.by) % len(w.gap)))
}

// Regret returns by how much the mean of an arm over all sites is below the best one, in the
// round of the last Turn.
func (w *Changing) Regret(a bandit.Arm) float64 { return w.gap[a] }

// changingSource is a Source of Changing.
type changingSource struct {
	config Config
	params ChangingParams
}

// Sites implements [Source].
func (s *changingSource) Sites(run *rand.Rand) (*Sites, error) {
	rows, err := s.params.means().bySite("changing", s.config, run)
	if err != nil {
		return nil, err
	}
	p := places{rows, s.params.Every, s.params.OneByOne}
	return &Sites{Means: rows, OwnGap: p.ownGap, World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w := &Changing{World: NewBernoulli(rows[i], src), places: p, site: i}
		w.move(0)
		return w, nil
	}}, nil
}

// About implements [Source].
func (s *changingSource) About() string {
	if s.params.OneByOne {
		return fmt.Sprintf("arms change places at one site after the other, every %d rounds", s.params.Every)
	}
	return fmt.Sprintf("arms change places every %d rounds", s.params.Every)
}

// Data implements [Source].
func (s *changingSource) Data() string { return "" }
