package catalog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// All is the word for every figure.
const All = "all"

// IsName reports whether a word is the name of a figure, or wants to be one, and no file.
func IsName(word string) bool {
	return !strings.ContainsAny(word, `/\`) && !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml")
}

// Choose returns the experiments of words: names of figures, whole or in their quick form, files, or all. With all,
// figures whose data are missing are skipped.
func Choose(words []string, quick bool, set []string) (parts []Part, err error) {
	for _, word := range words {
		if word == All {
			for _, f := range Figures() {
				p := Part{Name: f.Name}
				if missing := f.Missing(); missing != "" {
					p.Skipped = fmt.Sprintf("is skipped: it needs the folder %s of PEERD_DATA, which scripts/fetch-data.sh gets", missing)
				} else if p.Config, err = f.Load(quick, set); err != nil {
					return nil, err
				}
				parts = append(parts, p)
			}
			continue
		}
		c, err := load(word, quick, set)
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{Name: title(word), Config: c})
	}
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(other Part) bool { return other.Name == p.Name }) {
			return nil, config.Failf(config.ErrUsage, "%s is named twice, and results go to a folder by name: name it once", p.Name)
		}
	}
	return parts, nil
}

// title returns the base name of a file without its extension.
func title(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// load reads the configuration of a word.
func load(word string, quick bool, set []string) (*config.Config, error) {
	switch f, ok := Find(word); {
	case ok:
		return f.Load(quick, set)
	case quick && !IsName(word):
		return nil, config.Failf(config.ErrUsage, "%s is a file, and --quick is of figures by NAME%s. Give a file fewer rounds with --set privacy.horizon= and --set experiment.seeds=", word, nearest(title(word)))
	case IsName(word):
		return nil, config.Failf(config.ErrUsage, "no figure is called %s%s. `peerd experiment list` lists them, and a FILE has .yaml or a slash in its name", word, nearest(word))
	}
	return plan.Schema().Load(word, set)
}

// nearest says which figure a word is most like.
func nearest(word string) string {
	var names []string
	for _, f := range table() {
		names = append(names, f.Name)
	}
	return Nearest(word, names)
}

// Nearest says which of some names a word is most like, "" for none.
func Nearest(word string, names []string) string {
	if name := config.NearestOf(word, names); name != "" {
		return " (nearest: " + name + ")"
	}
	return ""
}
