package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// build builds the programs, and learns the version from them.
func (r *release) build() error {
	for _, platform := range r.platforms {
		system, arch, ok := strings.Cut(platform, "/")
		if !ok {
			return fmt.Errorf("platform %q; want a system and an architecture, such as linux/amd64", platform)
		}
		file := r.program(platform)
		if err := r.compile(platform, []string{"GOOS=" + system, "GOARCH=" + arch}, "-tags=release", "-ldflags=-s -w -buildid=", "-o", file); err != nil {
			return err
		}
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+dirty") {
			return fmt.Errorf("the Go tool gives version %q; want one from the tags of the repository", info.Main.Version)
		}
		r.name = info.Main.Version
		r.made = append(r.made, file)
	}
	return nil
}

// program is the file of the program for a platform.
func (r *release) program(platform string) string {
	return filepath.Join(r.to, "peerd-"+strings.ReplaceAll(platform, "/", "-"))
}

// compile runs go build for peerd, two compilers at a time.
func (r *release) compile(what string, env []string, args ...string) error {
	begin := time.Now()
	cmd := exec.CommandContext(r.ctx, "go", append(append([]string{"build", "-p=2", "-trimpath", "-buildvcs=true"}, args...), "./cmd/peerd")...)
	cmd.Dir, cmd.Env, cmd.Stderr = r.source, r.environment(env...), os.Stderr
	fmt.Printf("%s ... ", what)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	fmt.Printf("%.0f s\n", time.Since(begin).Seconds())
	return nil
}

// accompany makes the manual pages, the completions and the bills of materials.
func (r *release) accompany() error {
	tool, dir := r.path("made", "tool"), r.path("made", "completions")
	if err := r.compile("manual pages and completions", nil, "-tags=release,accompany", "-ldflags=-s", "-o", tool); err != nil {
		return err
	}
	if _, err := r.output(r.source, tool, append([]string{dir}, r.made...)...); err != nil {
		return err
	}
	for _, file := range slices.Clone(r.made) {
		r.made = append(r.made, file+".cdx.json")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := compress(page, r.path("made", "man", filepath.Base(page)+".gz")); err != nil {
			return err
		}
		if err := os.Remove(page); err != nil {
			return err
		}
	}
	return r.changelog()
}

// changelog writes the entry of the package's changelog.
func (r *release) changelog() error {
	text := fmt.Sprintf("- semver: %s\n  date: %s\n  packager: peerd maintainers <noreply@peerd.dev>\n  deb: {urgency: medium, distributions: [unstable]}\n  changes:\n    - note: Commit %s.\n",
		packageVersion(r.name)+"-1", r.time.Format(time.RFC3339), r.commit)
	return os.WriteFile(r.path("made", "changelog.yaml"), []byte(text), 0o644)
}

// licences collects the texts of the licences of all modules that are linked into a program, which those who pass the program
// on have to pass on as well.
func (r *release) licences() error {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for _, platform := range r.platforms {
		info, err := buildinfo.ReadFile(r.program(platform))
		if err != nil {
			return err
		}
		for _, m := range info.Deps {
			args = append(args, m.Path)
		}
	}
	slices.Sort(args[4:])
	modules, err := r.output(r.source, "go", append(args[:4:4], slices.Compact(args[4:])...)...)
	if err != nil {
		return err
	}
	root, err := r.output(r.source, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	var all strings.Builder
	all.WriteString("The licences of the modules that are linked into peerd.\n")
	for line := range strings.Lines("standard library of Go\t" + root + "\n" + modules) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		found := false
		for _, e := range entries {
			if !licence.MatchString(e.Name()) || e.IsDir() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "\n==== %s: %s\n\n%s\n", name, e.Name(), strings.TrimSpace(string(text)))
			found = true
		}
		if !found {
			return fmt.Errorf("no licence of %s in %s", name, dir)
		}
	}
	return os.WriteFile(r.path("made", "modules"), []byte(all.String()), 0o644)
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)
