package main

import (
	"encoding/json"
	"io"
)

// printJSON writes a document for programs.
func printJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
