package settings

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"peerd.dev/internal/config"
)

// A settingDoc is a setting for machines, and who set it.
type settingDoc struct {
	Key    string        `json:"key"`
	Value  any           `json:"value"`
	Source config.Origin `json:"source"`
}

// shown returns the settings that have a meaning: a site's, without the parameters of what is not
// chosen, and the laboratory's that are set; or all of them.
func shown(c *config.Config, all bool) (keys []config.Key) {
	for _, k := range c.Schema().Keys() {
		if all || c.Applies(k) && (!k.Laboratory || c.From[k.Name] != config.FromDefault) {
			keys = append(keys, k)
		}
	}
	return keys
}

// settingDocs returns the settings that have a meaning, or all of them, in the order of the
// schema.
func settingDocs(c *config.Config, all bool) []settingDoc {
	var docs []settingDoc
	for _, k := range shown(c, all) {
		d := settingDoc{k.Name, c.Value(k.Name).Interface(), c.From[k.Name]}
		if d.Source == config.FromNobody {
			d.Value = nil
		}
		docs = append(docs, d)
	}
	return docs
}

// MarshalJSON writes a duration and an infinite budget as in a file.
func (d settingDoc) MarshalJSON() ([]byte, error) {
	type plain settingDoc
	switch v := d.Value.(type) {
	case time.Duration:
		d.Value = config.ValueText(v)
	case config.Epsilon:
		if v.Infinite() {
			d.Value = config.ValueText(v)
		}
	}
	return json.Marshal(plain(d))
}

// write prints the settings that have a meaning, or all of them, as a table.
func write(w io.Writer, c *config.Config, all bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "KEY\tSOURCE\tVALUE")
	for _, k := range shown(c, all) {
		value, source := config.ValueText(c.Value(k.Name).Interface()), string(c.From[k.Name])
		switch c.From[k.Name] {
		case config.FromNobody:
			value = "-"
		case config.FromEnv:
			source = config.EnvName(k.Name)
		default:
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", k.Name, source, value)
	}
	_ = t.Flush()
}

// A schemaDoc is a Key for machines.
type schemaDoc struct {
	Key      string `json:"key"`
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required"`
	Want     string `json:"want"`
	Unit     string `json:"unit,omitempty"`
	Env      string `json:"env"`
	Shared   bool   `json:"shared"`
	Doc      string `json:"doc"`
}

// docs returns the schema for machines.
func docs(s *config.Schema) []schemaDoc {
	var docs []schemaDoc
	for _, k := range s.Keys() {
		docs = append(docs, schemaDoc{k.Name, k.Default, k.Required(), k.Want(), k.Unit, config.EnvName(k.Name), k.Shared, k.Doc})
	}
	return docs
}

// writeSchema prints what every key means.
func writeSchema(w io.Writer, s *config.Schema) {
	for _, k := range s.Keys() {
		standard := k.Default
		if k.Required() {
			standard = "required, such as " + k.Example
		}
		_, _ = fmt.Fprintf(w, "%s: %s\n    %s\n    Wants %s%s.\n", k.Name, standard, k.Doc, k.Want(), inUnit(k))
	}
}

func inUnit(k config.Key) string {
	if k.Unit == "" || k.Unit == "duration" {
		return ""
	}
	return ", in " + k.Unit
}
