package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestExplainIsAPage compares whole pages, of an application and of a simulated world.
func TestExplainIsAPage(t *testing.T) {
	for name, args := range map[string][]string{
		"application": {"-c", "../../configs/application.yaml", "--set", "privacy.records_per_user=3", "--set", "api.settle=arrival", "--set", "api.reward_range=[-1, 3]", "--set", "spare_arms=2"},
		"testnet":     {"../../configs/testnet.yaml"},
		"features":    {"../../configs/ldp-fedlinucb.yaml"},
		"centred":     {"../../configs/ldp-fedlinucb.yaml", "--set", "learner.linucb.records=centred"},
		"relay":       {"../../configs/relay.yaml", "--set", "privacy.adjacency=zero-out"},
		"lockstep":    {"../../configs/rows.yaml", "--set", "mode=lockstep", "--set", "seed=1"},
		"average":     {"../../configs/average.yaml"},
		"counts": {
			"-c", "../../configs/application.yaml", "--set", "privacy.counts=noised", "--set", "protocol.name=rows", "--set", "api.min_exposures=0",
			"--set", "api.reward=last",
		},
		"inside": {
			"-c", "../../configs/application.yaml", "--set", "privacy.answers=inside", "--set", "privacy.inside=8", "--set", "protocol.name=phases", "--set", "privacy.mechanism=each",
			"--set", "learner.name=personalized", "--set", "api.reward=sum",
		},
		"gaussian": {
			"../../configs/rows.yaml", "--set", "privacy.mechanism=tree-gaussian", "--set", "privacy.delta=0.00001",
			"--set", "privacy.adjacency=zero-out",
		},
	} {
		c, page, trouble := peerd(t, append([]string{"privacy", "explain"}, args...)...)
		if c != exitOK {
			t.Fatalf("code %d: %s", c, trouble)
		}
		page = regexp.MustCompile("(  - (Printed|Program|Settings): ).*").ReplaceAllString(page, "${1}…")
		file := filepath.Join("testdata", "privacy", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
		}
		want := require.Value(os.ReadFile(file))(t)
		if page != string(want) {
			t.Errorf("%s differs; -update writes it anew. Got:\n%s", file, page)
		}
		for line := range strings.Lines(page) {
			if n := len([]rune(line)); n > 88+1 {
				t.Errorf("%d letters in %q", n, line)
			}
		}
	}
}

// TestAnAuditorRepeatsTheHashOfSettings: of the bytes that config show --yaml prints.
func TestAnAuditorRepeatsTheHashOfSettings(t *testing.T) {
	_, text, _ := peerd(t, "config", "show", "--yaml", "../../configs/rows.yaml")
	_, page, _ := peerd(t, "privacy", "explain", "../../configs/rows.yaml")
	if want := fmt.Sprintf("SHA-256 %x", sha256.Sum256([]byte(text))); !strings.Contains(page, want) || text == "" {
		t.Errorf("the page has no %s:\n%s", want, page)
	}
}
