package lab

import (
	"testing"

	"peerd.dev/internal/command"
	"peerd.dev/internal/lab/plan"
)

// TestAnyNumberOfSitesTakesTheRowsInTurn: -n is valid with a configuration that has rows of means
// for fewer sites.
func TestAnyNumberOfSitesTakesTheRowsInTurn(t *testing.T) {
	for n, last := range map[int]float64{20: .4, 7: .6, 5: .4} {
		o := &command.App{Config: "../../../configs/testnet.yaml"}
		(testnetOptions{nodes: n}).apply(o)
		c, err := o.Load()
		if err != nil {
			t.Fatal(err)
		}
		source, err := plan.OpenWorld(&c.Settings, n)
		if err != nil {
			t.Fatal(err)
		}
		s, err := plan.SitesOfNetwork(source)
		if err != nil {
			t.Fatal(err)
		}
		if rows := s.Means; len(rows) != n || rows[n-1][0] != last {
			t.Errorf("%d sites: means %v, want the last to begin with %v", n, rows, last)
		}
	}
}
