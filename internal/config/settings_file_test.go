package config_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"peerd.dev/internal/lab/plan"
)

// TestSettingsAsAFileAreTheSame: read again, from another folder, they are the same file, and a comment or a default that is
// written out changes nothing of it.
func TestSettingsAsAFileAreTheSame(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	read := 0
	for _, file := range files {
		c, err := plan.Schema().Load(file, []string{"privacy.accept_weak=true"})
		if err != nil {
			continue // figures and claims, which list configurations
		}
		read++
		text := c.AsFile()
		again, err := plan.Schema().LoadText("settings.yaml", append([]byte("# a comment\n"), text...), []string{"dir=elsewhere"})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if !bytes.Equal(again.AsFile(), text) || strings.Contains(string(text), "\ndir:") || again.FileHash() != c.FileHash() {
			t.Errorf("%s: other settings:\n%s\n%s", file, text, again.AsFile())
		}
		other, err := plan.Schema().Load(file, []string{"privacy.accept_weak=true", "api.window=7m"})
		if err == nil && other.FileHash() == c.FileHash() {
			t.Errorf("%s: another window has the same hash", file)
		}
	}
	if read < 20 {
		t.Errorf("%d of %d files were read", read, len(files))
	}
}
