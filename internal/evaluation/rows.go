package evaluation

import (
	"encoding/json"
	"io"

	"github.com/parquet-go/parquet-go"

	"peerd.dev/node/decision"
)

// A RowWriter writes rows one by one. Close writes the end.
type RowWriter interface {
	Write(r decision.Row) error
	Close() error
}

// RowsJSONL returns a writer of a line of JSON for each row.
func RowsJSONL(w io.Writer) RowWriter {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return lines{e}
}

type lines struct{ e *json.Encoder }

func (l lines) Write(r decision.Row) error {
	for _, x := range []*[]float64{&r.Context, &r.Features} {
		*x = append([]float64{}, *x...)
	}
	r.Offered, r.Actions = append([]string{}, r.Offered...), append([][]float64{}, r.Actions...)
	return l.e.Encode(&r)
}

func (lines) Close() error { return nil }

// RowsParquet returns a writer of a Parquet file with a compression that all readers support.
func RowsParquet(w io.Writer) RowWriter {
	return columns{parquet.NewGenericWriter[decision.Row](w, parquet.CreatedBy("peerd", "1", ""), parquet.Compression(&parquet.Snappy))}
}

type columns struct {
	w *parquet.GenericWriter[decision.Row]
}

func (c columns) Write(r decision.Row) error {
	_, err := c.w.Write([]decision.Row{r})
	return err
}

func (c columns) Close() error { return c.w.Close() }
