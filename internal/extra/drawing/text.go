package drawing

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// wrap breaks text into lines of a width, between words unless a word is longer.
func wrap(s string, most vg.Length, wide func(string) vg.Length) string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if n := len(lines) - 1; n >= 0 && wide(lines[n]+" "+word) <= most {
			lines[n] += " " + word
			continue
		}
		for part := ""; word != ""; word = part {
			word, part = fitting(word, most, wide)
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

// fitting returns the longest prefix of a word that fits in a width, at least one letter, and the
// rest.
func fitting(word string, most vg.Length, wide func(string) vg.Length) (begin, rest string) {
	if wide(word) <= most {
		return word, ""
	}
	end := 0
	for i := range word {
		if end > 0 && wide(word[:i]) > most {
			break
		}
		end = i
	}
	if end == 0 {
		return word, ""
	}
	return word[:end], word[end:]
}

// style returns black text of a size in points.
func style(size vg.Length) text.Style {
	return text.Style{
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Color: ink,
		YAlign: draw.YTop, Handler: plot.DefaultTextHandler,
	}
}
