package daemon

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/site"
)

// TestBuildTagsAreInTheLedger: a program that was built with tags says so in its ledger, and does
// not continue with the folder of a program without them.
func TestBuildTagsAreInTheLedger(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "network.yaml")
	require.NoError(t, config.WriteNetwork(file, &config.Network{
		Name: "lockstep", Start: time.Now(), Every: time.Second, Links: [][2]int{{0, 1}},
		Peers: []config.Member{{Name: "north", ID: config.LockstepIdentity(1).ID()}, {Name: "south", ID: config.LockstepIdentity(2).ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/4001"}}},
	}))
	c := require.Value(plan.Schema().Load("", []string{
		"mode=lockstep", "seed=1", "dir=" + dir, "network=" + file, "arms=red,green", "privacy.epsilon=1", "privacy.horizon=50",
		"world.kind=bernoulli", "world.bernoulli.means=[[0.2, 0.8]]", "testnet.nodes=2", "testnet.topology=path",
	}))(t)
	d := require.Value(NewDeployment(&c.Settings))(t)
	for _, tags := range []string{"", "failpoint"} {
		d.tags = tags
		pin := slices.Index(d.pinned(), site.Pinned{Key: "build tags", Value: tags})
		if d.genesis().Tags != tags || (pin < 0) != (tags == "") {
			t.Errorf("tags %q: %+v, number %d of %+v", tags, d.genesis(), pin, d.pinned())
		}
	}
}

// TestASubjectCountsAsOftenAsIsCharged: a site counts as many records of a user as the budget pays for.
func TestASubjectCountsAsOftenAsIsCharged(t *testing.T) {
	for k := range uint64(3) {
		var s config.Settings
		s.Privacy.RecordsPerUser = k + 1
		if got := rules(&s).PerSubject; got != k+1 {
			t.Errorf("%d records of a subject count, and %d are charged for", got, k+1)
		}
	}
}
