package main

import (
	"fmt"
	"io"
)

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

func schemaDocs() []schemaDoc {
	var docs []schemaDoc
	for _, k := range schema() {
		docs = append(docs, schemaDoc{k.Name, k.Default, k.Required(), k.Want(), k.Unit, envName(k.Name), k.Shared, k.Doc})
	}
	return docs
}

// writeSchema prints what every key means.
func writeSchema(w io.Writer) {
	for _, k := range schema() {
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
