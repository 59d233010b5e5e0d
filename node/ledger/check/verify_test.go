package check

import (
	"bufio"
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/node/ledger"
)

// TestLedgerEveryBitFlip flips every bit of an export of 64 KiB, one at a time. It keeps the
// verifier that has read the lines before a flip, so that a flip costs only the lines from the
// flipped one to the one at which it is found: the same code reads the same bytes as from the
// first line.
func TestLedgerEveryBitFlip(t *testing.T) {
	b := newBook(t)
	b.open(4, 1, 256)
	b.open(1, 3, 256)
	size := func() (n int) {
		for _, l := range b.lines {
			n += len(l) + 1
		}
		return n
	}
	for i := dp.StreamID(0); size() < 64<<10-300; i = (i + 1) % 5 {
		b.release(i, map[bool]int{true: 3, false: 1}[i == 4])
		if len(b.lines) == 100 {
			next := make([]uint64, len(b.leaves))
			for i := range next {
				var err error
				if next[i], err = b.curator.Skip(dp.StreamID(i), b.leaves[i]+1); err != nil {
					t.Fatal(err)
				}
				b.leaves[i] = next[i] - 1
			}
			b.add(&ledger.Gap{Claimed: 100, Had: 100, Incarnation: 1, Margin: 1, Next: next, Without: []string{"a", "b"}})
		}
	}
	whole := b.export()
	require.Value(Verify(bytes.NewReader(whole)))(t)
	type start struct {
		before *Verifier
		at, n  int // the line, with its newline
	}
	var starts []start
	v, at := NewVerifier(), 0
	for line := range bytes.Lines(whole) {
		starts = append(starts, start{v.clone(), at, len(line)})
		require.NoError(t, v.Line(bytes.TrimSuffix(line, []byte("\n"))))
		at += len(line)
	}
	every := 1
	if testing.Short() {
		every = 101
	}
	var flips, next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			b := bytes.Clone(whole)
			r := bufio.NewReaderSize(nil, ledger.MaxLine+1)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(starts) {
					return
				}
				s := starts[i]
				for bit := s.at * 8; bit < (s.at+s.n)*8; bit++ {
					if bit%every != 0 {
						continue
					}
					b[bit/8] ^= 1 << (bit % 8)
					r.Reset(bytes.NewReader(b[s.at:]))
					err := s.before.clone().readAll(r, func(ledger.Chain) {})
					var fault *Fault
					if !errors.As(err, &fault) || fault.Line < uint64(i+1) || fault.Line > uint64(i+2) {
						t.Errorf("bit %d, in line %d: %v", bit, i+1, err)
					}
					b[bit/8] ^= 1 << (bit % 8)
					flips.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if want := int64(8*len(whole)+every-1) / int64(every); flips.Load() != want || len(whole) < 63<<10 {
		t.Errorf("%d flips of %d bytes, want %d", flips.Load(), len(whole), want)
	}
	t.Logf("%d bits of %d bytes flipped, every one found in its line or the next", flips.Load(), len(whole))
}

// rewrite returns an export of a small book's records after a change, with all hashes recomputed,
// as is possible without the key: the signature covers head.
func rewrite(t *testing.T, change func(bodies []ledger.Body) []ledger.Body) []byte {
	t.Helper()
	b := small(t)
	var bodies []ledger.Body
	for _, line := range b.lines {
		r := require.Value(ledger.ParseLine(line))(t)
		bodies = append(bodies, r.Body)
	}
	var w bytes.Buffer
	var c ledger.Chain
	for _, body := range change(bodies) {
		r := ledger.Record{Seq: c.Next, Prev: c.Head, Body: body}
		if g, ok := body.(*ledger.Gap); ok {
			r.Seq = max(c.Next, g.Claimed, g.Number)
		}
		line := require.Value(r.Append(nil))(t)
		c.Next, c.Head = r.Seq+1, ledger.HashOf(line)
		w.Write(append(line, '\n'))
	}
	// Signed by the peer itself, so the signature is not what finds the fault.
	e := ledger.Trailer{Records: c.Next, Head: c.Head}
	signature, _ := newSigner(1).sign(ledger.Domain, e.Signed("clinics"))
	copy(e.Signature[:], signature)
	end := require.Value(e.Line())(t)
	w.Write(append(end, '\n'))
	return w.Bytes()
}

// TestLedgerFaults: every change that is possible without the key is found by the chain or by the
// signature.
func TestLedgerFaults(t *testing.T) {
	lines := bytes.SplitAfter(small(t).export(), []byte("\n"))
	lines = lines[:len(lines)-1] // there is nothing after the last newline
	join := func(l ...[]byte) []byte { return bytes.Join(l, nil) }
	without := func(i, j int) []byte { return join(slices.Delete(slices.Clone(lines), i, j)...) }
	edit := func(i int, from, to string) []byte {
		l := slices.Clone(lines)
		l[i] = bytes.Replace(l[i], []byte(from), []byte(to), 1)
		if bytes.Equal(l[i], lines[i]) {
			t.Fatalf("no %q in %s", from, l[i])
		}
		return join(l...)
	}
	swapped := slices.Clone(lines)
	swapped[5], swapped[6] = swapped[6], swapped[5]
	other := newBook(t)
	other.open(2, 1, 8)
	for _, c := range []struct {
		name string
		b    []byte
		want error
		line uint64
	}{
		{"nothing", nil, ErrTruncated, 1},
		{"a newline", []byte("\n"), ledger.ErrForm, 1},
		{"no genesis", without(0, 1), ledger.ErrChain, 1},
		{"only the end", lines[10], ErrGenesis, 1},
		{"a record less", without(5, 6), ledger.ErrChain, 6},
		{"two records less", without(5, 7), ledger.ErrChain, 6},
		{"the last record less", without(9, 10), ledger.ErrChain, 10},
		{"a record twice", join(slices.Insert(slices.Clone(lines), 5, lines[5])...), ledger.ErrChain, 7},
		{"the end twice", join(append(slices.Clone(lines), lines[10])...), ErrTrailing, 12},
		{"swapped", join(swapped...), ledger.ErrChain, 6},
		{"no end", without(10, 11), ErrTruncated, 11},
		{"half a file", join(lines...)[:1600], ErrTruncated, 6},
		{"no last newline", bytes.TrimSuffix(join(lines...), []byte("\n")), ErrTruncated, 11},
		{"a record after the end", join(append(slices.Clone(lines), lines[9])...), ErrTrailing, 12},
		{"a byte after the end", append(join(lines...), 'x'), ErrTrailing, 12},
		{"a newline after the end", append(join(lines...), '\n'), ErrTrailing, 12},
		{"windows newlines", bytes.ReplaceAll(join(lines...), []byte("\n"), []byte("\r\n")), ledger.ErrForm, 1},
		{"a byte order mark", append([]byte("\ufeff"), join(lines...)...), ledger.ErrForm, 1},
		{"a value edited", edit(5, `"values":[`, `"values":[9`), ledger.ErrChain, 7},
		{"the last value edited", edit(9, `"values":[`, `"values":[9`), ledger.ErrChain, 11},
		{"the budget edited", edit(0, `"budget":1`, `"budget":9`), ledger.ErrChain, 2},
		{"the head edited", edit(10, `"head":"`, `"head":"0`), ledger.ErrForm, 11},
		{"fewer records in the end", edit(10, `"records":10`, `"records":9`), ledger.ErrChain, 11},
		{"another signature", edit(10, `"signature":"`, `"signature":"00`), ledger.ErrForm, 11},
		{"records of another ledger", join(append(slices.Clone(lines[:9]), other.lines[1], []byte("\n"), lines[10])...), ledger.ErrChain, 10},
		{"a long line", append(bytes.Repeat([]byte{'['}, ledger.MaxLine+1), '\n'), ledger.ErrForm, 1},
	} {
		_, err := Verify(bytes.NewReader(c.b))
		var fault *Fault
		if !errors.Is(err, c.want) || !errors.As(err, &fault) || fault.Line != c.line {
			t.Errorf("%s: %v, want line %d: %v", c.name, err, c.line, c.want)
		}
		// Reading it byte by byte finds the same.
		if _, again := Verify(iotest.OneByteReader(bytes.NewReader(c.b))); again == nil || again.Error() != err.Error() {
			t.Errorf("%s, byte by byte: %v, want %v", c.name, again, err)
		}
	}
	broken := errors.New("broken disk")
	if _, err := Verify(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// TestAForgedChainHasNoSignature edits a number and recomputes every hash after it, up to the
// end. Only the signature is still the peer's own.
func TestAForgedChainHasNoSignature(t *testing.T) {
	signature := func(export []byte) string {
		return string(export[bytes.LastIndex(export, []byte(`"signature"`)):])
	}
	honest := rewrite(t, func(b []ledger.Body) []ledger.Body { return b })
	require.Value(Verify(bytes.NewReader(honest)))(t)
	if !bytes.Equal(honest, small(t).export()) {
		t.Fatal("unchanged records are exported in another form")
	}
	forged := rewrite(t, func(b []ledger.Body) []ledger.Body {
		b[5].(*ledger.Release).Values[0]++
		return b
	})
	forged = []byte(strings.Replace(string(forged), signature(forged), signature(honest), 1))
	_, err := Verify(bytes.NewReader(forged))
	if !errors.Is(err, ErrSignature) {
		t.Errorf("%v, want %v", err, ErrSignature)
	}
}

// TestLedgerRules: a ledger that the peer itself wrote, chained and signed is refused if it paid
// or released what it must not.
func TestLedgerRules(t *testing.T) {
	again := func(b []ledger.Body, i int) []ledger.Body { return append(b, b[i]) }
	for _, c := range []struct {
		name   string
		change func(b []ledger.Body) []ledger.Body
		want   error
		says   string
	}{
		{"another format", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Version = 1; return b }, ErrGenesis, "format 1"},
		{"no such peer", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Peer = "me"; return b }, ErrGenesis, `"me"`},
		{"no network", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Network = ""; return b }, ErrGenesis, "no network"},
		{"no mode", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Mode = "public"; return b }, ErrGenesis, `"public"`},
		{"infinite", func(b []ledger.Body) []ledger.Body {
			b[0].(*ledger.Genesis).Mode, b[0].(*ledger.Genesis).Budget = ledger.Private, account.Unlimited
			return b
		}, ErrGenesis, "infinite"},
		{"another peer's", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Peer = newSigner(2).id(t); return b }, ErrSignature, newSigner(2).id(t)},
		{"another network's", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Network = "shops"; return b }, ErrSignature, "12D3"},
		{"two genesis", func(b []ledger.Body) []ledger.Body { return again(b, 0) }, ErrGenesis, "record 10"},
		{"no genesis", func(b []ledger.Body) []ledger.Body { return b[1:] }, ErrGenesis, "record 0 is of kind open"},

		{"over budget", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Budget.Epsilon--; return b }, ErrBudget, "ε 0.5 for"},
		{"a third charge", func(b []ledger.Body) []ledger.Body {
			third := *b[2].(*ledger.Open)
			third.Stream = 3
			return append(b, &third)
		}, ErrBudget, "with ε 1 of ε 1 charged before"},
		{"no noise", func(b []ledger.Body) []ledger.Body {
			o := b[1].(*ledger.Open)
			o.Mechanism, o.Loss.Pure, o.Scale = dp.None, dp.Infinite, 0
			return b
		}, ErrBudget, "ε inf"},
		{"wrong scale", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Scale--; return b }, ErrCharge, "8388607"},
		{"wrong cost", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Loss.Pure--; return b }, ErrCharge, "8388608"},
		{"wider bounds", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Hi *= 2; return b }, ErrCharge, "want 16777216"},
		{"more leaves", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Leaves *= 2; return b }, ErrCharge, "want 10485760"},
		{"more records", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).RecordsPerUser = 2; return b }, ErrCharge, "want 16777216"},
		{"more entries", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Dim = 2; return b }, ErrCharge, "want 16777216"},
		{"streams over others", func(b []ledger.Body) []ledger.Body { b[2].(*ledger.Open).Stream = 1; return b }, ErrCharge, "1 streams from 1, and 2"},
		{"streams left out", func(b []ledger.Body) []ledger.Body { b[2].(*ledger.Open).Stream = 3; return b }, ErrCharge, "1 streams from 3, and 2"},
		{"no streams", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Streams = 0; return b }, ErrCharge, "0 streams"},
		{"too many streams", func(b []ledger.Body) []ledger.Body { b[1].(*ledger.Open).Streams = ledger.MaxStreams + 1; return b }, ErrCharge, "65537 streams"},

		{"released without a charge", func(b []ledger.Body) []ledger.Body { return slices.Delete(b, 2, 3) }, ErrUnpaid, "stream 2, and 2 are open"},
		{"released before the charge", func(b []ledger.Body) []ledger.Body { b[2], b[9] = b[9], b[2]; return b }, ErrUnpaid, "stream 2, and 2 are open"},
		{"of no stream", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Stream = 1<<32 - 1; return b }, ErrUnpaid, "stream 4294967295"},
		{"beyond the horizon", func(b []ledger.Body) []ledger.Body {
			r := b[9].(*ledger.Release)
			r.From, r.To = 4, 5
			return b
		}, ErrUnpaid, "leaf 5 of stream 2"},
		{"no node", func(b []ledger.Body) []ledger.Body { b[7].(*ledger.Release).From = 0; return b }, ErrUnpaid, "1 to 3 are no node"},
		{"another node", func(b []ledger.Body) []ledger.Body { b[5].(*ledger.Release).From = 1; return b }, ErrUnpaid, "2 to 2 are no node"},
		{"more values", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Values = make([]int64, 4); return b }, ErrUnpaid, "4 values"},
		{"no count", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Counts = nil; return b }, ErrUnpaid, "0 counts"},
		{"a finer grid", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Exponent--; return b }, ErrUnpaid, "2^-21"},
		{"out of range", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Values[0] = dp.MaxValue + 1; return b }, ErrUnpaid, "2305843009213693953"},
		{"less noise", func(b []ledger.Body) []ledger.Body { b[9].(*ledger.Release).Noise.Scale--; return b }, ErrNoise, "18874367"},
		{"without noise", func(b []ledger.Body) []ledger.Body {
			r := b[9].(*ledger.Release)
			r.Noise = dp.Noise{}
			return b
		}, ErrNoise, "0/256 laplace terms"},
		{"the newest node twice", func(b []ledger.Body) []ledger.Body { return again(b, 9) }, ErrTwice, "leaf 1 of stream 2"},
		{"an older node twice", func(b []ledger.Body) []ledger.Body { return again(b, 3) }, ErrTwice, "leaf 1 of stream 0"},
		{"drawn again", func(b []ledger.Body) []ledger.Body {
			other := *b[9].(*ledger.Release)
			other.Values = []int64{1, 2, 3}
			return append(b, &other)
		}, ErrTwice, "leaf 1 of stream 2"},
		{"reordered", func(b []ledger.Body) []ledger.Body { b[5], b[7] = b[7], b[5]; return b }, ErrMissing, "leaf 3 of stream 0, and leaf 2"},
		{"left out", func(b []ledger.Body) []ledger.Body { return slices.Delete(b, 3, 4) }, ErrMissing, "leaf 2 of stream 0, and leaf 1"},

		{"private", func(b []ledger.Body) []ledger.Body { b[0].(*ledger.Genesis).Mode = ledger.Private; return b }, nil, ""},
		{"a gap", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 9, 3}}, leaf(0, 5, 4), leaf(0, 6, 4))
		}, nil, ""},
		{"a gap of some lost records", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 13, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{6, 5, 3}}, leaf(0, 6, 5))
		}, nil, ""},
		{"a gap to the end", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 99, Had: 10, Incarnation: 1, Margin: 16, Next: []uint64{9, 9, 5}})
		}, nil, ""},
		{"a gap that gives nothing up", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 4, 3}})
		}, ErrGap, "stream 1 continues at leaf 4, and 3 of 8 were closed or given up before"},
		{"a gap without a margin", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Next: []uint64{5, 5, 3}})
		}, ErrGap, "nothing is given up for what no peer remembers"},
		{"a gap below its margin", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 2, Next: []uint64{6, 5, 4}})
		}, ErrGap, "stream 1 continues at leaf 5"},
		{"a gap that gives up less than was lost", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 15, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 5, 3}})
		}, ErrGap, "5 records are lost, and only 3 leaves are given up"},
		{"a gap that goes back in time", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Since: 5, Round: 4, Margin: 1, Next: []uint64{5, 5, 3}})
		}, ErrGap, "rounds 5 to 4"},
		{"goes on as before a gap", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{8, 5, 3}}, leaf(0, 8, 0))
		}, ErrUnpaid, "leaves 1 to 8 of stream 0, which gave up those up to 7"},
		{"given up", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{8, 5, 3}}, leaf(0, 4, 0))
		}, ErrUnpaid, "leaves 1 to 4 of stream 0, which gave up those up to 7"},
		{"left out after a gap", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 5, 3}}, leaf(0, 6, 4))
		}, ErrMissing, "leaf 6 of stream 0, and leaf 5"},
		{"twice after a gap", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 5, 3}}, leaf(0, 5, 4), leaf(0, 5, 4))
		}, ErrTwice, "leaf 5 of stream 0"},
		{"a gap back", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{3, 5, 3}})
		}, ErrGap, "stream 0 continues at leaf 3, and 3 of 8"},
		{"a gap back to what was given up", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{8, 5, 3}}, &ledger.Gap{Claimed: 11, Had: 11, Incarnation: 2, Margin: 1, Next: []uint64{5, 6, 4}})
		}, ErrGap, "stream 0 continues at leaf 5, and 7 of 8"},
		{"a gap past the horizon", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{10, 5, 3}})
		}, ErrGap, "stream 0 continues at leaf 10, and 3 of 8"},
		{"a gap of other streams", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 5}})
		}, ErrGap, "2 streams, and 3"},
		{"a gap, and peers remember less", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 2, Had: 10, Incarnation: 1, Margin: 1, Next: []uint64{5, 5, 3}}, leaf(0, 5, 4))
		}, nil, ""},
		{"a gap of all numbers", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 1<<64 - 1, Incarnation: 1, Margin: 1, Next: []uint64{5, 5, 3}})
		}, ledger.ErrChain, "record 18446744073709551615"},
		{"more gaps than there can be", func(b []ledger.Body) []ledger.Body {
			for i := range uint32(maxGaps + 1) {
				b = append(b, &ledger.Gap{Incarnation: i + 1, Margin: 1, Next: []uint64{9, 9, 5}})
			}
			return b
		}, ErrGap, "more than 1024"},
		{"the same incarnation", func(b []ledger.Body) []ledger.Body {
			return append(b, &ledger.Gap{Claimed: 10, Had: 10, Margin: 1, Next: []uint64{5, 5, 3}})
		}, ErrGap, "incarnation 0 after 0"},
	} {
		_, err := Verify(bytes.NewReader(rewrite(t, c.change)))
		if !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.says)
		}
	}
}

// TestNumbersAreNotSkipped: a record whose number claims missing records before it is refused, no
// matter who signs it.
func TestNumbersAreNotSkipped(t *testing.T) {
	b := small(t)
	for _, seq := range []uint64{b.chain.Next + 1, b.chain.Next - 1, b.chain.Next + 1000, 0} {
		v := NewVerifier()
		for _, l := range b.lines {
			require.NoError(t, v.Line(l))
		}
		for _, body := range []ledger.Body{leaf(0, 4, 0), &ledger.Gap{Incarnation: 1, Margin: 1, Next: []uint64{9, 9, 9}}} {
			if _, gap := body.(*ledger.Gap); gap && seq > b.chain.Next {
				continue // what it skips is lost
			}
			line := require.Value((&ledger.Record{Seq: seq, Prev: b.chain.Head, Body: body}).Append(nil))(t)
			if err := v.Line(line); !errors.Is(err, ledger.ErrChain) {
				t.Errorf("%s %d after record %d: %v, want %v", body.Kind(), seq, b.chain.Next-1, err, ledger.ErrChain)
			}
		}
	}
}

// leaf returns a release of stream s of a small book.
func leaf(s dp.StreamID, to, from uint64) *ledger.Release {
	return &ledger.Release{Stream: s, From: from, To: to, Counts: []uint64{1}, Values: []int64{5}, Exponent: -20, Noise: dp.Noise{Scale: 8388608, VarianceUnits: dp.VarianceScale}}
}

// TestCostsAreCountedExactly: sums of costs neither wrap nor round.
func TestCostsAreCountedExactly(t *testing.T) {
	v := NewVerifier()
	v.genesis.Budget = account.Unlimited
	free := dp.Charge{Streams: 1, Dim: 1, Hi: 1, Leaves: 1, RecordsPerUser: 1, Mechanism: dp.None, Loss: account.Loss{Pure: dp.Infinite}}
	for range 3 {
		require.NoError(t, v.openStreams(ledger.Opened(free)))
		free.Stream++
	}
	if r := v.Report(); r.Charged != dp.Infinite || r.Used != -1 {
		t.Errorf("three infinite costs are %v, %v", r.Charged, r.Used)
	}
	for c, want := range map[dp.Cost]string{
		0: "0", 1: "0.000000001", dp.Nano: "1", dp.Nano / 3: "0.333333333", 1_500_000_000: "1.5",
		10 * dp.Nano: "10", dp.Infinite: "inf", 1<<63 + 1: "9223372036.854775809",
	} {
		if got := ledger.Exact(c); got != want {
			t.Errorf("%d is %s, want %s", uint64(c), got, want)
		}
	}
}

// TestALargeReportStaysShort: the printed report does not grow with the streams.
func TestALargeReportStaysShort(t *testing.T) {
	b := newBook(t)
	b.open(1000, 1, 8)
	v := NewVerifier()
	for _, l := range b.lines {
		require.NoError(t, v.Line(l))
	}
	r := v.Report()
	var text bytes.Buffer
	require.NoError(t, r.Write(&text))
	if n := strings.Count(text.String(), "\n"); n > 40 || !strings.Contains(text.String(), "and 980 more streams") || !strings.Contains(text.String(), "no signed end") {
		t.Errorf("%d lines:\n%s", n, text.String())
	}
}

// clone returns an independent Verifier in the state of v.
func (v *Verifier) clone() *Verifier {
	c := *v
	c.opens, c.streams, c.gaps = slices.Clone(v.opens), slices.Clone(v.streams), slices.Clone(v.gaps)
	return &c
}
