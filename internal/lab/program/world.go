package program

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
	"peerd.dev/node/lab/world"
)

// WorldParams are the parameters of a world that is a program.
type WorldParams struct {
	Command   []string `want:"command" doc:"The program, which pays at all sites of a run (docs/lab/own-ideas.md)."`
	Timeout   uint64   `want:"1..3600" unit:"seconds" doc:"How long an answer may take."`
	Parameter float64  `want:"-1e9 up to 1e9" doc:"A number for the program, in its first line."`

	run *Run // nil outside of the simulator
}

// In returns the parameters for a run.
func (p WorldParams) In(r *Run) WorldParams {
	p.run = r
	return p
}

// Program implements [Params].
func (p WorldParams) Program() []string { return p.Command }

// Words implements [world.Params].
func (WorldParams) Words() world.Words {
	return world.Words{Name: "program", Summary: "asks a program of yours, in simulations alone"}
}

// Check implements [world.Checked].
func (p WorldParams) Check(world.Config) (field, want string) { return checkCommand(p.Command) }

// Open implements [world.Params].
func (p WorldParams) Open(c world.Config) (world.Source, error) { return &source{p, c}, nil }

// A source starts the program where a run has sites.
type source struct {
	WorldParams
	config world.Config
}

// Sites implements [world.Source]. Outside of a run nothing is known of the sites, and they do not pay.
func (s *source) Sites(*rand.Rand) (*world.Sites, error) {
	if s.run == nil {
		return &world.Sites{World: func(int, *rand.ChaCha8) (bandit.World, error) { return nil, fmt.Errorf("world.program: %w", errNoRun) }}, nil
	}
	sites := &world.Sites{}
	h := hello{Role: "world", Parameter: s.Parameter, Arms: s.config.Arms, Peers: s.config.Sites}
	want := fmt.Sprintf(`{"means": [[...], ...]}, a row of %d numbers from 0 to 1 for each of %d sites, or {"ok": true}`, s.config.Arms, s.config.Sites)
	p, err := s.run.open(s.Command, s.Timeout, h, want, func(w *welcome) error {
		sites.Means = w.Means
		return s.check(w)
	})
	if err != nil {
		return nil, err
	}
	gap := sites.Gaps()
	sites.World = func(i int, _ *rand.ChaCha8) (bandit.World, error) {
		return &site{number: i, arms: s.config.Arms, program: p, gap: gap}, nil
	}
	return sites, nil
}

// check checks what the program says of its means.
func (s *source) check(w *welcome) error {
	if w.OK == (w.Means != nil) {
		return errors.New("that is not one of both")
	}
	if w.Means != nil && len(w.Means) != s.config.Sites {
		return fmt.Errorf("%d rows", len(w.Means))
	}
	for i, row := range w.Means {
		if len(row) != s.config.Arms {
			return fmt.Errorf("row %d has %d numbers", i, len(row))
		}
		for k, m := range row {
			if !(m >= 0 && m <= 1) {
				return fmt.Errorf("mean %v of site %d and arm %d", m, i, k)
			}
		}
	}
	return nil
}

// About implements [world.Source].
func (*source) About() string { return "" }

// Data implements [world.Source].
func (*source) Data() string { return "" }

// A site is a [bandit.World].
type site struct {
	number  int
	arms    int
	program *process
	gap     []float64 // by arm; nil if the program says what each pull loses
	round   uint64
	lost    float64 // by the newest pull
}

// A pull is the line for a reward.
type pull struct {
	Site  int        `json:"site"`
	Round uint64     `json:"round"`
	Arm   bandit.Arm `json:"arm"`
}

// A payment is the answer to it.
type payment struct {
	Reward *float64 `json:"reward"`
	Regret *float64 `json:"regret"`
}

// Format implements [fmt.Formatter] like other worlds.
func (*site) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn implements [bandit.World].
func (w *site) Turn(round uint64) bandit.Turn {
	w.round = round
	return bandit.Turn{Round: round}
}

// Play implements [bandit.World].
func (w *site) Play(a bandit.Arm) (bandit.Reward, error) {
	var paid payment
	want := `{"reward": X} with X from 0 to 1`
	if w.gap == nil {
		want = `{"reward": X, "regret": G} with X from 0 to 1, and G from 0 to 1, since it stated no means`
	}
	err := w.program.ask(pull{w.number, w.round, a}, &paid, want, func() error {
		switch {
		case paid.Reward == nil:
			return errors.New("no reward")
		case !(*paid.Reward >= 0 && *paid.Reward <= 1):
			return fmt.Errorf("a reward of %v", *paid.Reward)
		case (paid.Regret == nil) == (w.gap == nil):
			return errors.New("regret is stated by means at the start, or with every reward")
		case paid.Regret != nil && !(*paid.Regret >= 0 && *paid.Regret <= 1):
			return fmt.Errorf("a regret of %v", *paid.Regret)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if w.gap == nil {
		w.lost = *paid.Regret
	}
	return bandit.Reward(*paid.Reward), nil
}

// Regret implements [bandit.World], of the arm that was played.
func (w *site) Regret(a bandit.Arm) float64 {
	if w.gap != nil {
		return w.gap[a]
	}
	return w.lost
}

// Save implements [bandit.World]. A program keeps nothing.
func (*site) Save() []byte { return nil }

// Load implements [bandit.World].
func (*site) Load([]byte) error { return fmt.Errorf("world.program: %w", errNoRun) }
