package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestBuildTagsAreShown: a binary that was built with faults shows it. The tag of a release leaves extras out and is none of them.
func TestBuildTagsAreShown(t *testing.T) {
	for tags, want := range map[string]string{"": "", "failpoint": "build tags failpoint\n", "failpoint,netgo": "build tags failpoint,netgo\n", "release": "", "failpoint,release": "build tags failpoint\n"} {
		var b debug.BuildInfo
		if tags != "" {
			b.Settings = []debug.BuildSetting{{Key: "-tags", Value: tags}, {Key: "vcs.modified", Value: "true"}}
		}
		doc := InfoOf(&b)
		var text strings.Builder
		doc.Write(&text)
		if shown := strings.TrimPrefix(strings.TrimSuffix(want, "\n"), "build tags "); doc.Tags != shown || !strings.HasSuffix(text.String(), want) || want == "" && strings.Contains(text.String(), "tags") {
			t.Errorf("%q: %+v\n%s", tags, doc, text.String())
		}
	}
}

// TestOnlyAReleaseCanBeRepeated: a program with changes, tags or paths of a machine has no command that builds it again.
func TestOnlyAReleaseCanBeRepeated(t *testing.T) {
	release := map[string]string{"-tags": "release", "-trimpath": "true", "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": "arm64", "vcs.revision": "c0ffee", "vcs.modified": "false"}
	for name, change := range map[string][2]string{
		"": {"GOARCH", "arm64"}, "changes": {"vcs.modified", "true"}, "tags": {"-tags", "failpoint,release"}, "paths": {"-trimpath", ""}, "cgo": {"CGO_ENABLED", "1"}, "commit": {"vcs.revision", ""},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.6"}
		for k, v := range release {
			if k != change[0] {
				info.Settings = append(info.Settings, debug.BuildSetting{Key: k, Value: v})
			}
		}
		info.Settings = append(info.Settings, debug.BuildSetting{Key: change[0], Value: change[1]})
		got := InfoOf(info)
		if (got.Command != "") != (name == "") || got.Platform != "linux/arm64" || name == "" && !strings.HasPrefix(got.Command, "GOTOOLCHAIN=go1.26.6 GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build -trimpath -buildvcs=true -tags=release ") {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
