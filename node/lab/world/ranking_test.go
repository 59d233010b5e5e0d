package world

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/require"
)

// judgedSheet has 6 queries of 3 documents, in the form of MSLR-WEB10K. Labels follow columns 2 and 7.
var judgedSheet = judgedOf(slices.Repeat([]int{3}, 6))

// judgedOf returns documents of queries of these sizes, with columns 2, 7 and, seldom, 9.
func judgedOf(sizes []int) string {
	var b strings.Builder
	r := rand.New(seeded(5))
	for q, n := range sizes {
		for i := range n {
			x, y := r.Float64(), r.Float64()
			fmt.Fprintf(&b, "%d qid:%d 2:%.3f 7:%.3f", int(math.Round(2*x+2*y*y)), 100-q, 50*x, -y)
			if i == 0 {
				b.WriteString(" 9:1")
			}
			b.WriteString(" # of a query\n")
		}
	}
	return b.String()
}

// files opens these, by name.
func files(all map[string]string) func(string) (File, error) {
	return func(asked string) (File, error) {
		content, ok := all[asked]
		if !ok {
			return nil, fmt.Errorf("open %s: %w", asked, fs.ErrNotExist)
		}
		return memory{bytes.NewReader([]byte(content))}, nil
	}
}

// rankings returns the sites of world ranking with data of these files.
func rankings(p RankingParams, arms, sites int, all map[string]string) (*rankingSource, error) {
	c := network(p, sites)
	c.Arms, c.Open = arms, files(all)
	source, err := Open(p, c)
	if err != nil {
		return nil, err
	}
	return source.(*rankingSource), nil
}

// TestRankingOffersQueries: each site offers its own queries, each with all of its documents, in rounds that its key and
// the round decide; features have norm 1; and rewards are paid as often as the mean says that regret is measured by.
func TestRankingOffersQueries(t *testing.T) {
	sizes := []int{4, 1, 7, 2, 5, 3, 6}
	p := RankingParams{Columns: CommonColumns, Features: 3, Data: "x"}
	s := require.Value(rankings(p, 9, 2, map[string]string{"x": judgedOf(sizes)}))(t)
	all, _ := s.Sites(nil)
	for i := range 2 {
		w := require.Value(all.World(i, seeded(uint64(i))))(t)
		offered, paid, mean := map[int]int{}, 0., 0.
		const rounds = 4000
		for round := range uint64(rounds) {
			turn := w.Turn(round)
			offered[len(turn.Features)]++
			if again := w.Turn(round); &again.Features[0] != &turn.Features[0] {
				t.Fatal("a round has two queries")
			}
			least, pays := math.Inf(1), w.(*Ranking).now.mean
			for a, x := range turn.Features {
				if len(x) != 3 || math.Abs(dot(x, x)-1) > 1e-12 {
					t.Fatalf("norm² %v", dot(x, x))
				}
				least = min(least, w.Regret(bandit.Arm(a)))
			}
			if least != 0 || slices.Min(pays) < 0 || slices.Max(pays) > 1 {
				t.Fatalf("least regret %v, means %v", least, pays)
			}
			y := require.Value(w.Play(0))(t)
			paid, mean = paid+float64(y), mean+pays[0]
			if _, err := w.Play(bandit.Arm(len(pays))); err == nil {
				t.Fatal("a document that is not offered pays")
			}
		}
		want := map[int]bool{}
		for q := i; q < len(sizes); q += 2 {
			want[sizes[q]] = true
		}
		for n, times := range offered {
			if !want[n] || times < rounds/len(want)-200 {
				t.Errorf("site %d: a query of %d documents is offered %d times", i, n, times)
			}
		}
		if len(offered) != len(want) || math.Abs(paid-mean) > 4*math.Sqrt(rounds)/2 {
			t.Errorf("site %d: %d queries; paid %v, want %v", i, len(offered), paid, mean)
		}
	}
	if s.Data() == "" || !strings.HasPrefix(s.About(), "ranking: 28 documents of 7 queries with up to 7, 3 features; ") {
		t.Error(s.Data(), s.About())
	}
}

// TestSizesOfQueriesInAFile: a file of sizes says the same as a qid in every line.
func TestSizesOfQueriesInAFile(t *testing.T) {
	sizes := []int{4, 1, 3}
	p := RankingParams{Columns: CommonColumns, Features: 4, Data: "x"}
	a := require.Value(rankings(p, 9, 1, map[string]string{"x": judgedOf(sizes)}))(t)
	var lines []string
	for line := range strings.Lines(judgedOf(sizes)) {
		words := strings.Fields(line)
		lines = append(lines, strings.Join(slices.Delete(words, 1, 2), " "))
	}
	b := require.Value(rankings(p, 9, 1, map[string]string{"x": strings.Join(lines, "\n"), "x.query": "4\n1\n0\n3\n"}))(t)
	if a.About() != b.About() || a.Data() == b.Data() {
		t.Errorf("%s, with a file of sizes %s", a.About(), b.About())
	}
	for q := range sizes {
		if !slices.Equal(a.queries[q].mean, b.queries[q].mean) {
			t.Errorf("query %d differs", q)
		}
	}
}

// TestColumnsOfMSLR are the numbers of features that paper 002 has.
func TestColumnsOfMSLR(t *testing.T) {
	title, body := TitleColumns.ofMSLR(), BodyColumns.ofMSLR()
	if len(title) != 56 || len(body) != 77 || CommonColumns.ofMSLR() != nil {
		t.Errorf("%d and %d columns", len(title), len(body))
	}
	both := slices.Concat(title, body)
	slices.Sort(both)
	for i, k := range both { // all except the quality scores and clicks at the end
		if k != i+1 {
			t.Fatalf("column %d at place %d", k, i)
		}
	}
}

// TestTheFitHasANormOfAtMost1: without a bound it is what least squares give, and with one it is the best of that norm.
func TestTheFitHasANormOfAtMost1(t *testing.T) {
	for _, norm := range []float64{.8, 3} {
		f, r := newFit(4), rand.New(seeded(1))
		truth := make([]float64, 4)
		direction(truth, norm, plainChance{r})
		x := make([]float64, 4)
		for range 5000 {
			direction(x, 1, plainChance{r})
			f.add(x, dot(x, truth))
		}
		theta := require.Value(f.theta(1e-9))(t)
		got, along := math.Sqrt(dot(theta, theta)), dot(theta, truth)/norm
		if math.Abs(got-min(norm, 1)) > 1e-6 || along < .999*got {
			t.Errorf("of norm %v: %v, %v along the truth", norm, got, along)
		}
		if e := f.explained(theta); norm < 1 && e < 1-1e-9 || norm > 1 && (e < .3 || e > .9) {
			t.Errorf("of norm %v: explains %v", norm, e)
		}
	}
}

// TestBadJudgedDataIsRefused: with the line, and what is wanted.
func TestBadJudgedDataIsRefused(t *testing.T) {
	good := RankingParams{Columns: CommonColumns, Features: 3, Data: "x"}
	for _, c := range []struct {
		files map[string]string
		arms  int
		p     RankingParams
		want  string
	}{
		{map[string]string{}, 9, good, "open x: file does not exist: scripts/fetch-data.sh gets the data"},
		{map[string]string{"x": ""}, 9, good, "x: no document"},
		{map[string]string{"x": "\n"}, 9, good, "x: line 1 is empty"},
		{map[string]string{"x": "2 1:.5\n"}, 9, good, "x: line 1 has no qid, and no size of a query"},
		{map[string]string{"x": "2 qid:1 1:.5\n", "x.query": "1\n"}, 9, good, "x: line 1 has a qid, and there is a file of sizes of queries"},
		{map[string]string{"x": "2 1:.5\n", "x.query": "2\n"}, 9, good, "x: fewer documents than the sizes of queries add up to"},
		{map[string]string{"x": "2 1:.5\n2 1:1\n", "x.query": "1\n"}, 9, good, "x: line 2 has no qid, and no size of a query"},
		{map[string]string{"x": "2 1:.5\n", "x.query": "many\n"}, 9, good, "x.query: line 1: want a number of documents"},
		{map[string]string{"x": "0 qid:1 1:.5\nbad qid:1 1:.5\n"}, 9, good, "x: line 2: want a label from 0 to 100"},
		{map[string]string{"x": "-1 qid:1 1:.5\n"}, 9, good, "x: line 1: want a label from 0 to 100"},
		{map[string]string{"x": "1 qid:1 1:.5 1:.5\n"}, 9, good, "x: line 1: want column:value with columns from 1 to 100000, ascending"},
		{map[string]string{"x": "1 qid:1 0:.5\n"}, 9, good, "x: line 1: want column:value with columns from 1 to 100000, ascending"},
		{map[string]string{"x": "1 qid:1 1:NaN\n"}, 9, good, "x: line 1: column 1: want a number"},
		{map[string]string{"x": "0 qid:1 1:1\n"}, 9, good, "x: all labels are 0"},
		{map[string]string{"x": judgedSheet}, 2, good, "arms: want at least 3 names: as many documents has a query"},
		{map[string]string{"x": judgedSheet}, 9, RankingParams{Columns: CommonColumns, Features: 9, Data: "x"}, "world.ranking.features: want at most 4: there are 3 columns, and a constant"},
		{map[string]string{"x": judgedSheet}, 9, RankingParams{Columns: TitleColumns, Features: 56, Data: "x"}, "world.ranking.features: want 57 with columns: title"},
		{map[string]string{"x": "1 qid:1 1:1 2:1\n"}, 9, good, "x: 1 queries, want one for each of 2 sites at least"},
	} {
		_, err := rankings(c.p, c.arms, 2, c.files)
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.files, err, c.want)
		}
		refused, data := new(ParamError), new(DataError)
		if !errors.As(err, &refused) && !errors.As(err, &data) {
			t.Errorf("%v is of no kind", err)
		}
	}
}

// TestTheStandIn states what the documentation says of the learning-to-rank example of LightGBM. -v prints what is made of it.
func TestTheStandIn(t *testing.T) {
	dir := os.Getenv("PEERD_DATA")
	name := filepath.Join(dir, "ltr", "rank.train")
	if _, err := os.Stat(name); dir == "" || err != nil {
		t.Skip("PEERD_DATA is not set, or has no ltr: no real data (scripts/fetch-data.sh gets it)")
	}
	for _, features := range []int{57, 78} {
		p := RankingParams{Columns: CommonColumns, Features: features}
		source := require.Value(Open(p, Config{Arms: 27, Sites: 10, Data: dir, Open: func(name string) (File, error) { return os.Open(name) }}))(t)
		if s := source.(*rankingSource); len(s.queries) != 201 || !strings.HasPrefix(s.about, fmt.Sprintf("ranking: 3005 documents of 201 queries with up to 27, %d features; ", features)) {
			t.Error(s.about)
		}
		t.Log(source.About())
	}
}
