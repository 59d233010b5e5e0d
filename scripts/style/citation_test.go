package style

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"peerd.dev/internal/require"
)

// TestTheCitationIsValid, by the fields of version 1.2.0 of the Citation File Format that it uses, and names the newest
// release of the changelog and the license of the repository.
func TestTheCitationIsValid(t *testing.T) {
	b, err := os.ReadFile("../../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Format  string `yaml:"cff-version"`
		Message string
		Title   string
		Type    string
		Authors []struct{ Name string }
		Version string
		// The format wants a date; YAML reads an unquoted one as a time.
		Released time.Time `yaml:"date-released"`
		License  string
		Abstract string
		Keywords []string
	}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&c))
	if c.Format != "1.2.0" || c.Message == "" || c.Title == "" || c.Type != "software" || len(c.Authors) == 0 || c.Authors[0].Name == "" || c.Abstract == "" {
		t.Errorf("%+v", c)
	}
	seen := make(map[string]bool)
	for _, k := range c.Keywords {
		if k == "" || seen[k] {
			t.Errorf("keyword %q is empty or there twice", k)
		}
		seen[k] = true
	}
	changes := require.Value(os.ReadFile("../../CHANGELOG.md"))(t)
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d)$`).FindStringSubmatch(string(changes))
	if newest == nil || c.Version != newest[1] || c.Released.Format(time.DateOnly) != newest[2] {
		t.Errorf("version %s of %s, and the changelog's newest is %q", c.Version, c.Released.Format(time.DateOnly), newest)
	}
	license, err := os.ReadFile("../../LICENSE")
	if err != nil || c.License != "Apache-2.0" || !strings.Contains(string(license), "Version 2.0, January 2004") {
		t.Errorf("license %s: %v", c.License, err)
	}
}
