package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the two kinds of packages
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packages writes a deb and an rpm for each platform of Linux, as deploy/package/nfpm.yaml describes them.
func (r *release) packages() error {
	if err := compress(r.path("made", "modules"), r.path("made", "modules.gz")); err != nil {
		return err
	}
	if err := os.Chdir(r.source); err != nil { // nfpm takes files from here
		return err
	}
	for _, platform := range r.platforms {
		arch, ok := strings.CutPrefix(platform, "linux/")
		if !ok {
			continue
		}
		if err := compress(r.program(platform)+".cdx.json", "made/peerd.cdx.json.gz"); err != nil {
			return err
		}
		for _, kind := range []string{"deb", "rpm"} {
			if err := r.pack(kind, arch, r.program(platform)); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack writes one package. Every file has the commit's time and, as far as the description does not say more, mode 0644.
func (r *release) pack(kind, arch, program string) error {
	values := map[string]string{"ARCH": arch, "VERSION": packageVersion(r.name), "PROGRAM": program}
	config, err := nfpm.ParseFileWithEnvMapping("deploy/package/nfpm.yaml", func(name string) string { return values[name] })
	if err != nil {
		return err
	}
	info, err := config.Get(kind)
	if err != nil {
		return err
	}
	info.MTime, info.Umask = r.time, 0o022
	info = nfpm.WithDefaults(info)
	if kind == "deb" {
		info.License = "" // has no such field
	}
	for _, c := range info.Contents {
		if c.FileInfo == nil && c.Type != "dir" {
			c.FileInfo = &files.ContentFileInfo{Mode: 0o644}
		}
	}
	p, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	file := filepath.Join(r.to, p.ConventionalFileName(info))
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := p.Package(info, f); err != nil {
		return err
	}
	r.made = append(r.made, file)
	return f.Close()
}

var pseudo = regexp.MustCompile(`[-+]`)

// packageVersion returns the version in the form of packages: v0.1.1-0.20261127083034-946c355fabcd, which is before v0.1.1, is
// 0.1.1~0.20261127083034.946c355fabcd.
func packageVersion(name string) string {
	base, before, ok := strings.Cut(strings.TrimPrefix(name, "v"), "-")
	if !ok {
		return base
	}
	return base + "~" + pseudo.ReplaceAllString(before, ".")
}
