package decisions

import (
	"encoding/json"
	"io"
)

// A RowWriter writes rows one by one. Close writes the end.
type RowWriter interface {
	Write(r Row) error
	Close() error
}

// Formats has what writes rows, by the name of the format.
var Formats = map[string]func(io.Writer) RowWriter{"jsonl": RowsJSONL, "csv": RowsCSV} //nolint:gochecknoglobals // an extra adds to it in its init

// RowsJSONL returns a writer of a line of JSON for each row.
func RowsJSONL(w io.Writer) RowWriter {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return lines{e}
}

type lines struct{ e *json.Encoder }

func (l lines) Write(r Row) error {
	for _, x := range []*[]float64{&r.Context, &r.Features} {
		*x = append([]float64{}, *x...)
	}
	r.Offered, r.Actions = append([]string{}, r.Offered...), append([][]float64{}, r.Actions...)
	return l.e.Encode(&r)
}

func (lines) Close() error { return nil }
