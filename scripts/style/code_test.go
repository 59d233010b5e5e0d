package style

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

var (
	span     = regexp.MustCompile("`([^`]+)`")
	goFile   = regexp.MustCompile(`^(bandit|cmd|dp|gossip|node|protocol|scripts)/[\w/.]*\.(go|sh|yaml|md)$`)
	ofAType  = regexp.MustCompile(`^([A-Z]\w*)\.([A-Z]\w*)$`)
	setting  = regexp.MustCompile(`^((?:privacy|learner|protocol|rounds|world|api|store|testnet|experiment|log)\.[a-z_.]+)(?:[:=].*)?$`)
	set      = regexp.MustCompile(`--set '?([a-z_.]+=)`)
	exported = regexp.MustCompile(`^((?:\w+/)*)([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?$`)
)

// namesEnded reports whether code is a setting that has ended, with a value or without.
func namesEnded(code string, ended []byte) bool {
	m := setting.FindStringSubmatch(code)
	return m != nil && bytes.Contains(ended, []byte(`"`+m[1]+`"`))
}

// TestCodeInDocumentsExists says that files, exported names and settings that a document puts
// in code type are in the tree. The page of settings is generated from the schema.
func TestCodeInDocumentsExists(t *testing.T) {
	all := files(t)
	packages := make(map[string]map[string]bool) // declared names by the last part of a folder
	anywhere := make(map[string]bool)
	for _, file := range all {
		if path.Ext(file) != ".go" || strings.Contains(file, "testdata/") {
			continue
		}
		in := path.Base(path.Dir(file))
		if packages[in] == nil {
			packages[in] = make(map[string]bool)
		}
		for _, d := range declarations(t, file) {
			packages[in][d.name], anywhere[d.name] = true, true
		}
	}
	page := require.Value(os.ReadFile(filepath.Join(root, "docs/configuration.md")))(t)
	ended := require.Value(os.ReadFile(filepath.Join(root, "internal/config/ended.go")))(t)
	exists := func(code string) bool {
		if m := setting.FindStringSubmatch(code); m != nil {
			return strings.Contains(string(page), "`"+m[1]+"`") || strings.Contains(string(page), "`"+m[1]+".") || slices.Contains([]string{"api.token", "api.read.token", "api.write.token", "store.watermark", "privacy.txt", "privacy.json"}, m[1]) // files
		}
		if goFile.MatchString(code) {
			return slices.Contains(all, code)
		}
		if m := exported.FindStringSubmatch(code); m != nil && packages[m[2]] != nil {
			return packages[m[2]][m[3]] && (m[4] == "" || packages[m[2]][m[4]])
		}
		if m := ofAType.FindStringSubmatch(code); m != nil {
			return anywhere[m[1]] && anywhere[m[2]]
		}
		return true // not a name of ours
	}
	for _, file := range all {
		if filepath.Ext(file) != ".md" {
			continue
		}
		b := require.Value(os.ReadFile(filepath.Join(root, file)))(t)
		for i, l := range strings.Split(string(b), "\n") {
			for _, m := range append(span.FindAllStringSubmatch(l, -1), set.FindAllStringSubmatch(l, -1)...) {
				if !exists(m[1]) && (!slices.Contains([]string{"CHANGELOG.md", "docs/upgrading.md"}, file) || !namesEnded(m[1], ended)) {
					t.Errorf("%s:%d: %s is not there", file, i+1, m[1])
				}
			}
		}
	}
}
