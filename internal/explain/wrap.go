package explain

import "strings"

// Wrap breaks text into lines of at most width letters where words allow.
func Wrap(text string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case at > 0 && at+1+n > width:
			b.WriteByte('\n')
			at = 0
		case at > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
	return b.String()
}
