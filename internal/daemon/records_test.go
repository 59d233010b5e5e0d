package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
	"peerd.dev/node/site"
	"peerd.dev/node/store"
)

// hospital is a peer's folder in a network that replays records.
type hospital struct {
	t       *testing.T
	dir     string
	network *config.Network
	set     map[string]string
}

// patients writes a sheet with records of n patients for every arm.
func patients(t *testing.T, dir string, n int) string {
	t.Helper()
	var b strings.Builder
	drugs := []string{"insulin", "metformin", "acarbose", "chlorpropamide", "glimepiride", "glipizide", "glyburide", "nateglinide", "pioglitazone", "repaglinide", "rosiglitazone", "tolazamide", "tolbutamide", "miglitol", "troglitazone", "examide", "citoglipton", "acetohexamide", "glyburide-metformin", "glipizide-metformin", "glimepiride-pioglitazone", "metformin-rosiglitazone", "metformin-pioglitazone"}
	fmt.Fprintf(&b, "encounter_id,patient_nbr,medical_specialty,%s,readmitted\n", strings.Join(drugs, ","))
	arms := []string{"insulin", "metformin", "acarbose", "glyburide", ""}
	for i := range n * len(arms) {
		cells := slices.Repeat([]string{"No"}, len(drugs))
		if k := slices.Index(drugs, arms[i%len(arms)]); k >= 0 {
			cells[k] = "Steady"
		}
		fmt.Fprintf(&b, "%d,%d,?,%s,%s\n", i, i, strings.Join(cells, ","), []string{"NO", ">30"}[i%2])
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "diabetes"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "diabetes", "diabetic_data.csv"), []byte(b.String()), 0o600))
	return dir
}

func newHospital(t *testing.T) *hospital {
	h := &hospital{t: t, dir: t.TempDir(), network: configtest.ThreeSites()}
	h.set = map[string]string{
		"dir": h.dir, "network": filepath.Join(h.dir, "network.yaml"), "arms": "[a, b, c, d, e]", "privacy.epsilon": "1", "privacy.horizon": "64",
		"privacy.records_per_user": "2", "world.kind": "replay", "world.replay.data": patients(t, t.TempDir(), 60), "rounds.every": "1s",
	}
	id := require.Value(gossip.CreateIdentity(filepath.Join(h.dir, "identity.key")))(t)
	h.network.Peers[0].ID = id.ID()
	return h
}

// open opens the peer's store with the present configuration, and closes it.
func (h *hospital) open() (policy [32]byte, err error) {
	h.t.Helper()
	if err = config.WriteNetwork(h.set["network"], h.network); err != nil {
		h.t.Fatal(err)
	}
	var set []string
	for k, v := range h.set {
		set = append(set, k+"="+v)
	}
	c, err := plan.Schema().Load("", set)
	if err != nil {
		h.t.Fatal(err)
	}
	d, err := NewDeployment(&c.Settings)
	if err != nil {
		return policy, err
	}
	s, err := d.site(slog.New(slog.DiscardHandler), store.Options{}, nil, nil)
	if err != nil {
		return d.policy, err
	}
	return d.policy, s.Close()
}

// TestAFolderKeepsItsRecords: a folder keeps, and the network agrees on, whatever decides which
// records of a world are a site's: another split, cap, file, number of sites or place would hand
// records out again. With the old settings the folder opens.
func TestAFolderKeepsItsRecords(t *testing.T) {
	other := gossip.SeedIdentity([32]byte{9}).ID()
	for what, c := range map[string]struct {
		change func(h *hospital)
		key    string
	}{
		"split": {func(h *hospital) { h.set["world.replay.split"] = "patient" }, "world.replay.split"},
		"cap":   {func(h *hospital) { h.set["world.replay.cap"] = "2" }, "world.replay.cap"},
		"data":  {func(h *hospital) { h.set["world.replay.data"] = patients(h.t, h.t.TempDir(), 61) }, "the hash of the world's data"},
		"world": {func(h *hospital) {
			h.set["world.kind"], h.set["world.gaussian.means"] = "gaussian", "[[1, 2, 3, 4, 5]]"
		}, "world.kind"},
		"joined": {func(h *hospital) {
			h.network.Peers = append(h.network.Peers, config.Member{Name: "west", ID: other, Addrs: []string{"/ip4/127.0.0.1/tcp/8479"}})
			h.network.Links = append(h.network.Links, [2]int{2, 3})
		}, "the number of sites that share the world's data"},
		"place": {func(h *hospital) {
			p := h.network.Peers
			p[0], p[1] = p[1], p[0]
		}, "this peer's place among them"},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHospital(t)
			before, err := h.open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err = h.open(); err != nil {
				t.Fatalf("as it was: %v", err)
			}
			c.change(h)
			after, err := h.open()
			var changed *site.ChangedError
			if !errors.As(err, &changed) || changed.Key != c.key || changed.Was == "" {
				t.Errorf("%v, want that %s is another", err, c.key)
			}
			if after == before {
				t.Error("the policy is the same")
			}
		})
	}
}
