package decisions

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"strings"
)

// RowsCSV returns a writer of a line of CSV for each row, after one of names. A list is JSON in its cell. A text that is a formula in a
// spreadsheet, or begins with an apostrophe, has one more before it.
func RowsCSV(w io.Writer) RowWriter { return &cells{w: csv.NewWriter(w)} }

type cells struct {
	w     *csv.Writer
	named bool
}

func (c *cells) Write(r Row) error {
	v := reflect.ValueOf(r)
	names, line := make([]string, v.NumField()), make([]string, v.NumField())
	for i := range line {
		b, err := json.Marshal(v.Field(i).Interface())
		if err != nil {
			return err
		}
		names[i], line[i] = v.Type().Field(i).Tag.Get("json"), string(b)
		switch {
		case line[i] == "null":
			line[i] = "[]"
		case strings.HasPrefix(line[i], `"`):
			if err = json.Unmarshal(b, &line[i]); err != nil {
				return err
			}
			if strings.IndexAny(line[i], "=+-@＝＋－＠'\t\r\n") == 0 {
				line[i] = "'" + line[i]
			}
		}
	}
	if !c.named {
		c.named = true
		if err := c.w.Write(names); err != nil {
			return err
		}
	}
	return c.w.Write(line)
}

func (c *cells) Close() error {
	c.w.Flush()
	return c.w.Error()
}
