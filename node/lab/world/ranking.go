package world

import (
	"fmt"
	"math/rand/v2"

	"peerd.dev/bandit"
)

// Columns names which columns of a document are its features.
type Columns string

// The columns. A constant 1 is the first feature of all.
const (
	// CommonColumns are the columns that most documents have, as many as features requires.
	CommonColumns Columns = "common"
	// TitleColumns and BodyColumns are the columns of MSLR-WEB10K (Qin and Liu 2013) that Zhou and Chowdhury (2024, section 6)
	// call title and body features, 57 and 78 of them: with the constant, the partition of Swaminathan et al. 2017 into
	// anchor, URL and 126 to 131, and body, title, whole document, 132 and 133.
	TitleColumns Columns = "title"
	BodyColumns  Columns = "body"
)

// RankingParams are the parameters of world ranking.
type RankingParams struct {
	Data     string  `want:"path" doc:"Documents in SVMlight format, with qids or a file of query sizes (.query); empty takes ltr/rank.train of PEERD_DATA."`
	Columns  Columns `want:"common|title|body" doc:"Features: columns that most documents have, or the columns of MSLR-WEB10K in paper 002."`
	Features int     `want:"2..120" fixed:"yes" doc:"Numbers of a document, a constant included, as many as learner.linucb.features: 57 with columns: title, 78 with body."`
}

// Words implements [Params].
func (RankingParams) Words() Words {
	return Words{"ranking", "offers the judged documents of a query and pays 1 with a probability that is linear in their features and fitted to labels, and else 0"}
}

// Traits implements [Traited].
func (p RankingParams) Traits() Traits { return Traits{Features: p.Features} }

// Check implements [Checked].
func (p RankingParams) Check(Config) (field, want string) {
	if n := len(p.Columns.ofMSLR()); n > 0 && p.Features != 1+n {
		return "features", fmt.Sprintf("%d with columns: %s", 1+n, p.Columns)
	}
	return "", ""
}

// ofMSLR returns the columns of MSLR-WEB10K, from 1; nil for the common ones.
func (c Columns) ofMSLR() (all []int) {
	var streams, rest []int // body, anchor, title, URL and whole document are 1 to 5 of each 25 statistics
	switch c {
	case TitleColumns:
		streams, rest = []int{2, 4}, []int{126, 127, 128, 129, 130, 131}
	case BodyColumns:
		streams, rest = []int{1, 3, 5}, []int{132, 133}
	default:
		return nil
	}
	for i := range 25 {
		for _, s := range streams {
			all = append(all, 5*i+s)
		}
	}
	return append(all, rest...)
}

// ridge is the least weight of the squared norm of the parameter that is fitted to labels, per document; it is greater if the norm
// would be above 1.
const ridge = .001

// rankingSource is a Source of worlds that share documents and θ. All runs have the same.
type rankingSource struct {
	queries []*query
	sites   int
	about   string
	hash    string // of the files
}

// query is what is offered in a turn.
type query struct {
	x    []bandit.Features // of norm 1, by document
	mean []float64         // ⟨x, θ⟩ within [0, 1]
	best float64           // the greatest of them
}

// Sites implements [Source]: query i is of site i modulo their number.
func (s *rankingSource) Sites(*rand.Rand) (*Sites, error) {
	return &Sites{World: func(i int, src *rand.ChaCha8) (bandit.World, error) {
		w := &Ranking{key: src.Uint64()}
		for q := i; q < len(s.queries); q += s.sites {
			w.queries = append(w.queries, s.queries[q])
		}
		w.Turn(0)
		w.coins = newCoins(src)
		return w, nil
	}}, nil
}

// About implements [Source].
func (s *rankingSource) About() string { return s.about }

// Data implements [Source].
func (s *rankingSource) Data() string { return s.hash }

// Ranking offers the documents of one of the site's queries, drawn in every round, and pays 1 with probability ⟨x, θ⟩ for a
// document with features x, and else 0. All sites have one θ, of norm 1 at most, which is shown to no one. Queries have
// different numbers of documents.
//
// The query depends only on the site's key and the round, so it is not saved.
type Ranking struct {
	coins
	key     uint64
	queries []*query
	now     *query
}

var _ bandit.World = (*Ranking)(nil)

// Format implements [fmt.Formatter], so that no reward is printed, and nothing from which
// rewards follow.
func (Ranking) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("private")) }

// Turn offers the documents of a query.
func (w *Ranking) Turn(round uint64) bandit.Turn {
	w.now = w.queries[rand.New(rand.NewPCG(w.key, round)).IntN(len(w.queries))]
	return bandit.Turn{Round: round, Features: w.now.x}
}

// Play draws a reward of a document of the newest turn.
func (w *Ranking) Play(a bandit.Arm) (bandit.Reward, error) {
	if err := check(a, len(w.now.mean)); err != nil {
		return 0, err
	}
	return w.pay(w.now.mean[a]), nil
}

// Regret returns by how much a document of the newest turn is below the best of that turn. It
// panics for one that does not exist.
func (w *Ranking) Regret(a bandit.Arm) float64 { return w.now.best - w.now.mean[a] }
