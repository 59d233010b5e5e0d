package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// A settingDoc is a setting for machines, and who set it.
type settingDoc struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source Origin `json:"source"`
}

// settingDocs returns every setting, in the order of the schema.
func (c *Config) settingDocs() []settingDoc {
	var docs []settingDoc
	for _, k := range schema() {
		d := settingDoc{k.Name, c.value(k.Name).Interface(), c.From[k.Name]}
		if d.Source == fromNobody {
			d.Value = nil
		}
		docs = append(docs, d)
	}
	return docs
}

// MarshalJSON writes a duration and an infinite budget as they stand in a file.
func (d settingDoc) MarshalJSON() ([]byte, error) {
	type plain settingDoc
	switch v := d.Value.(type) {
	case time.Duration:
		d.Value = valueText(v)
	case Epsilon:
		if v.Infinite() {
			d.Value = valueText(v)
		}
	}
	return json.Marshal(plain(d))
}

// write prints the settings as a table.
func (c *Config) write(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "KEY\tSOURCE\tVALUE")
	for _, k := range schema() {
		value, source := valueText(c.value(k.Name).Interface()), string(c.From[k.Name])
		switch c.From[k.Name] {
		case fromNobody:
			value = "-"
		case fromEnv:
			source = envName(k.Name)
		default:
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", k.Name, source, value)
	}
	_ = t.Flush()
}
