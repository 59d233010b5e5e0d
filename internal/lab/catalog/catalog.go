// Package catalog knows the figures of configs/figures by name: what they show, how long they take, and a quick form of each.
package catalog

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"peerd.dev/configs"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
)

// A Figure is a row of configs/figures.yaml.
type Figure struct {
	Name    string         `json:"name"`             // of its file, without .yaml
	Paper   string         `json:"paper,omitempty"`  // its number in docs/lab/papers.md
	Figure  string         `json:"figure,omitempty"` // its number in the paper
	Shows   string         `json:"shows"`
	Quick   map[string]any `json:"quick"`           // settings of the quick form
	Seconds float64        `json:"quick_seconds"`   // of the quick form, on two cores
	Minutes float64        `json:"full_minutes"`    // of the whole, on two cores; 0 if it is not timed
	Needs   string         `json:"needs,omitempty"` // folder of PEERD_DATA that it reads
}

// Figures returns all figures, in the order of docs/lab/papers.md.
func Figures() []Figure { return table() }

var table = sync.OnceValue(func() (all []Figure) { //nolint:gochecknoglobals // read once
	d := yaml.NewDecoder(bytes.NewReader(text("figures.yaml")))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic(err) // it is part of the program, and tests read it
	}
	return all
})

func text(name string) []byte {
	b, err := configs.Files.ReadFile(name)
	if err != nil {
		panic(err) // see table
	}
	return b
}

// Find returns the figure of a name.
func Find(name string) (Figure, bool) {
	i := slices.IndexFunc(table(), func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return Figure{}, false
	}
	return table()[i], true
}

// Load returns the configuration of the figure, whole or in its quick form, with values of --set on top. The title of a
// quick form says that it is one.
func (f *Figure) Load(quick bool, set []string) (*config.Config, error) {
	name, b := f.Name+".yaml", text("figures/"+f.Name+".yaml")
	if !quick {
		return plan.Schema().LoadText(name, b, set)
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(f.Quick)) {
		all = append(all, key+"="+config.ValueText(f.Quick[key]))
	}
	c, err := plan.Schema().LoadText(name, b, all)
	if err != nil {
		return nil, err
	}
	title := "Quick form: " + cmp.Or(plan.ExperimentOf(&c.Settings).Figure.Title, f.Name)
	return plan.Schema().LoadText(name, b, append(append(all, "experiment.figure.title="+config.ValueText(title)), set...))
}

// Missing returns the folder of data that the figure reads and that is not there, "" for none.
func (f *Figure) Missing() string {
	if f.Needs == "" {
		return ""
	}
	data := os.Getenv("PEERD_DATA")
	if info, err := os.Stat(filepath.Join(data, f.Needs)); data == "" || err != nil || !info.IsDir() {
		return f.Needs
	}
	return ""
}
