// Package drawing is the extra that draws the figures of experiments. Equal figures have equal bytes.
package drawing

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"peerd.dev/node/lab/figure"
)

func init() { figure.Draw = write }

// write implements [figure.Draw].
func write(f *figure.Figure, svg, png io.Writer) error {
	s, err := layOut(f)
	if err != nil {
		return err
	}
	vector := vgsvg.New(s.wide, s.high)
	s.draw(draw.New(vector))
	var b bytes.Buffer
	if _, err = vector.WriteTo(&b); err != nil {
		return err
	}
	// Arial and Helvetica have the widths of Liberation Sans; other fonts need the slack.
	if _, err = svg.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif"))); err != nil {
		return err
	}
	pixels := vgimg.NewWith(vgimg.UseWH(s.wide, s.high), vgimg.UseDPI(resolution))
	s.draw(draw.New(pixels))
	_, err = vgimg.PngCanvas{Canvas: pixels}.WriteTo(png)
	return err
}

// noteOf returns the note, extended by the lines that the axes do not show completely. The points of 0 with which
// most curves begin do not count.
func noteOf(f *figure.Figure) string {
	missing := ""
	for i := range f.Panels {
		p := &f.Panels[i]
		in := ""
		if p.Title != "" {
			in = " in " + p.Title
		}
		for _, l := range p.Lines {
			if n := len(visible(p, l)); n == 0 || p.Glyphs && n < len(l.Points) {
				missing += "; " + l.Name + in
			}
		}
	}
	if missing == "" {
		return f.Note
	}
	return fmt.Sprintf("%s Logarithmic axes cannot show 0, so points are missing from: %s.", f.Note, missing[2:])
}
