package parquet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"peerd.dev/internal/decisions"
	"peerd.dev/internal/require"
	"peerd.dev/node/decision"
)

// TestRowsHaveOpenBanditsNames: in both forms, with the same values.
func TestRowsHaveOpenBanditsNames(t *testing.T) {
	all := []decisions.Row{
		{ID: "a", Time: time.UnixMilli(1e12).UTC(), Action: 2, Name: "blue", Reward: .5, Reported: true, PScore: .25, Context: []float64{1, -2}, Features: []float64{.5}, Offered: []string{"red", "blue, \"dark\""}, Actions: [][]float64{{1, 2}, {.5, 1e-9}}, Source: decision.Learned, Model: "1-2-3", Counted: true},
		{ID: "b", Time: time.UnixMilli(2e12).UTC(), Name: "red", Context: []float64{}, Features: []float64{}, Offered: []string{}, Actions: [][]float64{}, Source: decision.Application, Model: "1-2-3", Proposed: "blue", PeerPScore: .125, LateBy: 90, Kept: true},
	}
	var text, table, cells bytes.Buffer
	for _, w := range []decisions.RowWriter{decisions.RowsJSONL(&text), rows(&table), decisions.RowsCSV(&cells)} {
		for _, r := range all {
			require.NoError(t, w.Write(r))
		}
		require.NoError(t, w.Close())
	}
	var header []string
	for _, c := range parquet.SchemaOf(decisions.Row{}).Fields() {
		header = append(header, c.Name())
	}
	d := json.NewDecoder(&text)
	for i := range all {
		var named map[string]any
		var got decisions.Row
		var raw json.RawMessage
		require.NoError(t, d.Decode(&raw))
		require.NoError(t, json.Unmarshal(raw, &named))
		if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, all[i]) {
			t.Errorf("line %d: %+v, want %+v (%v)", i, got, all[i], err)
		}
		for _, name := range []string{"action", "position", "reward", "pscore", "context", "action_context"} {
			if _, ok := named[name]; !ok || !slices.Contains(header, name) {
				t.Errorf("no %s in %v or %v", name, named, header)
			}
		}
	}
	got, err := parquet.Read[decisions.Row](bytes.NewReader(table.Bytes()), int64(table.Len()))
	if err != nil || len(got) != len(all) {
		t.Fatalf("%d rows (%v)", len(got), err)
	}
	for i := range got {
		got[i].Time = got[i].Time.UTC()
		for _, x := range []*[]float64{&got[i].Context, &got[i].Features} {
			*x = append([]float64{}, *x...)
		}
		got[i].Offered, got[i].Actions = append([]string{}, got[i].Offered...), append([][]float64{}, got[i].Actions...)
		if !reflect.DeepEqual(got[i], all[i]) {
			t.Errorf("row %d: %+v, want %+v", i, got[i], all[i])
		}
	}
	lines, err := csv.NewReader(&cells).ReadAll()
	if err != nil || len(lines) != len(all)+1 || !slices.Equal(lines[0], header) {
		t.Fatalf("%q (%v)", lines, err)
	}
	want := []string{"a", "2001-09-09T01:46:40Z", "2", "blue", "0", "0.5", "true", "0.25", "[1,-2]", "[0.5]", `["red","blue, \"dark\""]`, "[[1,2],[0.5,1e-9]]", "learned", "1-2-3", "true", "", "0", "0", "false"}
	if !slices.Equal(lines[1], want) || lines[2][10] != "[]" || lines[2][15] != "blue" || lines[2][18] != "true" {
		t.Errorf("%q, want %q", lines[1:], want)
	}
}
