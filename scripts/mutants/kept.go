package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// A kept file has outcomes of one state of the code, so that a run that was ended goes on. Its lines have the code's hash, a
// mutant's id and its outcome.
type keptFile struct {
	code     string
	outcomes map[string]outcome
	file     *os.File // nil without one
}

func openKept(ctx context.Context, path string) (*keptFile, error) {
	k := &keptFile{outcomes: make(map[string]outcome)}
	if path == "" {
		return k, nil
	}
	h := sha256.New()
	for _, args := range [][]string{{"ls-files", "-s", "--", "*.go", "go.mod", "scripts/mutants/*.txt"}, {"diff", "HEAD", "--", "*.go", "scripts/mutants/*.txt"}} {
		out, err := exec.CommandContext(ctx, "git", args...).Output()
		if err != nil {
			return nil, err
		}
		h.Write(out)
	}
	k.code = fmt.Sprintf("%.8x", h.Sum(nil))
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == k.code {
			k.outcomes[f[1]] = outcome(f[2])
		}
	}
	k.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	return k, err
}

// keep keeps an outcome that is as it should be.
func (k *keptFile) keep(t *trial) {
	if k.file != nil && t.good() {
		_, _ = fmt.Fprintln(k.file, k.code, t.id, t.outcome)
	}
}
