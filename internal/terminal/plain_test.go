package terminal

import (
	"encoding/json"
	"strings"
	"testing"
)

// bad has control and format characters of every width, as a name.
const bad = "x\x1b[31m\tred\n\u202Eevil\u009b\U000E0001"

func TestPlainHasNoControlCharacter(t *testing.T) {
	const want = `x\u001b[31m\u0009red\u000a\u202eevil\u009b\udb40\udc01`
	if got := Plain(bad); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Plain("a\x9bb"); got != "a\ufffdb" { // a control character in encodings of one byte
		t.Errorf("%q", got)
	}
	if got := Plain("café 赤 ε"); got != "café 赤 ε" {
		t.Errorf("%q", got)
	}
}

// TestLinesStay, and documents are the same to programs.
func TestLinesStay(t *testing.T) {
	var b strings.Builder
	if n, err := Lines(&b).Write([]byte("a\nb\x1b\n\nc")); n != 7 || err != nil || b.String() != "a\nb\\u001b\n\nc" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
	b.Reset()
	if err := PrintJSON(Lines(&b), []string{bad, "é"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got[0] != bad || got[1] != "é" || strings.ContainsAny(b.String(), "\u202E\u009b\U000E0001") {
		t.Errorf("%v, %q from %q", err, got, b.String())
	}
}
