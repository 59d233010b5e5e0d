package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/configtest"
	"peerd.dev/internal/require"
)

// TestConfigurationPage shows that the pages about the configuration agree with the code. After a
// change of the schema: go test ./cmd/peerd -run TestConfigurationPage -update.
func TestConfigurationPage(t *testing.T) {
	for name, want := range map[string]string{
		"docs/configuration.md": configurationPage(),
		"docs/exit-codes.md":    exitCodesPage(),
		"configs/peerd.yaml":    exampleConfig(),
		"docs/protocols.md":     protocolsPage(t),
	} {
		path := filepath.Join("..", "..", filepath.FromSlash(name))
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		}
		got := require.Value(os.ReadFile(path))(t)
		if string(got) != want {
			t.Errorf("%s is not what the schema says; run: go test ./cmd/peerd -run TestConfigurationPage -update", name)
		}
	}
}

func TestShippedConfigurationsAreGood(t *testing.T) {
	files, err := configtest.Shipped("../..")
	if err != nil || len(files) == 0 {
		t.Fatal("no configurations", err)
	}
	for _, file := range files {
		if c, stdout, stderr := peerd(t, "config", "check", "-c", file); c != exitOK || !strings.HasPrefix(stdout, "ok: ") {
			t.Errorf("%s: code %d\n%s%s", file, c, stdout, stderr)
		}
	}
}
