package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestBuildTagsAreShown: a binary that was built with faults shows it.
func TestBuildTagsAreShown(t *testing.T) {
	for tags, want := range map[string]string{"": "", "failpoint": "build tags failpoint\n", "failpoint,netgo": "build tags failpoint,netgo\n"} {
		var b debug.BuildInfo
		if tags != "" {
			b.Settings = []debug.BuildSetting{{Key: "-tags", Value: tags}, {Key: "vcs.modified", Value: "true"}}
		}
		doc := InfoOf(&b)
		var text strings.Builder
		doc.Write(&text)
		if doc.Tags != tags || !strings.HasSuffix(text.String(), want) || tags == "" && strings.Contains(text.String(), "tags") {
			t.Errorf("%q: %+v\n%s", tags, doc, text.String())
		}
	}
}
