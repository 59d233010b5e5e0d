package bill

import (
	"encoding/json"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
	"peerd.dev/internal/version"
)

// TestLicencesAreThoseOfTheModules: the table of licences and go.mod name the same modules.
func TestLicencesAreThoseOfTheModules(t *testing.T) {
	text := require.Value(os.ReadFile("../../../go.mod"))(t)
	got := licenceTable()
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+`).FindAllStringSubmatch(string(text), -1) {
		if got[m[1]] == "" {
			t.Errorf("licences.txt has no line for %s", m[1])
		}
		delete(got, m[1])
	}
	for path := range got {
		t.Errorf("licences.txt has a line for %s, which go.mod does not require", path)
	}
}

// TestBill has the commit's time, references that occur once and are all depended on, licences and sums; equal binaries have equal bills.
func TestBill(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.6", Main: debug.Module{Path: "peerd.dev", Version: "v0.1.0"},
		Deps: []*debug.Module{
			{Path: "github.com/DataDog/zstd", Version: "v1.5.7", Sum: "h1:a="},
			{Path: "golang.org/x/sys", Version: "v0.50.0", Replace: &debug.Module{Path: "example.com/sys", Version: "v0.50.1+incompatible", Sum: "h1:b="}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-26T14:52:30Z"}},
	}
	got := require.Value(json.Marshal(Of(info)))(t)
	for _, want := range []string{
		`"specVersion":"1.6"`, `"timestamp":"2026-11-26T14:52:30Z"`, `"version":"v0.1.0","licenses":[{"expression":"Apache-2.0"}]`,
		`"purl":"pkg:golang/std@1.26.6"`, `"purl":"pkg:golang/github.com/datadog/zstd@v1.5.7","properties":[{"name":"peerd:go.sum","value":"h1:a="}]`,
		`"name":"golang.org/x/sys","version":"v0.50.1+incompatible","purl":"pkg:golang/example.com/sys@v0.50.1%2Bincompatible"`,
		`"dependencies":[{"ref":"pkg:golang/peerd.dev@v0.1.0","dependsOn":["pkg:golang/std@1.26.6","pkg:golang/github.com/datadog/zstd@v1.5.7",`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	var refs []string
	for _, c := range Of(version.Build()).Components {
		refs = append(refs, c.Ref)
	}
	if slices.Sort(refs); len(refs) != len(slices.Compact(slices.Clone(refs))) {
		t.Errorf("a reference occurs twice in %q", refs)
	}
}
