package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A keptFile has outcomes, so that a run that was ended goes on. Its lines have a hash of all that a mutant's outcome follows from, the
// mutant's id and the outcome.
type keptFile struct {
	outcomes map[string]outcome // by hash and id
	packages map[string]string  // hashes of packages with all that their tests are built of
	file     *os.File           // nil without one
}

func openKept(path string) (*keptFile, error) {
	k := &keptFile{outcomes: make(map[string]outcome), packages: make(map[string]string)}
	if path == "" {
		return k, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 {
			k.outcomes[f[0]+" "+f[1]] = outcome(f[2])
		}
	}
	k.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return k, err
}

// key returns the hash and the id of a mutant.
func (k *keptFile) key(ctx context.Context, m *mutant) (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%+v", *m)
	for _, p := range m.packages {
		if k.packages[p] == "" {
			sum, err := hashOf(ctx, p)
			if err != nil {
				return "", err
			}
			k.packages[p] = sum
		}
		_, _ = io.WriteString(h, k.packages[p])
	}
	return fmt.Sprintf("%.8x %s", h.Sum(nil), m.id), nil
}

// hashOf returns a hash of the files of this module from which the tests of a package are built, and of its testdata.
func hashOf(ctx context.Context, pkg string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-json=Dir,Module,GoFiles,EmbedFiles,ForTest", pkg).Output()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	add := func(name string) error {
		b, failed := os.ReadFile(name)
		_, _ = fmt.Fprintf(h, "%s %d %x\n", strings.TrimPrefix(name, here), len(b), sha256.Sum256(b))
		return failed
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			Dir, ForTest        string
			GoFiles, EmbedFiles []string
			Module              *struct{ Main bool }
		}
		if err = d.Decode(&p); err != nil {
			return "", err
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, name := range append(p.GoFiles, p.EmbedFiles...) {
			if !filepath.IsAbs(name) { // the main file of the tests is made by the build
				if err = add(filepath.Join(p.Dir, name)); err != nil {
					return "", err
				}
			}
		}
	}
	err = filepath.WalkDir(filepath.Join(pkg, "testdata"), func(name string, e fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return add(name)
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// keep keeps an outcome that is as it should be.
func (k *keptFile) keep(ctx context.Context, t *trial) {
	if k.file == nil || !t.good() {
		return
	}
	if key, err := k.key(ctx, &t.mutant); err == nil {
		_, _ = fmt.Fprintln(k.file, key, t.outcome)
	}
}
