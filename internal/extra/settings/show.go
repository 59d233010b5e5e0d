package config

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"text/tabwriter"
	"time"
)

// A SettingDoc is a setting for machines, and who set it.
type SettingDoc struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source Origin `json:"source"`
}

// shown returns the settings that have a meaning: a site's, without the parameters of what is not
// chosen, and the laboratory's that are set; or all of them.
func (c *Config) shown(all bool) (keys []Key) {
	for _, k := range c.Schema().keys {
		if all || c.Applies(k) && (!k.Laboratory || c.From[k.Name] != FromDefault) {
			keys = append(keys, k)
		}
	}
	return keys
}

// SettingDocs returns the settings that have a meaning, or all of them, in the order of the
// schema.
func (c *Config) SettingDocs(all bool) []SettingDoc {
	var docs []SettingDoc
	for _, k := range c.shown(all) {
		d := SettingDoc{k.Name, c.Value(k.Name).Interface(), c.From[k.Name]}
		if d.Source == fromNobody {
			d.Value = nil
		}
		docs = append(docs, d)
	}
	return docs
}

// MarshalJSON writes a duration and an infinite budget as in a file.
func (d SettingDoc) MarshalJSON() ([]byte, error) {
	type plain SettingDoc
	switch v := d.Value.(type) {
	case time.Duration:
		d.Value = ValueText(v)
	case Epsilon:
		if v.Infinite() {
			d.Value = ValueText(v)
		}
	}
	return json.Marshal(plain(d))
}

// Write prints the settings that have a meaning, or all of them, as a table.
func (c *Config) Write(w io.Writer, all bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "KEY\tSOURCE\tVALUE")
	for _, k := range c.shown(all) {
		value, source := ValueText(c.Value(k.Name).Interface()), string(c.From[k.Name])
		switch c.From[k.Name] {
		case fromNobody:
			value = "-"
		case FromEnv:
			source = EnvName(k.Name)
		default:
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", k.Name, source, value)
	}
	_ = t.Flush()
}

// Differences returns the keys whose values differ in o, in the order of the schema.
func (c *Config) Differences(o *Config) (keys []string) {
	for _, k := range c.Schema().keys {
		if !reflect.DeepEqual(c.Value(k.Name).Interface(), o.Value(k.Name).Interface()) {
			keys = append(keys, k.Name)
		}
	}
	return keys
}

// A SchemaDoc is a Key for machines.
type SchemaDoc struct {
	Key      string `json:"key"`
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required"`
	Want     string `json:"want"`
	Unit     string `json:"unit,omitempty"`
	Env      string `json:"env"`
	Shared   bool   `json:"shared"`
	Doc      string `json:"doc"`
}

// Docs returns the schema for machines.
func (s *Schema) Docs() []SchemaDoc {
	var docs []SchemaDoc
	for _, k := range s.keys {
		docs = append(docs, SchemaDoc{k.Name, k.Default, k.Required(), k.Want(), k.Unit, EnvName(k.Name), k.Shared, k.Doc})
	}
	return docs
}

// Write prints what every key means.
func (s *Schema) Write(w io.Writer) {
	for _, k := range s.keys {
		standard := k.Default
		if k.Required() {
			standard = "required, such as " + k.Example
		}
		_, _ = fmt.Fprintf(w, "%s: %s\n    %s\n    Wants %s%s.\n", k.Name, standard, k.Doc, k.Want(), inUnit(k))
	}
}

func inUnit(k Key) string {
	if k.Unit == "" || k.Unit == "duration" {
		return ""
	}
	return ", in " + k.Unit
}
