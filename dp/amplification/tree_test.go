package amplification

import (
	"math"
	"strings"
	"testing"

	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
)

// local returns the ε of all levels as one Gaussian release.
func local(t *testing.T, tree Tree, mu account.Mu, delta float64) float64 {
	t.Helper()
	return require.Value((mu * account.Mu(math.Sqrt(float64(tree.levels())))).Epsilon(delta))(t)
}

// TestTheShuffledPromiseIsNoWorse: never above the promise to everyone, below it where sums are of few records and silos are many,
// and no better with fewer silos, longer batches or less noise.
func TestTheShuffledPromiseIsNoWorse(t *testing.T) {
	gained := 0
	for _, mu := range []account.Mu{.001, .02, .2, 1} {
		last := math.Inf(1)
		for _, silos := range []int{1, 2, 100, 400} {
			for _, batch := range []uint64{25, 1} {
				tree := Tree{silos, batch, 4}
				got := require.Value(tree.Epsilon(mu, 1e-5))(t)
				alone := local(t, tree, mu, 1e-5)
				if got > alone*(1+1e-9) {
					t.Errorf("%+v, mu %v: epsilon %v, and %v to everyone", tree, mu, got, alone)
				}
				if got < alone*(1-1e-9) {
					gained++
					t.Logf("%+v, mu %v: epsilon %.4g, and %.4g to everyone", tree, mu, got, alone)
				}
				if batch == 1 {
					if got > last*(1+1e-3) {
						t.Errorf("%+v, mu %v: epsilon %v, and %v with fewer silos", tree, mu, got, last)
					}
					last = got
				}
			}
		}
	}
	if gained < 1 {
		t.Error("no case gains: nothing is tested")
	}
}

// TestOneNodeIsWhatTheLemmaSays: for one node of one record the promise is at most what Lemma F.2 gives at any ε0.
func TestOneNodeIsWhatTheLemmaSays(t *testing.T) {
	const silos, mu, delta = 1_000, account.Mu(.1), 1e-6
	got := require.Value(Tree{silos, 1, 1}.Epsilon(mu, delta))(t)
	best := math.Inf(1)
	for epsilon0 := .1; epsilon0 < 1.3; epsilon0 += .01 {
		delta0 := require.Value(mu.Delta(epsilon0))(t)
		if epsilon, total, err := closed(epsilon0, delta0, 1, silos, delta/2); err == nil && total <= delta {
			best = min(best, epsilon)
		}
	}
	if got > best || math.IsInf(best, 1) || got < best/6 {
		t.Errorf("epsilon %v, the lemma %v", got, best)
	}
}

func TestSigmaInvertsThePromise(t *testing.T) {
	tree := Tree{300, 1, 1}
	const epsilon, delta = .2, 1e-5
	sigma := require.Value(tree.Sigma(epsilon, delta, math.Sqrt2))(t)
	alone := require.Value(account.Sigma(epsilon, delta, math.Sqrt2))(t)
	mu := math.Sqrt2 / sigma
	got, err := tree.Epsilon(account.Mu(mu), delta)
	less, err2 := tree.Epsilon(account.Mu(mu*1.002), delta)
	if err != nil || err2 != nil || got > epsilon || less <= epsilon || sigma > alone {
		t.Errorf("deviation %v has epsilon %v, one a 500th less %v; %v without a shuffler; %v, %v", sigma, got, less, alone, err, err2)
	}
	t.Logf("deviation %.3g, without a shuffler %.3g", sigma, alone)
}

// TestNoGainIsRefused: the sentence names what is missing. These are the silos of paper 002 and its batches.
func TestNoGainIsRefused(t *testing.T) {
	for _, c := range []struct {
		tree           Tree
		epsilon, delta float64
		want           string
	}{
		{Tree{100, 25, 400}, 1e-3, 1e-4, "M > 16 ln(2/delta) = 194 silos"},
		{Tree{100, 25, 400}, .2, .1, "protocol.shuffle.sees: sum"},
		{Tree{100, 25, 400}, 1, .1, "25 records in a batch"},
		{Tree{4, 25, 8}, 1, 1e-5, "protocol.shuffle.honest: 1"},
		{Tree{1, 1, 1}, 1, 1e-5, "no less noise"},
		{Tree{0, 1, 1}, 1, 1e-5, "0 silos, want 1 to"},
		{Tree{10, 0, 1}, 1, 1e-5, "leaves of 0 records"},
		{Tree{10, 1, 1}, 1, 0, "delta 0, want"},
		{Tree{10, 1, 1}, -1, 1e-5, "epsilon -1"},
	} {
		_, err := c.tree.Sigma(c.epsilon, c.delta, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.tree, err, c.want)
		}
	}
	if _, err := (Tree{10, 1, 1}).Epsilon(account.Mu(math.NaN()), 1e-5); err == nil {
		t.Error("NaN is a mu")
	}
	if _, err := (Tree{maxSilos + 1, 1, 1}).Epsilon(1, 1e-5); err == nil {
		t.Error("any number of silos is taken")
	}
}

// TestAShufflersGain recomputes the last table of docs/lab/shuffle.md: how many times less noise silos need with a shuffler over 400 batches,
// and whether that is refused (0). Rows of more than 1,000 silos take a minute.
func TestAShufflersGain(t *testing.T) {
	for _, c := range []struct {
		epsilon, delta float64
		batch          uint64
		want           map[int]float64 // by silos
	}{
		{1e-4, 1e-4, 1, map[int]float64{100: 0, 1_000: 1.96, 10_000: 5.05}},
		{1e-4, 1e-4, 25, map[int]float64{100: 0, 1_000: 0, 10_000: 1.02}},
		{1e-3, 1e-4, 1, map[int]float64{100: 0, 1_000: 1.78, 10_000: 3.96}},
		{1e-3, 1e-4, 25, map[int]float64{100: 0, 1_000: 0, 10_000: 1.17}},
		{.2, 1e-5, 1, map[int]float64{100: 0, 1_000: 0, 10_000: 1.16}},
		{.2, 1e-5, 25, map[int]float64{100: 0, 1_000: 0, 10_000: 0}},
		{1, 1e-5, 1, map[int]float64{100: 0, 1_000: 0, 10_000: 1.05}},
		{1, 1e-5, 25, map[int]float64{100: 0, 1_000: 0, 10_000: 0}},
	} {
		for silos, want := range c.want {
			if silos > 100 && !long() && c.batch == 1 || silos > 1_000 && !long() {
				continue
			}
			tree := Tree{silos, c.batch, 400}
			alone := require.Value(account.Sigma(c.epsilon, c.delta, math.Sqrt(float64(tree.levels()))))(t)
			got := 0.
			if sigma, err := tree.Sigma(c.epsilon, c.delta, 1); err == nil {
				got = alone / sigma
			}
			if math.Abs(got-want) > .01 {
				t.Errorf("(%v, %v), batches of %d, %d silos: %.3f, want %v", c.epsilon, c.delta, c.batch, silos, got, want)
			}
		}
	}
}
