package parquet

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"peerd.dev/internal/require"
	"peerd.dev/node/lab/stats"
)

func made(t *testing.T) (*stats.Table, []byte) {
	t.Helper()
	own := 1.5
	x := &stats.Table{
		Experiment: "two cells", Settings: []stats.Setting{
			{Key: "privacy.epsilon", Doc: `A "budget".`, Values: map[string]any{"a": 1., "b": math.Inf(1)}},
			{Key: "testnet.nodes", Unit: "peers", Values: map[string]any{"a": int64(3), "b": int64(5)}},
			{Key: "testnet.topology", Values: map[string]any{"a": "ring", "b": "complete"}},
			{Key: "experiment.alone", Values: map[string]any{"a": true, "b": false}},
		},
		Rows: []stats.Row{{Cell: "a", Seed: 1, Round: 10, Regret: 2.5, Own: &own}, {Cell: "b", Seed: math.MaxUint64, Round: 20, Regret: 3}},
	}
	var b bytes.Buffer
	require.NoError(t, x.WriteParquet(&b))
	return x, b.Bytes()
}

// TestColumnsSayWhatTheyMean: the file has the name of the experiment, and unit, meaning and setting of columns.
func TestColumnsSayWhatTheyMean(t *testing.T) {
	_, b := made(t)
	f := require.Value(parquet.OpenFile(bytes.NewReader(b), int64(len(b))))(t)
	for key, want := range map[string]string{
		"experiment": "two cells", "schema": "1", "regret.unit": "rewards", "round.unit": "rounds", "privacy_epsilon.setting": "privacy.epsilon",
		"privacy_epsilon.description": `A "budget".`, "testnet_nodes.unit": "peers",
	} {
		if got, _ := f.Lookup(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name()+" "+c.Type().String())
		if said, _ := f.Lookup(c.Name() + ".description"); said == "" && strings.Contains("cell seed round regret own_regret", c.Name()) {
			t.Errorf("%s has no description", c.Name())
		}
	}
	want := []string{
		"cell STRING", "seed INT(64,false)", "round INT(64,false)", "regret DOUBLE", "own_regret DOUBLE",
		"privacy_epsilon DOUBLE", "testnet_nodes INT(64,true)", "testnet_topology STRING", "experiment_alone BOOLEAN",
	}
	if !slices.Equal(names, want) {
		t.Errorf("columns are\n%q, want\n%q", names, want)
	}
}

// TestEqualTablesAreEqualBytes: whatever the order of maps.
func TestEqualTablesAreEqualBytes(t *testing.T) {
	_, first := made(t)
	for range 20 {
		if _, b := made(t); !bytes.Equal(b, first) {
			t.Fatal("equal tables gave different bytes")
		}
	}
}

// TestLinesHaveTheSameColumns: and null for what JSON has no number for.
func TestLinesHaveTheSameColumns(t *testing.T) {
	x, b := made(t)
	var text bytes.Buffer
	require.NoError(t, x.WriteJSONL(&text))
	want := `{"cell":"a","seed":1,"round":10,"regret":2.5,"own_regret":1.5,"privacy_epsilon":1,"testnet_nodes":3,"testnet_topology":"ring","experiment_alone":true}
{"cell":"b","seed":18446744073709551615,"round":20,"regret":3,"own_regret":null,"privacy_epsilon":null,"testnet_nodes":5,"testnet_topology":"complete","experiment_alone":false}
`
	if text.String() != want {
		t.Errorf("lines are\n%s, want\n%s", text.String(), want)
	}
	type settings struct {
		Epsilon float64  `parquet:"privacy_epsilon"`
		Nodes   int64    `parquet:"testnet_nodes"`
		Own     *float64 `parquet:"own_regret,optional"`
	}
	rows, err := parquet.Read[settings](bytes.NewReader(b), int64(len(b)))
	if err != nil || len(rows) != 2 || !math.IsInf(rows[1].Epsilon, 1) || rows[0].Nodes != 3 || *rows[0].Own != 1.5 || rows[1].Own != nil {
		t.Errorf("%v: %+v", err, rows)
	}
}
