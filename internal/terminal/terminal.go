// Package terminal writes results, for people and for programs.
package terminal

import (
	"io"
	"os"
)

// IsTerminal reports whether people look at w as it is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
