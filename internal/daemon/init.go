package daemon

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"peerd.dev/gossip"
	"peerd.dev/internal/config"
	"peerd.dev/internal/terminal"
)

// Made is what Init made.
type Made struct {
	ID     string   `json:"id"`
	Dir    string   `json:"dir"`
	Config string   `json:"config"`
	ToSet  []string `json:"to_set"` // required keys that still have no value
	Note   string   `json:"note,omitempty"`
	Chosen []string `json:"chosen,omitempty"` // settings that suit those that were given, with the reasons
}

// Write writes what was made, and what to do next.
func (d Made) Write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "made %s\nid %s\n", d.Dir, d.ID)
	if d.Note != "" {
		_, _ = fmt.Fprintf(w, "note: %s\n", d.Note)
	}
	for _, x := range d.Chosen {
		_, _ = fmt.Fprintf(w, "chose %s\n", x)
	}
	if len(d.ToSet) > 0 {
		_, _ = fmt.Fprintf(w, "next: set %s in %s\n", strings.Join(d.ToSet, ", "), d.Config)
	}
	_, _ = fmt.Fprintf(w, "then: peerd config check %s\n", terminal.Quote(d.Config))
	_, _ = fmt.Fprintf(w, "then: peerd network new --dir %s --name NETWORK --peer NAME --addr /ip4/ADDRESS/tcp/PORT\n", terminal.Quote(d.Dir))
	_, _ = fmt.Fprintf(w, "then: peerd doctor --dir %s\n", terminal.Quote(d.Dir))
}

// Init makes a peer's folder with a key and a configuration with the settings in set, given as
// key=value, of a schema. It overwrites nothing. Of a peer that joins a network, set has the settings that all its peers share.
func Init(schema *config.Schema, set []string, joins bool) (Made, error) {
	begin := schema.Beginning(set, joins)
	c, values, err := schema.Given(append(begin.Set, set...))
	if err != nil {
		return Made{}, err
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return Made{}, err
	}
	c.Dir = dir
	values["dir"] = config.ValueText(dir)
	doc := Made{Dir: dir, Config: filepath.Join(dir, config.FileName), ToSet: []string{}, Note: begin.Note, Chosen: begin.Chosen}
	if why := c.NothingGiven(); why != "" {
		doc.Note = strings.TrimPrefix(doc.Note+"; "+why, "; ")
	}
	for _, path := range []string{c.IdentityPath(), doc.Config} {
		if _, err = os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return doc, config.Failf(config.ErrUnexpected, "%s already exists; init overwrites nothing, so choose another --dir", path)
		}
	}
	if err = newDir(dir); err != nil {
		return doc, err
	}
	id, err := gossip.CreateIdentity(c.IdentityPath())
	if err != nil {
		return doc, err
	}
	doc.ID = id.ID()
	head := "Peer " + doc.ID + "\nTake the # off a key to change it from its default; a change takes effect with a restart.\n`peerd config show --all` lists every setting, `peerd config show --schema` what each means.\n"
	if err := renameio.WriteFile(doc.Config, []byte(schema.Page(head, values)), 0o600); err != nil {
		return doc, err
	}
	problems := c.Validate()
	for _, k := range schema.Keys() { // whether a key is required depends on others: some mechanisms need no horizon
		if slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Key == k.Name }) {
			doc.ToSet = append(doc.ToSet, k.Name)
		}
	}
	return doc, nil
}
