package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// compress writes a file in gzip's form, without its name and time.
func compress(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one of gzip's
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// archives writes an archive for each platform.
func (r *release) archives() error {
	for _, platform := range r.platforms {
		name := "peerd-" + strings.TrimPrefix(r.name, "v") + "-" + strings.ReplaceAll(platform, "/", "-")
		files := map[string]string{"peerd": r.program(platform), "peerd.cdx.json": r.program(platform) + ".cdx.json", "LICENSE": r.path("LICENSE"), "modules.txt": r.path("made", "modules")}
		patterns := []string{"made/man/*", "made/completions/*"}
		if strings.HasPrefix(platform, "linux/") {
			patterns = append(patterns, "deploy/systemd/*")
		}
		for _, pattern := range patterns {
			found, err := filepath.Glob(r.path(pattern))
			if err != nil {
				return err
			}
			for _, file := range found {
				files[path.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))] = file
			}
		}
		to := filepath.Join(r.to, name+".tar.gz")
		if err := archive(to, name, files, r.time); err != nil {
			return err
		}
		r.made = append(r.made, to)
	}
	return nil
}

// archive writes files, by their names, into a folder of an archive. All belong to root and have one time.
func archive(to, folder string, files map[string]string, t time.Time) error {
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one of gzip's
	w := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text, err := os.ReadFile(files[name])
		if err != nil {
			return err
		}
		h := &tar.Header{Name: folder + "/" + name, Mode: 0o644, Size: int64(len(text)), ModTime: t, Uname: "root", Gname: "root", Format: tar.FormatPAX}
		if name == "peerd" {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o644)
}

// sums writes SHA256SUMS, in the form of sha256sum.
func (r *release) sums() error {
	var all strings.Builder
	slices.Sort(r.made)
	for _, file := range r.made {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%x  %s\n", sha256.Sum256(text), filepath.Base(file))
	}
	return os.WriteFile(filepath.Join(r.to, "SHA256SUMS"), []byte(all.String()), 0o644)
}
