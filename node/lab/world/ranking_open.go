package world

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"peerd.dev/bandit"
)

// Open implements [Params]. It reads documents twice: first to see which columns and sizes there are.
func (p RankingParams) Open(c Config) (Source, error) {
	name := p.Data
	if name == "" {
		if c.Data == "" {
			return nil, &DataError{errors.New("world.ranking.data is empty and PEERD_DATA is not set: name a file of judged documents, or the folder that holds ltr/; scripts/fetch-data.sh gets it")}
		}
		name = filepath.Join(c.Data, "ltr", "rank.train")
	}
	f, err := openJudged(c, name)
	if err != nil {
		return nil, &DataError{err}
	}
	defer func() { _ = f.file.Close() }()
	s, err := f.source(c, p)
	if refused := new(ParamError); err != nil && !errors.As(err, &refused) {
		return nil, &DataError{fmt.Errorf("%s: %w", name, err)}
	}
	return s, err
}

// judgedFile is a file of documents.
type judgedFile struct {
	file  File
	sizes []int // of queries; nil where lines have a qid
	hash  string
}

func openJudged(c Config, name string) (f judgedFile, err error) {
	h := sha256.New()
	sizes, err := c.Open(name + ".query")
	switch {
	case err == nil:
		defer func() { _ = sizes.Close() }()
		if f.sizes, err = readSizes(io.TeeReader(io.NewSectionReader(sizes, 0, math.MaxInt64), h)); err != nil {
			return f, fmt.Errorf("%s.query: %w", name, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return f, err
	}
	if f.file, err = c.Open(name); err != nil {
		return f, fmt.Errorf("%w: scripts/fetch-data.sh gets the data", err)
	}
	if _, err = io.Copy(h, io.NewSectionReader(f.file, 0, math.MaxInt64)); err != nil {
		return f, errors.Join(err, f.file.Close())
	}
	f.hash = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

func (f *judgedFile) read(each func(*judged)) error {
	return readJudged(io.NewSectionReader(f.file, 0, math.MaxInt64), f.sizes, each)
}

// spread is what a first reading finds.
type spread struct {
	documents []int           // by query
	having    map[int]int     // documents that have a column other than 0
	greatest  map[int]float64 // |value| by column
	label     float64         // the greatest
}

func (f *judgedFile) spread() (s spread, err error) {
	s = spread{having: map[int]int{}, greatest: map[int]float64{}}
	err = f.read(func(d *judged) {
		for len(s.documents) <= d.query {
			s.documents = append(s.documents, 0)
		}
		s.documents[d.query]++
		s.label = max(s.label, d.label)
		for i, k := range d.column {
			if v := math.Abs(d.value[i]); v > 0 {
				s.having[k]++
				s.greatest[k] = max(s.greatest[k], v)
			}
		}
	})
	if err == nil && s.label == 0 {
		err = errors.New("all labels are 0")
	}
	return s, err
}

// columns returns which are features, without the constant.
func (s *spread) columns(p RankingParams) ([]int, error) {
	if all := p.Columns.ofMSLR(); all != nil {
		return all, nil
	}
	var all []int
	for k := range s.having {
		all = append(all, k)
	}
	if len(all) < p.Features-1 {
		return nil, &ParamError{"world.ranking.features", fmt.Sprintf("want at most %d: there are %d columns, and a constant", len(all)+1, len(all))}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(s.having[b], s.having[a]), cmp.Compare(a, b)) })
	all = all[:p.Features-1]
	slices.Sort(all)
	return all, nil
}

// source makes features of documents, each column divided by its greatest value and each document by its norm, and
// fits θ to them.
func (f *judgedFile) source(c Config, p RankingParams) (*rankingSource, error) {
	found, err := f.spread()
	if err != nil {
		return nil, err
	}
	most := slices.Max(found.documents)
	if most > c.Arms {
		return nil, &ParamError{"arms", fmt.Sprintf("want at least %d names: as many documents has a query", most)}
	}
	columns, err := found.columns(p)
	if err != nil {
		return nil, err
	}
	places := make(map[int]int, len(columns))
	for i, k := range columns {
		places[k] = 1 + i
	}
	s := &rankingSource{sites: c.Sites, hash: f.hash}
	fit := newFit(p.Features)
	for _, n := range found.documents {
		if n > 0 {
			s.queries = append(s.queries, &query{mean: make([]float64, n)})
		}
	}
	if len(s.queries) < c.Sites {
		return nil, fmt.Errorf("%d queries, want one for each of %d sites at least", len(s.queries), c.Sites)
	}
	at, last := -1, -1
	err = f.read(func(d *judged) {
		if d.query != last {
			at, last = at+1, d.query
		}
		x := make(bandit.Features, p.Features)
		x[0] = 1
		for i, k := range d.column {
			if place := places[k]; place > 0 {
				x[place] = d.value[i] / found.greatest[k]
			}
		}
		scale(x, 1)
		s.queries[at].x = append(s.queries[at].x, x)
		fit.add(x, d.label/found.label)
	})
	if err != nil {
		return nil, err
	}
	theta, err := fit.theta(ridge)
	if err != nil {
		return nil, err
	}
	outside := s.judge(theta)
	s.about = fmt.Sprintf("ranking: %d documents of %d queries with up to %d, %d features; the fitted parameter has norm %.3f and explains %.1f %% of the variance of labels; %d means lie outside of 0 to 1 and are clipped",
		fit.n, len(s.queries), most, p.Features, math.Sqrt(dot(theta, theta)), 100*fit.explained(theta), outside)
	return s, nil
}

// judge sets means and returns how many lay outside of [0, 1].
func (s *rankingSource) judge(theta []float64) (outside int) {
	for _, q := range s.queries {
		for i, x := range q.x {
			m := dot(x, theta)
			if m < 0 || m > 1 {
				outside++
			}
			q.mean[i] = max(0, min(m, 1))
		}
		q.best = slices.Max(q.mean)
	}
	return outside
}

// fit is a least-squares problem of labels y on features x.
type fit struct {
	n     int
	gram  *mat.SymDense // Σ x xᵀ
	along []float64     // Σ x y
	y, yy float64       // Σ y and Σ y²
}

func newFit(d int) *fit { return &fit{gram: mat.NewSymDense(d, nil), along: make([]float64, d)} }

func (f *fit) add(x []float64, y float64) {
	f.n++
	f.gram.SymRankOne(f.gram, 1, mat.NewVecDense(len(x), x))
	for i, v := range x {
		f.along[i] += v * y
	}
	f.y, f.yy = f.y+y, f.yy+y*y
}

// theta returns the minimum of Σ (y - ⟨x, θ⟩)² + n λ |θ|², where λ is least, or the smallest greater λ for
// which the norm is at most 1.
func (f *fit) theta(least float64) ([]float64, error) {
	var e mat.EigenSym
	if !e.Factorize(f.gram, true) {
		return nil, errors.New("no eigenvalues of the features are found")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	var turned, theta mat.VecDense
	turned.MulVec(v.T(), mat.NewVecDense(len(f.along), f.along))
	at := func(lambda float64) (norm2 float64) {
		solved := mat.NewVecDense(len(values), nil)
		for i, a := range values {
			z := turned.AtVec(i) / (max(a, 0) + float64(f.n)*lambda)
			solved.SetVec(i, z)
			norm2 += z * z
		}
		theta.MulVec(&v, solved)
		return norm2
	}
	if at(least) > 1 {
		low, high := least, 2*least
		for at(high) > 1 {
			low, high = high, 2*high
		}
		for range 50 {
			if middle := (low + high) / 2; at(middle) > 1 {
				low = middle
			} else {
				high = middle
			}
		}
		at(high)
	}
	return theta.RawVector().Data, nil
}

// explained returns which part of the variance of labels is gone.
func (f *fit) explained(theta []float64) float64 {
	t := mat.NewVecDense(len(theta), theta)
	left := f.yy - 2*dot(theta, f.along) + mat.Inner(t, f.gram, t)
	return 1 - left/(f.yy-f.y*f.y/float64(f.n))
}
