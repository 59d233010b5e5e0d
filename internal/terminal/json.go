package terminal

import (
	"encoding/json"
	"io"
)

// PrintJSON writes a document for programs.
func PrintJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}
