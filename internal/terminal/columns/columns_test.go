package columns

import (
	"strings"
	"testing"

	"peerd.dev/internal/terminal"
)

// TestNoNameEndsACell or a row of a table.
func TestNoNameEndsACell(t *testing.T) {
	const bad = "x\x1b[31m\tred\n\u202Eevil\u009b\U000E0001"
	var b strings.Builder
	table := New(&b)
	table.Printf("ARM\tPULLS\n")
	table.Printf("%s\t%d\n", bad, 3)
	table.End()
	if lines := strings.Split(b.String(), "\n"); len(lines) != 3 || lines[1] != terminal.Plain(bad)+"  3" || !strings.HasPrefix(lines[0], "ARM   ") {
		t.Errorf("%q", b.String())
	}
}
