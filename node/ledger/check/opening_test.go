package check

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"peerd.dev/dp"
	"peerd.dev/internal/require"
	"peerd.dev/node/ledger"
)

// sealedBook returns a book of which half the releases are behind commitments, and an export with the lines that open them.
func sealedBook(t *testing.T) (b *book, opened [][]byte) {
	t.Helper()
	b = newBook(t)
	b.open(2, 3, 64)
	opened = append(opened, b.lines...)
	for i := range 8 {
		b.release(dp.StreamID(i%2), 3)
		if i%4 > 1 {
			r := require.Value(ledger.ParseLine(b.lines[len(b.lines)-1]))(t)
			body := r.Body.(*ledger.Release)
			b.chain, b.lines = ledger.Chain{Next: r.Seq, Head: r.Prev}, b.lines[:len(b.lines)-1]
			opening := require.Value(body.Conceal())(t)
			b.add(body)
			opened = append(opened, b.lines[len(b.lines)-1], opening)
			continue
		}
		opened = append(opened, b.lines[len(b.lines)-1])
	}
	return b, opened
}

func exported(t *testing.T, lines [][]byte) ([]byte, Report, error) {
	t.Helper()
	var out bytes.Buffer
	r, err := Export(&out, (&book{lines: lines}).all(), newSigner(1).sign)
	return out.Bytes(), r, err
}

// TestALedgerVerifiesWithOpeningsAndWithout: charge, moment and size in both; one head; and which numbers the file does not show.
func TestALedgerVerifiesWithOpeningsAndWithout(t *testing.T) {
	b, opened := sealedBook(t)
	bare, without, err := exported(t, b.lines)
	if err != nil {
		t.Fatal(err)
	}
	_, with, err := exported(t, opened)
	if err != nil {
		t.Fatal(err)
	}
	if without.Sealed != 4 || with.Sealed != 0 || with.Head != without.Head || with.Releases != 8 || with.Records != without.Records {
		t.Errorf("%+v\nwith openings %+v", without, with)
	}
	var page bytes.Buffer
	if err = without.Write(&page); err != nil || !strings.Contains(page.String(), "the numbers of 4 are not public, and not in this file") {
		t.Errorf("%v: %s", err, &page)
	}
	for line := range bytes.Lines(bare) {
		if bytes.Contains(line, []byte("commitment")) && !bytes.Contains(line, []byte(`"counts":[0],"values":[0,0,0]`)) {
			t.Errorf("numbers in %s", line)
		}
	}
	r, err := ledger.ParseLine(b.lines[4])
	if err != nil || r.Body.String() != "round 3, stream 0, leaves 1 to 2: 3 sums, which are not public" || new(Words).Release(r.Body.(*ledger.Release)) != "3 numbers, which are not public" {
		t.Errorf("%v: %v; %s", err, r.Body, new(Words).Release(r.Body.(*ledger.Release)))
	}
}

// TestAFalseOpeningIsFound: of other numbers or another secret, of another release, twice, without a release, and of numbers that no charge
// pays for. A commitment next to numbers is none.
func TestAFalseOpeningIsFound(t *testing.T) {
	_, good := sealedBook(t)
	at := 0
	for !bytes.HasPrefix(good[at], []byte(`{"kind":"opening"`)) {
		at++
	}
	change := func(do func(lines [][]byte) [][]byte) [][]byte {
		var copied [][]byte
		for _, l := range good {
			copied = append(copied, bytes.Clone(l))
		}
		return do(copied)
	}
	for name, x := range map[string]struct {
		lines [][]byte
		want  error
	}{
		"no line": {good, nil},
		"another number": {change(func(l [][]byte) [][]byte {
			l[at] = bytes.Replace(l[at], []byte(`"values":[`), []byte(`"values":[1`), 1)
			return l
		}), ErrOpening},
		"another secret": {change(func(l [][]byte) [][]byte { l[at][len(`{"kind":"opening","salt":"`)] ^= 1; return l }), ErrOpening},
		"of another":     {change(func(l [][]byte) [][]byte { l[at], l[at+2] = l[at+2], l[at]; return l }), ErrOpening},
		"twice":          {change(func(l [][]byte) [][]byte { return append(l[:at+1:at+1], l[at:]...) }), ErrOpening},
		"of none":        {change(func(l [][]byte) [][]byte { return append(l[:at-1:at-1], l[at:]...) }), ErrOpening},
	} {
		_, _, err := exported(t, x.lines)
		if !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
	for name, x := range map[string]struct {
		change func(r *ledger.Release) []byte
		want   error
	}{
		"too great a number": {func(r *ledger.Release) []byte { r.Values[0] = dp.MaxValue + 1; return opens(t, r) }, ErrUnpaid},
		"too few numbers":    {func(r *ledger.Release) []byte { r.Values = r.Values[:2]; return opens(t, r) }, ErrUnpaid},
		"fewer when opened": {func(r *ledger.Release) []byte {
			whole := r.Values
			r.Values = r.Values[:2]
			line := opens(t, r)
			clear(whole)
			r.Values = whole
			return line
		}, ErrUnpaid},
		"numbers next to it": {func(r *ledger.Release) []byte { line := opens(t, r); r.Values[1] = 5; return line }, ledger.ErrForm},
	} {
		b := newBook(t)
		b.open(1, 3, 8)
		b.release(0, 3)
		r, err := ledger.ParseLine(b.lines[len(b.lines)-1])
		if err != nil {
			t.Fatal(err)
		}
		body := r.Body.(*ledger.Release)
		line := x.change(body)
		b.chain, b.lines = ledger.Chain{Next: r.Seq, Head: r.Prev}, b.lines[:len(b.lines)-1]
		b.add(body)
		if _, _, err = exported(t, append(b.lines, line)); !errors.Is(err, x.want) {
			t.Errorf("%s: %v, want %v", name, err, x.want)
		}
	}
}

func opens(t *testing.T, r *ledger.Release) []byte {
	t.Helper()
	return require.Value(r.Conceal())(t)
}
