package style

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// extra is a line of a list of extras.
var extra = regexp.MustCompile(`(?m)^\t_ "peerd\.dev/(internal/extra/(\w+))".*\n`)

// lists are the files with extras: of every program, and of those that are no release.
func lists() []string {
	return []string{filepath.Join("cmd", "peerd", "extras.go"), filepath.Join("cmd", "peerd", "extras_build.go")}
}

// without returns the file of an overlay in which the lists lack an extra, or all with "".
func without(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	replace := make(map[string]string)
	for i, list := range lists() {
		text := extra.ReplaceAllStringFunc(read(t, list), func(line string) string {
			if m := extra.FindStringSubmatch(line); name == "" || m[2] == name {
				return ""
			}
			return line
		})
		path := require.Value(filepath.Abs(filepath.Join(root, list)))(t)
		replace[path] = filepath.Join(dir, string(rune('a'+i))+".go")
		require.NoError(t, os.WriteFile(replace[path], []byte(text), 0o600))
	}
	b := require.Value(json.Marshal(map[string]any{"Replace": replace}))(t)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return file
}

// linked returns the packages of the command without an extra.
func linked(t *testing.T, without string, args ...string) []string {
	t.Helper()
	return strings.Fields(goList(t, "{{.ImportPath}}", append(append([]string{"-deps", "-overlay", without}, args...), "./cmd/peerd")...))
}

// TestEachExtraIsOneLine: every folder of extras has a line, and without the line the program links it no more. Without all lines it links nothing
// of the laboratory, and no learners, protocols and mechanisms that extras register. scripts/show/extras.sh builds and runs each of these programs.
func TestEachExtraIsOneLine(t *testing.T) {
	var names []string
	for _, list := range lists() {
		for _, m := range extra.FindAllStringSubmatch(read(t, list), -1) {
			names = append(names, m[2])
			if slices.Contains(linked(t, without(t, m[2])), module+m[1]) {
				t.Errorf("without its line the program still links %s", m[1])
			}
		}
	}
	slices.Sort(names)
	folders := require.Value(os.ReadDir(filepath.Join(root, "internal", "extra")))(t)
	var there []string
	for _, f := range folders {
		there = append(there, f.Name())
	}
	if !slices.Equal(names, there) {
		t.Errorf("the lists have %v, internal/extra has %v", names, there)
	}
	for _, name := range linked(t, without(t, "")) {
		for _, never := range []string{"internal/extra/", "internal/lab/", "internal/explain", "node/lab/", "node/api/page", "bandit/linear", "bandit/gram", "bandit/score", "protocol/batches", "protocol/internal/hub", "protocol/running", "dp/mechanism/running", "dp/factor"} {
			if strings.HasPrefix(name, module+never) {
				t.Errorf("the core links %s", name)
			}
		}
	}
}

// TestAReleaseDrawsNothing: it links no modules for pictures and none for Parquet.
func TestAReleaseDrawsNothing(t *testing.T) {
	drawing := regexp.MustCompile(`gonum\.org/v1/plot|fpdf|freetype|sbinet/gg|go-latex|go-fonts|svgo|golang\.org/x/image|parquet-go`)
	packages := strings.Fields(goList(t, "{{.ImportPath}}", "-deps", "-tags=release", "./cmd/peerd"))
	if len(packages) < 400 {
		t.Fatalf("%d packages: the test looks at nothing", len(packages))
	}
	for _, name := range packages {
		if drawing.MatchString(name) {
			t.Errorf("a release links %s", name)
		}
	}
}
