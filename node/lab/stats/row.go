package stats

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
)

// A Row is one point of one run: the regret of the average honest peer after a number of rounds.
type Row struct {
	Cell   string   `json:"cell" parquet:"cell,dict" doc:"Name of the cell of the experiment."`
	Seed   uint64   `json:"seed" parquet:"seed" doc:"Seed of the run. Runs of different cells with the same seed have the same coins of the world."`
	Round  uint64   `json:"round" parquet:"round" unit:"rounds" doc:"Number of rounds played."`
	Regret float64  `json:"regret" parquet:"regret" unit:"rewards" doc:"Cumulative regret of the average honest peer, against the arm with the best mean over sites."`
	Own    *float64 `json:"own_regret" parquet:"own_regret,optional" unit:"rewards" doc:"The same against the best arm of each peer's own site. Null where arms have no means."`
}

// A Setting is a column of a table: what the cells of an experiment set a key to.
type Setting struct {
	Key, Unit, Doc string
	Values         map[string]any // by cell: all float64, int64, bool or string
}

// Column returns the name of the column, which needs no quotes in SQL.
func (s *Setting) Column() string { return strings.ReplaceAll(s.Key, ".", "_") }

// A Table is the rows of an experiment. Its columns are the fields of [Row], and then settings.
type Table struct {
	Experiment string
	Settings   []Setting
	Rows       []Row
}

// schema is the version of the columns of a table and of their metadata.
const schema = "1"

// number is a value that JSON may have no number for.
type number float64

// MarshalJSON writes null for a number that is not finite.
func (n number) MarshalJSON() ([]byte, error) {
	if x := float64(n); math.IsInf(x, 0) || math.IsNaN(x) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// columns returns the fields of a row with its settings.
func (t *Table) columns() []reflect.StructField {
	fields := reflect.VisibleFields(reflect.TypeFor[Row]())
	for i := range t.Settings {
		s := &t.Settings[i]
		f := reflect.StructField{Name: fmt.Sprint("Setting", i), Type: reflect.TypeFor[string]()}
		for _, v := range s.Values {
			f.Type = reflect.TypeOf(v) // of all of them
		}
		stored := s.Column()
		if kind := f.Type.Kind(); kind == reflect.Float64 {
			f.Type = reflect.TypeFor[number]()
		} else if kind == reflect.String {
			stored += ",dict"
		}
		f.Tag = reflect.StructTag(fmt.Sprintf("json:%q parquet:%q unit:%q doc:%q setting:%q", s.Column(), stored, s.Unit, s.Doc, s.Key))
		fields = append(fields, f)
	}
	return fields
}

// each calls do with every row, as a pointer to a struct of the columns.
func (t *Table) each(columns []reflect.StructField, do func(row any) error) error {
	row := reflect.New(reflect.StructOf(columns))
	first := len(columns) - len(t.Settings)
	for i := range t.Rows {
		from := reflect.ValueOf(&t.Rows[i]).Elem()
		for k := range first {
			row.Elem().Field(k).Set(from.Field(k))
		}
		for k := range t.Settings {
			f := row.Elem().Field(first + k)
			f.Set(reflect.ValueOf(t.Settings[k].Values[t.Rows[i].Cell]).Convert(f.Type()))
		}
		if err := do(row.Interface()); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSONL writes one line for each row. A setting that is not finite is null.
func (t *Table) WriteJSONL(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return t.each(t.columns(), e.Encode)
}

// Parquet writes rows, each a pointer to a struct such as row, with metadata. It is nil unless an extra sets it.
var Parquet func(w io.Writer, row any, metadata map[string]string, each func(func(row any) error) error) error //nolint:gochecknoglobals // an extra sets it in its init

// WriteParquet writes the columns by [Parquet], with their units and meanings in the metadata of the file.
func (t *Table) WriteParquet(w io.Writer) error {
	columns := t.columns()
	metadata := map[string]string{"experiment": t.Experiment, "schema": schema}
	for _, c := range columns {
		name, _, _ := strings.Cut(c.Tag.Get("json"), ",")
		for key, tag := range map[string]string{"unit": "unit", "description": "doc", "setting": "setting"} {
			if text := c.Tag.Get(tag); text != "" {
				metadata[name+"."+key] = text
			}
		}
	}
	return Parquet(w, reflect.New(reflect.StructOf(columns)).Interface(), metadata, func(do func(row any) error) error { return t.each(columns, do) })
}
