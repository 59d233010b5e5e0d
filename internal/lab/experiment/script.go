package experiment

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// scripts returns a text that other files of a cell's programs make another; empty without programs.
func (r *cellRun) scripts() (text string, err error) {
	files, err := plan.Scripts(r.Config)
	for _, file := range files {
		text += fmt.Sprintf("%q %x\n", file.Word, sha256.Sum256(file.Content))
		first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(file.Word)), "/")
		if slices.Contains([]string{"cells", "config.yaml", "figure.png", "figure.svg", "manifest.json", "rows.jsonl", "rows.parquet", "shard.json", "summary.json"}, first) {
			return "", config.Failf(config.ErrRefused, "a program: %s: want another name, since the folder of results has a file of this one and gets a copy of the program's", file.Word)
		}
	}
	return text, err
}

// unchanged returns an error if the programs' files are others than when the experiment began: what they have played does not count.
func (r *cellRun) unchanged() error {
	now, err := r.scripts()
	if err == nil && now != r.began {
		err = errors.New("a file of a program has changed since the experiment began: start it again; runs that were finished before count for the old file")
	}
	return err
}

// keepScripts copies the files of programs, whose names are relative, to the folder, so that config.yaml finds them next to it.
func (f resultFolder) keepScripts(cells []cellRun) error {
	for i := range cells {
		files, err := plan.Scripts(cells[i].Config)
		if err != nil {
			return err
		}
		for _, file := range files {
			to := f.path(file.Word)
			if !filepath.IsLocal(file.Word) {
				continue
			}
			if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
				err = renameio.WriteFile(to, file.Content, file.Mode)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
