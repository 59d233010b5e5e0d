package experiment

import (
	"reflect"
	"strings"
	"time"

	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/stats"
)

// tableOf returns the rows of cells. Keys that one of them sets are columns, with the value of every cell.
func tableOf(c *config.Config, cells []cellRun) *stats.Table {
	t := &stats.Table{Experiment: figureTitle(c)}
	for i := range cells {
		t.Rows = append(t.Rows, stats.Rows(cells[i].Name, cells[i].runs)...)
	}
	for _, k := range plan.Schema().Keys() {
		s := stats.Setting{Key: k.Name, Unit: k.Unit, Doc: strings.ReplaceAll(k.Doc, "`", ""), Values: make(map[string]any)}
		swept := false
		for i := range cells {
			s.Values[cells[i].Name] = columnValue(cells[i].Value(k.Name))
			swept = swept || cells[i].Sets(k.Name)
		}
		if swept {
			t.Settings = append(t.Settings, s)
		}
	}
	return t
}

// columnValue returns the value of a setting as a column has it: numbers and truths as they are, others as text.
func columnValue(v reflect.Value) any {
	_, span := v.Interface().(time.Duration)
	switch {
	case span:
	case v.CanFloat():
		return v.Float()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return int64(v.Uint()) //nolint:gosec // settings are far below that
	case v.Kind() == reflect.Bool:
		return v.Bool()
	}
	return config.ValueText(v.Interface())
}
