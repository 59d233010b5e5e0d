package printed

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
	"peerd.dev/internal/require"
)

// TestDPUCBIndexIsThePapers computes both formulas for one belief, from the paper.
func TestDPUCBIndexIsThePapers(t *testing.T) {
	const (
		peers, horizon, epsilon, rho, sigma = 20, 1000, 2., 1.2, .5
		n, c, round                         = 30., 46.3, 99
	)
	b := belief.New(1, 1)
	b.X[0], b.PerSite[0], b.SampleVar[0] = .4, n, (n+c)/(peers*n*n)
	lt, lnT, noise := math.Log(100), math.Log(horizon), math.Pow(math.Log(n), 1.5)/(epsilon*n)
	for index, want := range map[Index]float64{
		Decentralized: sigma*math.Sqrt(2*rho*(n+c)/(peers*n)*lt/n) + math.Log(2*math.Exp(rho*lnT))*noise,
		MasterWorker:  math.Sqrt(2*lt/n) + 4*lnT*noise,
	} {
		l := require.Value(DPUCBParams{index, rho, sigma}.New(bandit.Config{Arms: 1, Peers: peers, Horizon: horizon, Epsilon: epsilon}))(t)
		got := l.(*DPUCB).Radii(nil, &b, round)[0]
		if math.Abs(got.Size-want) > 1e-12 || got.Miss != 1 {
			t.Errorf("%s: radius %+v, want %v and no promise", index, got, want)
		}
	}
}

// TestDPUCBWithoutNoise: the index has no term for noise, and one reward has no logarithm.
func TestDPUCBWithoutNoise(t *testing.T) {
	for _, epsilon := range []float64{1, math.Inf(1)} {
		l := require.Value(DPUCBParams{Decentralized, 2, .5}.New(bandit.Config{Arms: 2, Peers: 3, Horizon: 1000, Epsilon: epsilon}))(t)
		b := belief.New(2, 1)
		b.SampleVar[0], b.SampleVar[1] = 1./3, 1./300 // 1 and 100 rewards per site
		r := l.(*DPUCB).Radii(nil, &b, 0)             // ln 1 = 0: only the term for noise is left
		if r[0].Size != 0 || (r[1].Size == 0) != math.IsInf(epsilon, 1) {
			t.Errorf("ε = %v: %+v", epsilon, r)
		}
	}
}
