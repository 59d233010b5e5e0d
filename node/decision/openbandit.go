package decision

import (
	"encoding/json"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A Row is a decision with its outcome, with the names of the Open Bandit Pipeline (Saito et al.
// 2021) where it has one: action, position, reward, pscore and context. It is raw data.
type Row struct {
	ID       string    `json:"id" parquet:"id"`
	Time     time.Time `json:"timestamp" parquet:"timestamp,timestamp"`
	Action   int64     `json:"action" parquet:"action"`     // its number, from 0
	Name     string    `json:"name" parquet:"name,dict"`    // of the action
	Position int64     `json:"position" parquet:"position"` // 0: a decision has one action
	Reward   float64   `json:"reward" parquet:"reward"`
	Reported bool      `json:"reported" parquet:"reported"` // a reward was reported; otherwise it is the default
	PScore   float64   `json:"pscore" parquet:"pscore"`     // propensity; 0 if not computed
	Context  []float64 `json:"context" parquet:"context"`   // features of the action; empty without features
	Source   Source    `json:"source" parquet:"source,dict"`
	Model    string    `json:"model" parquet:"model,dict"`
	Counted  bool      `json:"counted" parquet:"counted"`
}

// A RowWriter writes rows one by one. Close writes the end.
type RowWriter interface {
	Write(r Row) error
	Close() error
}

// RowsJSONL returns a writer of a line of JSON for each row.
func RowsJSONL(w io.Writer) RowWriter {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return lines{e}
}

type lines struct{ e *json.Encoder }

func (l lines) Write(r Row) error {
	if r.Context == nil {
		r.Context = []float64{}
	}
	return l.e.Encode(&r)
}

func (lines) Close() error { return nil }

// RowsParquet returns a writer of a Parquet file with a compression that all readers support.
func RowsParquet(w io.Writer) RowWriter {
	return columns{parquet.NewGenericWriter[Row](w, parquet.CreatedBy("peerd", "1", ""), parquet.Compression(&parquet.Snappy))}
}

type columns struct{ w *parquet.GenericWriter[Row] }

func (c columns) Write(r Row) error {
	_, err := c.w.Write([]Row{r})
	return err
}

func (c columns) Close() error { return c.w.Close() }
