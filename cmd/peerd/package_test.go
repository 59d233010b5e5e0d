package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"peerd.dev/internal/require"
)

// TestPackageHasWhatTheServiceNeeds: the list of a package names files that are there, and its unit, its user and its folder agree.
func TestPackageHasWhatTheServiceNeeds(t *testing.T) {
	read := func(name string) string {
		text := require.Value(os.ReadFile(filepath.Join("../..", name)))(t)
		return string(text)
	}
	var list struct {
		Contents []struct{ Src, Dst string }
		Scripts  map[string]string
	}
	require.NoError(t, yaml.Unmarshal([]byte(read("deploy/package/nfpm.yaml")), &list))
	got := make(map[string]bool)
	for _, c := range list.Contents {
		if got[c.Dst] = true; c.Src != "" && c.Src != "${PROGRAM}" && !strings.HasPrefix(c.Src, "made/") {
			read(c.Src)
		}
	}
	for _, script := range list.Scripts {
		read(script)
	}
	unit, user, folder := read("deploy/systemd/peerd.service"), read("deploy/systemd/peerd.sysusers"), read("deploy/systemd/peerd.tmpfiles")
	field := func(key string) string {
		m := regexp.MustCompile(`\n` + key + `=(\S+)`).FindStringSubmatch(unit)
		if m == nil {
			t.Fatalf("the unit has no %s", key)
		}
		return m[1]
	}
	state := "/var/lib/" + field("StateDirectory")
	for what, ok := range map[string]bool{
		"the program":    got[field("ExecStart")],
		"the unit":       got["/usr/lib/systemd/system/peerd.service"],
		"the user":       got["/usr/lib/sysusers.d/peerd.conf"] && strings.Contains(user, "\nu "+field("User")+" ") && strings.Contains(user, " "+state+" "),
		"the folder":     got["/usr/lib/tmpfiles.d/peerd.conf"] && strings.Contains(folder, "\nd "+state+" "+field("StateDirectoryMode")+" "+field("User")+" "+field("Group")+" "),
		"its own folder": strings.Contains(unit, "run --dir "+state+"\n"),
		"its settings":   got["/etc/peerd"] && field("EnvironmentFile") == "-/etc/peerd/environment",
	} {
		if !ok {
			t.Errorf("%s differs between the package and the service", what)
		}
	}
}
