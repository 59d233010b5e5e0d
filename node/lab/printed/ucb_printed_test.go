package printed

import (
	"math"
	"testing"

	"peerd.dev/bandit"
	"peerd.dev/bandit/belief"
)

func TestUCBRadiusIsFormula12(t *testing.T) {
	const peers, scale, terms, n, round = 3, 14., 10., 400., 998 // of node noise; at most ⌈log₂ 1000⌉ nodes in a prefix
	l, err := UCBParams{}.New(bandit.Config{Arms: 1, Peers: peers})
	if err != nil {
		t.Fatal(err)
	}
	b := belief.New(1, 1)
	b.SampleVar[0], b.Pulls[0] = 1/n, n
	b.LaplaceSumSq[0], b.LaplaceMax[0] = 3*scale*scale/(n*n), scale/n // 3 nodes in the prefix of n pulls
	got := l.(*UCB).Radii(nil, &b, round)[0]
	want := math.Sqrt(2 * peers * (1/n + 128*peers*scale*scale*terms*math.Log(n)/(n*n)) * math.Log(1000))
	if math.Abs(got.Size-want) > 1e-12*want || got.Miss != 2./(1000*1000) {
		t.Errorf("%+v, want %v", got, want)
	}
	b.Pulls[0] = (3+1)*peers - 1
	if got = l.(*UCB).Radii(nil, &b, round)[0]; got.Miss != 1 {
		t.Errorf("%+v, where Lemma 6 promises nothing", got)
	}
}
