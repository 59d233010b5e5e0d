package world

import (
	"archive/zip"
	"fmt"
	"io"
	"path"
)

// OpenZip returns diabetic_data.csv out of a zip of size bytes, for Load. The
// file may lie in any folder of the zip, since the publisher has moved it before.
// The caller closes what is returned, and r after that.
func OpenZip(r io.ReaderAt, size int64) (io.ReadCloser, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	for _, f := range z.File {
		if path.Base(f.Name) != "diabetic_data.csv" {
			continue
		}
		c, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("world: %s: %w", f.Name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("world: no diabetic_data.csv among the %d files of the zip", len(z.File))
}
