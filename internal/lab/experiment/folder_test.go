package experiment

import (
	"os"
	"testing"

	"peerd.dev/internal/configtest"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/internal/require"
)

// TestNoRowsOfAnEarlierExperimentStay: a program without Parquet writes into the folder of one that has it.
func TestNoRowsOfAnEarlierExperimentStay(t *testing.T) {
	c, _, err := plan.Schema().Read(configtest.Write(t, configtest.Good(nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := resultFolder(t.TempDir())
	old := f.path("rows.parquet")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	require.NoError(t, f.write(new(Manifest), new(Document), nil, c))
	if _, err = os.Stat(old); err == nil {
		t.Error("rows of an earlier experiment are there")
	}
}
