// Package configtest has configurations and network files for tests.
package configtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// Write makes a file in a folder of the test.
func Write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "peerd.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Shipped lists the files of configs in the repository that are configurations and no tables.
func Shipped(root string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(root, "configs", "*.yaml"))
	return slices.DeleteFunc(files, func(name string) bool {
		return slices.Contains([]string{"figures.yaml", "claims.yaml"}, filepath.Base(name))
	}), err
}

// Good is a valid configuration with changes, as they stand in a file. A value
// that is "-" takes the key away.
func Good(changes map[string]string) string {
	values := map[string]string{
		"arms": "[a, b, c]", "privacy.epsilon": "1", "privacy.horizon": "1000",
		"protocol.name": "average", "learner.name": "ucb", "privacy.mechanism": "tree",
		"world.kind": "bernoulli", "world.bernoulli.means": "[[0.2, 0.5, 0.4]]",
	}
	for k, v := range changes {
		if v == "-" {
			delete(values, k)
		} else {
			values[k] = v
		}
	}
	return plan.Schema().Text("A test.\n", values)
}

// ThreeSites is a valid network: a path of three peers.
func ThreeSites() *config.Network {
	n := &config.Network{Name: "clinics", Start: time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC), Every: time.Second, Links: [][2]int{{0, 1}, {1, 2}}}
	for i, name := range []string{"north", "east", "south"} {
		n.Peers = append(n.Peers, config.Member{Name: name, ID: gossip.SeedIdentity([32]byte{byte(i)}).ID(), Addrs: []string{"/ip4/127.0.0.1/tcp/847" + string(rune('1'+i))}})
	}
	return n
}
