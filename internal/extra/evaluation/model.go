package evaluation

import (
	"gonum.org/v1/gonum/mat"
)

// folds is in how many parts the decisions are cut for the doubly robust estimator: a decision's reward is not in what
// predicts it.
const folds = 5

// model predicts rewards: by ridge regression on the features of an action with a constant, or without features by each
// action's mean.
type model struct {
	features int // 0 for means
	of       [folds]fold
	fits     [folds]*fitted // from all other folds
}

// fold has the sums of a fold.
type fold struct {
	n, sum float64
	means  []sums1   // by action
	xx     []float64 // of products of features, by rows, the constant last
	xy     []float64
}

// penalty is added to the diagonal of ridge regression, and every action's mean begins with as many decisions of the mean reward.
const penalty = 1

// add adds a decision to a fold.
func (m *model) add(at int, d *weighed) {
	f := &m.of[at]
	f.n++
	f.sum += d.reward
	if m.features == 0 {
		arm := d.arms[d.taken]
		for len(f.means) <= arm {
			f.means = append(f.means, sums1{})
		}
		f.means[arm].add(d.reward)
		return
	}
	n := m.features + 1
	if f.xx == nil {
		f.xx, f.xy = make([]float64, n*n), make([]float64, n)
	}
	x := append(append(make([]float64, 0, n), d.features[d.taken]...), 1)
	for i, v := range x {
		if v == 0 {
			continue
		}
		f.xy[i] += v * d.reward
		row := f.xx[i*n : i*n+n]
		for k, u := range x {
			row[k] += v * u
		}
	}
}

// fitted predicts rewards from all folds except one.
type fitted struct {
	mean  float64
	means []float64
	beta  []float64 // the constant last; nil without features
}

// without returns what all folds except one predict.
func (m *model) without(fold int) *fitted {
	if m.fits[fold] == nil {
		m.fits[fold] = m.fit(fold)
	}
	return m.fits[fold]
}

func (m *model) fit(but int) *fitted {
	n, sum, n1 := 0., 0., m.features+1
	var means []sums1
	xx, xy := make([]float64, n1*n1), make([]float64, n1)
	for k := range m.of {
		f := &m.of[k]
		if k == but {
			continue
		}
		n, sum = n+f.n, sum+f.sum
		for a, x := range f.means {
			for len(means) <= a {
				means = append(means, sums1{})
			}
			means[a].n, means[a].sum = means[a].n+x.n, means[a].sum+x.sum
		}
		for i, v := range f.xx {
			xx[i] += v
		}
		for i, v := range f.xy {
			xy[i] += v
		}
	}
	fit := &fitted{}
	if n > 0 {
		fit.mean = sum / n
	}
	if m.features > 0 {
		fit.beta = ridge(xx, xy)
		return fit
	}
	for _, x := range means {
		fit.means = append(fit.means, (x.sum+penalty*fit.mean)/(x.n+penalty))
	}
	return fit
}

// ridge solves (X'X + penalty) b = X'y. The constant has a penalty of almost nothing, so that there is a solution without
// any decision.
func ridge(xx, xy []float64) []float64 {
	n := len(xy)
	a := mat.NewSymDense(n, xx)
	for i := range n {
		p := float64(penalty)
		if i == n-1 {
			p = 1e-9
		}
		a.SetSym(i, i, a.At(i, i)+p)
	}
	var c mat.Cholesky
	b := mat.NewVecDense(n, nil)
	if c.Factorize(a) && c.SolveVecTo(b, mat.NewVecDense(n, xy)) == nil {
		return b.RawVector().Data
	}
	return make([]float64, n)
}

// reward predicts what an action would have paid.
func (f *fitted) reward(d *weighed, i int) float64 {
	if f.beta == nil {
		if a := d.arms[i]; a < len(f.means) {
			return f.means[a]
		}
		return f.mean
	}
	x := d.features[i]
	sum := f.beta[len(x)]
	for k, v := range x {
		sum += v * f.beta[k]
	}
	return sum
}
