package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"peerd.dev/cmd/peerd/internal/config"
	"peerd.dev/gossip"
)

func newInit(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make a peer's folder: its key and its configuration",
		Long: `Make a folder that only you may enter, with identity.key, the peer's private key,
and peerd.yaml, a configuration with every key as a comment. What --set gives is
written into it. Nothing that is there is overwritten.

The id that is printed is what the network file knows the peer by.`,
		Example: `  peerd init --dir hospital-a
  peerd init --dir hospital-a --set arms=red,green --set privacy.epsilon=1
  peerd id --dir hospital-a`,
		Args: cobra.NoArgs,
		RunE: o.run(func(context.Context) error {
			if o.config != "" {
				return config.Failf(config.ErrUsage, "init writes DIR/%s and so takes no --config", config.FileName)
			}
			doc, err := o.initPeer()
			if err != nil {
				return err
			}
			return o.print(doc, doc.write)
		}),
	}
}

// An initDoc says what init made.
type initDoc struct {
	ID     string   `json:"id"`
	Dir    string   `json:"dir"`
	Config string   `json:"config"`
	ToSet  []string `json:"to_set"` // required keys that are still without a value
}

func (d initDoc) write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "made %s\nid %s\n", d.Dir, d.ID)
	if len(d.ToSet) > 0 {
		_, _ = fmt.Fprintf(w, "next: set %s in %s\n", strings.Join(d.ToSet, ", "), d.Config)
	}
	_, _ = fmt.Fprintf(w, "then: peerd config check -c %s\n", d.Config)
}

func (o *options) initPeer() (initDoc, error) {
	c, values, err := o.initValues()
	if err != nil {
		return initDoc{}, err
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return initDoc{}, err
	}
	c.Dir = dir
	values["dir"] = config.ValueText(dir)
	doc := initDoc{Dir: dir, Config: filepath.Join(dir, config.FileName), ToSet: []string{}}
	for _, path := range []string{c.IdentityPath(), doc.Config} {
		if _, err = os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return doc, config.Failf(config.ErrUnexpected, "%s is there already; init overwrites nothing, so take another --dir", path)
		}
	}
	if err = privateDir(dir); err != nil {
		return doc, err
	}
	id, err := gossip.CreateIdentity(c.IdentityPath())
	if err != nil {
		return doc, err
	}
	doc.ID = id.ID()
	head := "Configuration of peer " + doc.ID + "\nTake the # off a key to change it from its default.\n"
	if err := renameio.WriteFile(doc.Config, []byte(config.Text(head, values)), 0o600); err != nil {
		return doc, err
	}
	for _, k := range config.Schema() {
		if _, ok := values[k.Name]; !ok && k.Required() {
			doc.ToSet = append(doc.ToSet, k.Name)
		}
	}
	return doc, nil
}

// initValues returns what --set gives, checked as far as it goes: what is not
// given yet refuses nothing.
func (o *options) initValues() (*config.Config, map[string]string, error) {
	_, set, err := o.sources()
	if err != nil {
		return nil, nil, err
	}
	c, problems, err := config.Read("", set)
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, slices.DeleteFunc(c.Invalid(problems), func(p config.Problem) bool { return c.From[p.Key] != config.FromFlag })...)
	values := make(map[string]string)
	for _, k := range config.Schema() {
		if c.From[k.Name] == config.FromFlag {
			values[k.Name] = config.ValueText(c.Value(k.Name).Interface())
		}
	}
	return c, values, c.Refuse(problems)
}

// privateDir makes a folder that only its owner may enter, and refuses one that
// others may.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return config.Failf(config.ErrUnexpected, "%s has mode %04o and is open to others than its owner; run: chmod 700 %s", dir, mode, dir)
	}
	return nil
}
