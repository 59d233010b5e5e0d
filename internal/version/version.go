// Package version reports what a binary was built from.
package version

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// An Info describes what a binary was built from. Fields that the Go tool did not record are
// empty.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified"`
	Tags     string `json:"tags,omitempty"` // of the build, separated by commas, without the one of a release, which leaves extras out
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Command  string `json:"command,omitempty"` // builds the same bytes of that commit; a release has one
}

// Read returns what the Go tool recorded about this binary.
func Read() Info { return InfoOf(Build()) }

// Build returns the record of the Go tool about this binary.
func Build() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return info
}

// InfoOf returns the content of a record of the Go tool.
func InfoOf(info *debug.BuildInfo) Info {
	set := make(map[string]string)
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	tags, released := strings.Split(set["-tags"], ","), ""
	if i := slices.Index(tags, "release"); i >= 0 {
		tags, released = slices.Delete(tags, i, i+1), " -tags=release"
	}
	doc := Info{
		Version:  cmp.Or(info.Main.Version, "unknown"),
		Revision: set["vcs.revision"],
		Time:     set["vcs.time"],
		Modified: set["vcs.modified"] == "true",
		Tags:     strings.Join(tags, ","),
		Go:       cmp.Or(info.GoVersion, runtime.Version()),
		Platform: cmp.Or(set["GOOS"], runtime.GOOS) + "/" + cmp.Or(set["GOARCH"], runtime.GOARCH),
	}
	// The Go tool records no flags of the linker with -trimpath, so this is how scripts/release.sh builds.
	if set["-trimpath"] == "true" && set["CGO_ENABLED"] == "0" && doc.Revision != "" && !doc.Modified && doc.Tags == "" {
		doc.Command = fmt.Sprintf(`GOTOOLCHAIN=%s GOOS=%s GOARCH=%s CGO_ENABLED=0 go build -trimpath -buildvcs=true%s -ldflags="-s -w -buildid=" ./cmd/peerd`,
			doc.Go, set["GOOS"], set["GOARCH"], released)
	}
	return doc
}

func (d Info) Write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "peerd %s %s %s\n", d.Version, d.Go, d.Platform)
	if d.Revision != "" {
		_, _ = fmt.Fprintf(w, "commit %s of %s", d.Revision, d.Time)
		if d.Modified {
			_, _ = fmt.Fprint(w, ", with changes")
		}
		_, _ = fmt.Fprintln(w)
	}
	if d.Tags != "" {
		_, _ = fmt.Fprintf(w, "build tags %s\n", d.Tags)
	}
	if d.Command != "" {
		_, _ = fmt.Fprintf(w, "the same bytes: git checkout --detach %.12s && %s\n", d.Revision, d.Command)
	}
}
