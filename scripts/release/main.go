// Command release builds a release of a commit: static programs, archives, packages, bills of materials and SHA256SUMS.
// It is a module of its own, so that nfpm is no dependency of peerd's.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := new(release)
	flag.StringVar(&r.from, "from", ".", "the repository")
	flag.StringVar(&r.to, "o", "", "folder for the release (default bin/release in the repository)")
	platforms := flag.String("platform", "linux/amd64,linux/arm64,darwin/arm64", "what to build for, separated by commas; each takes minutes of processor time at first")
	flag.BoolVar(&r.head, "head", false, "build the commit although the work tree has changes, which are left out")
	flag.Parse()
	r.platforms = strings.Split(*platforms, ",")
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is what is to be built, and then what is known of it.
type release struct {
	from, to  string
	platforms []string
	head      bool

	ctx    context.Context
	source string // a clone of the commit; what is made for packages is in its folder made
	commit string
	time   time.Time // of the commit, and of everything in archives and packages
	name   string    // the version as Go has it, such as v0.1.0
	made   []string  // files in to
}

func (r *release) run(ctx context.Context) (err error) {
	r.ctx, r.to = ctx, cmp.Or(r.to, filepath.Join(r.from, "bin", "release"))
	if r.to, err = filepath.Abs(r.to); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	for _, step := range []func() error{func() error { return r.clone(tmp) }, r.build, r.accompany, r.licences, r.archives, r.packages, r.sums} {
		if err = step(); err != nil {
			return err
		}
	}
	fmt.Printf("%s of %s is in %s\n", r.name, r.commit[:12], r.to)
	return nil
}

// clone makes a clone of the checked-out commit, so that nothing that is not committed gets into the release, and the Go tool finds
// a repository also where the work tree is one of several.
func (r *release) clone(tmp string) error {
	changes, err := r.output(r.from, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" && !r.head {
		return fmt.Errorf("the work tree has changes; commit them, or leave them out with -head:\n%s", changes)
	}
	if r.commit, err = r.output(r.from, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	r.source = filepath.Join(tmp, "source")
	top, err := filepath.Abs(r.from)
	if err != nil {
		return err
	}
	if _, err = r.output(tmp, "git", "clone", "--quiet", "--no-checkout", top, r.source); err == nil {
		_, err = r.output(r.source, "git", "-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", r.commit)
	}
	if err != nil {
		return err
	}
	seconds, err := r.output(r.source, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	r.time = time.Unix(n, 0).UTC()
	for _, dir := range []string{r.to, r.path("made", "man"), r.path("made", "completions")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// path returns the path of a file of the clone.
func (r *release) path(names ...string) string {
	return filepath.Join(append([]string{r.source}, names...)...)
}

// output runs a program and returns what it prints, without the end of the last line.
func (r *release) output(dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(r.ctx, program, args...)
	var stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, r.environment(), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// environment is the caller's, with everything fixed that changes what the Go tool builds.
func (r *release) environment(more ...string) []string {
	return append(append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10), "CGO_ENABLED=0", "GOFLAGS=-trimpath",
		"GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GODEBUG="), more...)
}
