package stats

import (
	"encoding/json"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A Row is one point of one run: the regret of the average honest peer after a number of
// rounds.
type Row struct {
	Cell   string  `json:"cell" parquet:"cell,dict"`
	Seed   uint64  `json:"seed" parquet:"seed"`
	Round  uint64  `json:"round" parquet:"round"`
	Regret float64 `json:"regret" parquet:"regret"` // cumulative, in rewards
}

// WriteJSONL writes one line for each row.
func WriteJSONL(w io.Writer, rows []Row) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range rows {
		if err := e.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteParquet writes one column for each field. Equal rows give equal bytes, independent of the
// build.
func WriteParquet(w io.Writer, rows []Row) error {
	return parquet.Write(w, rows, parquet.CreatedBy("peerd", "1", ""), parquet.Compression(&parquet.Zstd))
}
