// Package parquet is the extra that writes files of Parquet: of a site's decisions, and of the rows of experiments.
package parquet

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"peerd.dev/internal/decisions"
	"peerd.dev/node/lab/stats"
)

func init() {
	decisions.Formats["parquet"] = rows
	stats.Parquet = table
}

// rows returns a writer of a file of decisions, with a compression that all readers support.
func rows(w io.Writer) decisions.RowWriter {
	return columns{parquet.NewGenericWriter[decisions.Row](w, parquet.CreatedBy("peerd", "1", ""), parquet.Compression(&parquet.Snappy))}
}

type columns struct {
	w *parquet.GenericWriter[decisions.Row]
}

func (c columns) Write(r decisions.Row) error {
	_, err := c.w.Write([]decisions.Row{r})
	return err
}

func (c columns) Close() error { return c.w.Close() }

// table writes rows of an experiment. Equal rows give equal bytes, independent of the build.
func table(w io.Writer, row any, metadata map[string]string, each func(func(row any) error) error) error {
	options := []parquet.WriterOption{parquet.SchemaOf(row), parquet.CreatedBy("peerd", "1", ""), parquet.Compression(&parquet.Zstd)}
	for key, value := range metadata {
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	p := parquet.NewWriter(w, options...)
	if err := each(p.Write); err != nil {
		return err
	}
	return p.Close()
}
