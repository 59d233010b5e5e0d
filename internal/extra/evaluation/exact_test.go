package evaluation

import (
	"encoding/csv"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/internal/decisions"
	"peerd.dev/node/decision"
)

// banditLog reads the synthetic file of the form of the Open Bandit Dataset.
func banditLog(t *testing.T) (header []string, lines [][]string) {
	t.Helper()
	f, err := os.Open("testdata/obd.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines, err = csv.NewReader(f).ReadAll()
	if err != nil || len(lines) != 401 {
		t.Fatalf("%d lines (%v)", len(lines), err)
	}
	return lines[0], lines[1:]
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatal(text)
	}
	return x
}

// exact is a decision in rational numbers.
type exact struct {
	action    int
	reward, p *big.Rat
	x         [][]*big.Rat // of each action, with the constant
	fold      int
	log       decisions.Row
}

// exactLog returns the file's decisions in both forms, with features: one place for each kind of user and item, of norm 1.
func exactLog(t *testing.T) (all []exact) {
	t.Helper()
	header, lines := banditLog(t)
	at := func(line []string, name string) string { return line[slices.Index(header, name)] }
	kinds := []string{}
	for i, line := range lines {
		e := exact{reward: rat(t, at(line, "click")), p: rat(t, at(line, "propensity_score")), fold: i % folds}
		e.action, _ = strconv.Atoi(at(line, "item_id"))
		user := at(line, "user_feature_0")
		if !slices.Contains(kinds, user) {
			kinds = append(kinds, user)
		}
		e.log = decisions.Row{Name: items[e.action], Source: decision.Application, Reported: true, Offered: items}
		e.log.Reward, _ = e.reward.Float64()
		e.log.PScore, _ = e.p.Float64()
		for a := range items {
			floats, rats := make([]float64, 2*len(items)), make([]*big.Rat, 2*len(items)+1)
			for k := range rats {
				rats[k] = new(big.Rat)
			}
			k := 2*a + slices.Index(kinds, user)
			floats[k] = 1
			rats[k].SetInt64(1)
			rats[2*len(items)].SetInt64(1)
			e.log.Actions, e.x = append(e.log.Actions, floats), append(e.x, rats)
		}
		all = append(all, e)
	}
	if len(kinds) != 2 {
		t.Fatalf("%d kinds of users", len(kinds))
	}
	return all
}

var items = []string{"item 0", "item 1", "item 2", "item 3"}

func sum(a, b *big.Rat) *big.Rat   { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }

// exactMeans predicts by the means of actions in other folds.
func exactMeans(all []exact) func(e *exact, a int) *big.Rat {
	return func(e *exact, a int) *big.Rat {
		total, n, own, owns := new(big.Rat), 0, new(big.Rat), 0
		for _, o := range all {
			if o.fold == e.fold {
				continue
			}
			total, n = sum(total, o.reward), n+1
			if o.action == a {
				own, owns = sum(own, o.reward), owns+1
			}
		}
		return over(sum(own, over(total, big.NewRat(int64(n), 1))), big.NewRat(int64(owns+1), 1))
	}
}

// exactRidge predicts by ridge regression on other folds, solved by elimination.
func exactRidge(all []exact) func(e *exact, a int) *big.Rat {
	var betas [folds][]*big.Rat
	for fold := range betas {
		n := 2*len(items) + 1
		m := make([][]*big.Rat, n)
		for i := range m {
			m[i] = make([]*big.Rat, n+1)
			for k := range m[i] {
				m[i][k] = new(big.Rat)
			}
			m[i][i].SetInt64(1)
		}
		m[n-1][n-1].SetFrac64(1, 1_000_000_000)
		for _, o := range all {
			if o.fold == fold {
				continue
			}
			x := o.x[o.action]
			for i := range n {
				for k := range n {
					m[i][k] = sum(m[i][k], times(x[i], x[k]))
				}
				m[i][n] = sum(m[i][n], times(x[i], o.reward))
			}
		}
		for i := range n {
			for j := range n {
				if j == i {
					continue
				}
				by := over(m[j][i], m[i][i])
				for k := range n + 1 {
					m[j][k] = minus(m[j][k], times(by, m[i][k]))
				}
			}
		}
		for i := range n {
			betas[fold] = append(betas[fold], over(m[i][n], m[i][i]))
		}
	}
	return func(e *exact, a int) *big.Rat {
		q := new(big.Rat)
		for k, x := range e.x[a] {
			q = sum(q, times(x, betas[e.fold][k]))
		}
		return q
	}
}

// mean returns the mean of exact scores with its interval.
func mean(scores []*big.Rat) [3]float64 {
	n := big.NewRat(int64(len(scores)), 1)
	m, squares := new(big.Rat), new(big.Rat)
	for _, s := range scores {
		m = sum(m, over(s, n))
	}
	for _, s := range scores {
		squares = sum(squares, times(minus(s, m), minus(s, m)))
	}
	variance, _ := over(squares, times(n, minus(n, big.NewRat(1, 1)))).Float64()
	v, _ := m.Float64()
	return [3]float64{v, v - 1.95996398454*math.Sqrt(variance), v + 1.95996398454*math.Sqrt(variance)}
}

// TestEstimatesAgreeWithExactOnes: of a log of the Open Bandit Dataset's form, IPS, SNIPS and DR, with means and with features,
// are to six digits what rational arithmetic by their definitions gives.
func TestEstimatesAgreeWithExactOnes(t *testing.T) {
	all := exactLog(t)
	var rows []decisions.Row
	for _, e := range all {
		rows = append(rows, e.log)
	}
	quarter := big.NewRat(1, 4)
	policies := map[string]func(a int) *big.Rat{
		"uniform":       func(int) *big.Rat { return quarter },
		"always item 3": func(a int) *big.Rat { return big.NewRat(int64(a/3), 1) },
	}
	for _, c := range []struct {
		o       Options
		predict func(e *exact, a int) *big.Rat
	}{
		{Options{Actions: items}, exactMeans(all)},
		{Options{Actions: items, Inputs: bandit.Inputs{Action: 2 * len(items)}}, exactRidge(all)},
	} {
		r := evaluated(t, rows, c.o)
		for name, policy := range policies {
			var ips, weights, dr []*big.Rat
			w, wr := new(big.Rat), new(big.Rat)
			for i := range all {
				e := &all[i]
				weight := over(policy(e.action), e.p)
				score := times(weight, minus(e.reward, c.predict(e, e.action)))
				for a := range items {
					score = sum(score, times(policy(a), c.predict(e, a)))
				}
				ips, weights, dr = append(ips, times(weight, e.reward)), append(weights, weight), append(dr, score)
				w, wr = sum(w, weight), sum(wr, times(weight, e.reward))
			}
			v := over(wr, w)
			spread := new(big.Rat)
			for i := range all {
				d := minus(ips[i], times(v, weights[i]))
				spread = sum(spread, times(d, d))
			}
			s, _ := over(spread, times(w, w)).Float64()
			snips, _ := v.Float64()
			got := r.of(t, name)
			half := 1.95996398454 * math.Sqrt(s)
			for what, pair := range map[string][2][3]float64{
				"IPS":   {mean(ips), three(got.IPS)},
				"SNIPS": {{snips, snips - half, snips + half}, three(got.SNIPS)},
				"DR":    {mean(dr), three(got.DR)},
			} {
				for i := range pair[0] {
					if math.Abs(pair[0][i]-pair[1][i]) > 1e-6 {
						t.Errorf("%s of %s with %d features: %.8f, want %.8f", what, name, c.o.Inputs.Action, pair[1], pair[0])
						break
					}
				}
			}
			t.Logf("%s with %d features: IPS %v, SNIPS %v, DR %v", name, c.o.Inputs.Action, got.IPS, got.SNIPS, got.DR)
		}
	}
}

func three(i *Interval) [3]float64 { return [3]float64{i.Value, i.Low, i.High} }
