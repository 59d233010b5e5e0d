// Package version reports what this binary was built from.
package version

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// An Info describes what a binary was built from. Fields that the Go tool did not record are
// empty.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified"`
	Tags     string `json:"tags,omitempty"` // of the build, separated by commas; a release has none
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read returns what the Go tool recorded about this binary.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return infoOf(info)
}

// infoOf returns the content of a record of the Go tool.
func infoOf(info *debug.BuildInfo) Info {
	doc := Info{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info.Main.Version != "" {
		doc.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			doc.Revision = s.Value
		case "vcs.time":
			doc.Time = s.Value
		case "vcs.modified":
			doc.Modified = s.Value == "true"
		case "-tags":
			doc.Tags = s.Value
		}
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
}
