package check

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"peerd.dev/node/ledger"
)

// TestBuildTagsStandInTheGenesis: a ledger names the tags of its program's build, ledgers without
// the field are read as before, and ledgers of programs with faults are not trusted.
func TestBuildTagsStandInTheGenesis(t *testing.T) {
	line := func(tags string) []byte {
		var c ledger.Chain
		line, err := c.Append(&ledger.Genesis{Version: ledger.Version, Peer: "p", Network: "n", Mode: ledger.Private, Tags: tags})
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if l := line(""); bytes.Contains(l, []byte("tags")) || !bytes.HasSuffix(l, []byte(`"incarnation":0}`)) {
		t.Errorf("without tags: %s", l)
	}
	for _, tags := range []string{"", "failpoint", "netgo,own"} {
		r, err := ledger.ParseLine(line(tags))
		if err != nil || r.Body.(*ledger.Genesis).Tags != tags {
			t.Errorf("%q: %+v, %v", tags, r.Body, err)
		}
	}
	for _, bad := range []string{`,"tags":""}`, `,"tags":"a","tags":"b"}`, `,"tags":1}`, `,"more":"a"}`} {
		if _, err := ledger.ParseLine(append(bytes.TrimSuffix(line(""), []byte("}")), bad...)); !errors.Is(err, ledger.ErrForm) {
			t.Errorf("%s: %v, want %v", bad, err, ledger.ErrForm)
		}
	}
	for tags, named := range map[string]string{"": "", "netgo,osusergo": "", "failpoint": "failpoint", "netgo,own": "own"} {
		export := rewrite(t, func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Tags = tags; return b })
		_, err := Verify(bytes.NewReader(export))
		var fault *Fault
		switch {
		case named == "" && err != nil:
			t.Errorf("%q: %v", tags, err)
		case named != "" && (!errors.Is(err, ErrBuild) || !errors.As(err, &fault) || fault.Line != 1 || !strings.Contains(err.Error(), "tag "+named)):
			t.Errorf("%q: %v, want %v", tags, err, ErrBuild)
		}
	}
}
