package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Plain writes text so that it changes nothing else on a terminal: of control and format characters it writes the
// code, as JSON does.
func Plain(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, control) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !control(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			_, _ = fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Quote writes a path in a command that people copy so that a shell, and the command, read it as that path.
func Quote(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if strings.Trim(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func control(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }

// Lines returns a writer that passes lines on to w as [Plain] writes them.
func Lines(w io.Writer) io.Writer { return lines{w} }

type lines struct{ w io.Writer }

// Write implements [io.Writer].
func (l lines) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		text, end := bytes.CutSuffix(line, []byte("\n"))
		out := []byte(Plain(string(text)))
		if end {
			out = append(out, '\n')
		}
		if _, err := l.w.Write(out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
