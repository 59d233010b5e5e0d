package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
	"peerd.dev/node/site"
)

// TestAFolderGoesOnWithAnOldDefault: a folder that an earlier build began with a mechanism and a learner that were the
// defaults then, and that its file does not name, goes on with them, for as long as nothing sets another.
func TestAFolderGoesOnWithAnOldDefault(t *testing.T) {
	dir, n := filepath.Join(t.TempDir(), "a"), configtest.ThreeSites()
	require.NoError(t, os.Mkdir(dir, 0o700))
	id, err := gossip.CreateIdentity(filepath.Join(dir, "identity.key"))
	if err != nil {
		t.Fatal(err)
	}
	n.Peers[0].ID = id.ID()
	file := filepath.Join(dir, "network.yaml")
	require.NoError(t, config.WriteNetwork(file, n))
	set := []string{"dir=" + dir, "network=" + file, "arms=a,b", "privacy.epsilon=1", "privacy.horizon=64", "protocol.name=rows", "protocol.rows.merge=trimmed"}
	open := func(more ...string) (mechanism, learner string, err error) {
		c := require.Value(plan.Schema().Load("", append(more, set...)))(t)
		d, err := Open(c, Options{}, slog.New(slog.DiscardHandler))
		if err != nil {
			return "", "", err
		}
		s := d.deployment.s
		return s.Privacy.Mechanism, s.Learner.Name, d.Close()
	}
	want := func(mechanism, learner string, more ...string) {
		t.Helper()
		if m, l, wrong := open(more...); m != mechanism || l != learner || wrong != nil {
			t.Errorf("%v: mechanism %q, learner %q, %v; want %q, %q", more, m, l, wrong, mechanism, learner)
		}
	}
	want("tree", "imed", "privacy.mechanism=tree", "learner.name=imed")
	want("tree", "imed")
	want("tree", "imed", "learner.name=imed")
	var changed *site.ChangedError
	if _, _, err = open("privacy.mechanism=kary"); !errors.As(err, &changed) || changed.Was != "tree" {
		t.Errorf("with another mechanism: %v", err)
	}
}

// TestASignedNetworkKeepsAnOldDefault: what a signed document says goes before defaults.
func TestASignedNetworkKeepsAnOldDefault(t *testing.T) {
	dir := t.TempDir()
	id, err := gossip.CreateIdentity(filepath.Join(dir, "identity.key"))
	if err != nil {
		t.Fatal(err)
	}
	set := []string{"dir=" + dir, "arms=a,b", "privacy.epsilon=1", "privacy.horizon=64", "protocol.name=rows"}
	load := func(more ...string) *config.Config {
		return require.Value(plan.Schema().Load("", append(more, set...)))(t)
	}
	c := load()
	if c.Privacy.Mechanism != "kary" {
		t.Fatalf("the default is %s", c.Privacy.Mechanism)
	}
	n := configtest.ThreeSites()
	d := network.Document{Version: 1, Name: n.Name, Start: n.Start, Every: "1s", Settings: load("privacy.mechanism=tree").SharedSettings(), Links: n.Links, Signers: []network.Signer{{Name: n.Peers[0].Name, ID: n.Peers[0].ID}}}
	for _, m := range n.Peers {
		d.Peers = append(d.Peers, network.Peer{Name: m.Name, ID: m.ID, Addrs: m.Addrs, Standing: network.Present})
	}
	d.Peers[0].ID = id.ID()
	require.NoError(t, CreateRecord(filepath.Join(dir, config.DocumentName), network.State{Root: marshal(t, d)}))
	if c = load(); c.Privacy.Mechanism != "tree" || c.From["privacy.mechanism"] != config.FromNetwork {
		t.Errorf("mechanism %s by %s", c.Privacy.Mechanism, c.From["privacy.mechanism"])
	}
	if c = load("privacy.mechanism=kary"); c.Privacy.Mechanism != "kary" {
		t.Errorf("--set counts for nothing: %s", c.Privacy.Mechanism)
	}
}
