package config

import (
	"fmt"
	"io"
)

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
