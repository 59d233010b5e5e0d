package check

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/internal/require"
	"peerd.dev/internal/vouch"
	"peerd.dev/node/ledger"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// A signer is a peer's key, here from a seed.
type signer struct{ key ed25519.PrivateKey }

func newSigner(seed byte) signer {
	return signer{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))}
}

// id returns the id that libp2p derives from the key.
func (s signer) id(t testing.TB) string {
	t.Helper()
	public := require.Value(crypto.UnmarshalEd25519PublicKey(s.key.Public().(ed25519.PublicKey)))(t)
	id := require.Value(peer.IDFromPublicKey(public))(t)
	return id.String()
}

func (s signer) sign(domain string, b []byte) ([]byte, error) {
	return ed25519.Sign(s.key, append([]byte(domain+"\x00"), b...)), nil
}

// A book is a ledger as a running peer writes it, with releases of a real curator.
type book struct {
	t       testing.TB
	chain   ledger.Chain
	curator *dp.Curator
	leaves  []uint64
	round   uint64
	lines   [][]byte
}

func newBook(t testing.TB) *book {
	t.Helper()
	curator := require.Value(dp.NewCurator(dp.Lockstep, vouch.For(account.Budget{Epsilon: dp.Nano}), dp.NewSeededSource([32]byte{1})))(t)
	b := &book{t: t, curator: curator}
	b.add(&ledger.Genesis{
		Version: ledger.Version, Peer: newSigner(1).id(t), Network: "clinics", Policy: ledger.Hash{1, 2, 3}, Mode: ledger.Lockstep,
		Budget: account.Budget{Epsilon: dp.Nano}, Unit: "one user with at most 1 reward at this site, replaced by another in [0, 1]",
	})
	return b
}

func (b *book) add(body ledger.Body) {
	b.t.Helper()
	line, err := b.chain.Append(body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.lines = append(b.lines, line)
}

// open opens streams for half the budget.
func (b *book) open(streams, dim int, leaves uint64) {
	b.t.Helper()
	_, err := b.curator.Open(dp.Spec{
		What: fmt.Sprintf("reward sums of %d arms", streams), Streams: streams, Dim: dim, Hi: 1, Leaves: leaves,
		RecordsPerUser: 1, Epsilon: dp.Nano / 2,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.curator.TakeCharges() {
		b.add(ledger.Opened(c))
	}
	b.leaves = append(b.leaves, make([]uint64, streams)...)
}

// release closes the next leaf of a stream, with a reward in it.
func (b *book) release(s dp.StreamID, dim int) {
	b.t.Helper()
	if err := b.curator.Add(s, slices.Repeat([]float64{0.7}, dim)); err != nil {
		b.t.Fatal(err)
	}
	b.leaves[s]++
	b.round++
	if _, err := b.curator.Leaf(s, b.leaves[s]); err != nil {
		b.t.Fatal(err)
	}
	for _, r := range b.curator.TakeDrawn() {
		b.add(ledger.Released(b.round, r))
	}
}

func (b *book) all() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, l := range b.lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func (b *book) export() []byte {
	b.t.Helper()
	var w bytes.Buffer
	if _, err := Export(&w, b.all(), newSigner(1).sign); err != nil {
		b.t.Fatal(err)
	}
	return w.Bytes()
}

// small is a book with all kinds of records.
func small(t testing.TB) *book {
	t.Helper()
	b := newBook(t)
	b.open(2, 1, 8)
	b.open(1, 3, 4)
	for range 3 {
		b.release(0, 1)
		b.release(1, 1)
	}
	b.release(2, 3)
	return b
}

func TestAnExportIsVerified(t *testing.T) {
	b := small(t)
	r := require.Value(Verify(bytes.NewReader(b.export())))(t)
	if !r.Signed || r.Records != 10 || r.Releases != 7 || r.Charged != dp.Nano || r.Used != 1 || len(r.Groups) != 2 {
		t.Errorf("%+v", r)
	}
	want := []StreamReport{{0, 3, 3, 8}, {1, 3, 3, 8}, {2, 1, 1, 4}}
	if !slices.Equal(r.Streams, want) {
		t.Errorf("streams %v, want %v", r.Streams, want)
	}
	doc, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err = json.Unmarshal(doc, &again); err != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("as JSON %s: %v", doc, err)
	}
	if err = again.Head.UnmarshalText([]byte("00")); !errors.Is(err, ledger.ErrForm) {
		t.Errorf("a short hash: %v", err)
	}
	if r.Head != b.chain.Head {
		t.Errorf("head %v, want %v", r.Head, b.chain.Head)
	}
	c, err := ledger.Resume(b.lines[len(b.lines)-1])
	if err != nil || c != b.chain {
		t.Errorf("resumed at %+v with %v, want %+v", c, err, b.chain)
	}
}

// TestTheFormatStays reads an export of an earlier build, since ledgers outlive programs, and
// writes it again.
func TestTheFormatStays(t *testing.T) {
	const name = "testdata/export.jsonl"
	if *update {
		b := small(t)
		b.add(&ledger.Gap{Claimed: 12, Had: 10, Incarnation: 1, Since: 3, Round: 9, Waiting: 2, Margin: 1, Next: []uint64{8, 5, 3}, Without: []string{"12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X"}})
		golden(t, name, b.export())
	}
	export := require.Value(os.ReadFile(name))(t)
	r := require.Value(Verify(bytes.NewReader(export)))(t)
	var text bytes.Buffer
	require.NoError(t, r.Write(&text))
	golden(t, "testdata/report.txt", text.Bytes())
	b := &book{t: t}
	for line := range bytes.Lines(export) {
		if r, err := ledger.ParseLine(bytes.TrimSuffix(line, []byte("\n"))); err == nil { // all lines except the end
			b.add(r.Body)
		}
	}
	golden(t, name, b.export())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o600))
	}
	want := require.Value(os.ReadFile(name))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: got\n%s", name, got)
	}
}

// TestThereIsOneWayToWriteALine changes lines into others that many JSON readers treat as equal,
// or as harmless.
func TestThereIsOneWayToWriteALine(t *testing.T) {
	lines := small(t).lines
	genesis, open, release := string(lines[0]), string(lines[1]), string(lines[3])
	for _, c := range []struct{ line, from, to string }{
		{genesis, "{", "{ "},
		{genesis, "}", "} "},
		{genesis, "}", "}}"},
		{genesis, "}", ""},
		{genesis, `"seq":0`, `"seq":00`},
		{genesis, `"seq":0`, `"seq":-0`},
		{genesis, `"seq":0`, `"seq":0.0`},
		{genesis, `"seq":0`, `"seq":0e0`},
		{genesis, `"seq":0`, `"seq":"0"`},
		{genesis, `"seq":0`, `"seq":`},
		{genesis, `"seq":0`, `"seq":18446744073709551616`},
		{genesis, `"seq"`, `"Seq"`},
		{genesis, `"seq":0,`, `"seq":0,"seq":0,`},
		{genesis, "clinics", `\u0063linics`},
		{genesis, "clinics", "clin\tics"},
		{genesis, "clinics", "clinics\u0085"},
		{genesis, "clinics", "clinics\xff"},
		{genesis, "clinics", `cli"nics`},
		{genesis, "clinics", strings.Repeat("c", 300)},
		{genesis, `"genesis"`, `"Genesis"`},
		{genesis, `"genesis"`, `"end"`},
		{genesis, `"prev":"00`, `"prev":"0`},
		{genesis, `"policy":"0102`, `"policy":"0A02`},
		{genesis, `"incarnation":0`, `"incarnation":4294967296`},
		{genesis, `"incarnation":0}`, `"incarnation":0,"more":1}`},
		{open, `"dim":1`, `"dim":01`},
		{open, `"dim":1`, `"dim":-01`},
		{open, `"tree"`, `"bush"`},
		{open, `"once"`, `"twice"`},
		{release, `"counts":[1]`, `"counts":[1,]`},
		{release, `"counts":[1]`, `"counts":[,1]`},
		{release, `"counts":[1]`, `"counts":[1 ]`},
		{release, `"counts":[1]`, `"counts":[01]`},
		{release, `"counts":[1]`, `"counts":[-1]`},
		{release, `"counts":[1]`, `"counts":null`},
		{release, `"counts":[1]`, `"counts":[` + strings.Repeat("1,", dp.MaxLen) + "1]"},
		{release, `"counts":[1]`, `"counts":` + strings.Repeat("[", ledger.MaxLine/2)}, // no reader follows them
		{release, `"exponent":-20`, `"exponent":-200`},
		{release, `"exponent":-20`, `"exponent":+20`},
	} {
		bad := strings.Replace(c.line, c.from, c.to, 1)
		if bad == c.line {
			t.Fatalf("%q is not in %s", c.from, c.line)
		}
		if _, err := ledger.ParseLine([]byte(bad)); !errors.Is(err, ledger.ErrForm) {
			t.Errorf("%v, want %v: %s", err, ledger.ErrForm, bad)
		}
	}
	if _, err := ledger.ParseLine(bytes.Repeat([]byte{'1'}, ledger.MaxLine+1)); !errors.Is(err, ledger.ErrForm) {
		t.Errorf("a long line: %v", err)
	}
}

func TestAppendRefusesWhatCannotBeRead(t *testing.T) {
	var c ledger.Chain
	for _, body := range []ledger.Body{
		&ledger.Gap{}, // before the genesis
		&ledger.Genesis{Network: `a"b`},
		&ledger.Genesis{Unit: strings.Repeat("x", 256+1)},
	} {
		if line, err := c.Append(body); err == nil {
			t.Errorf("%s was written", line)
		}
	}
	if c != (ledger.Chain{}) {
		t.Errorf("the chain moved: %+v", c)
	}
	require.Value(c.Append(&ledger.Genesis{}))(t)
	for _, body := range []ledger.Body{
		&ledger.Genesis{},
		&ledger.Open{Charge: dp.Charge{Mechanism: 255}},
		&ledger.Open{Charge: dp.Charge{Mode: 9}},
		&ledger.Release{Values: make([]int64, dp.MaxLen+1)},
	} {
		if line, err := c.Append(body); err == nil {
			t.Errorf("%s was written", line)
		}
	}
}

// TestTheLargestRecordsFit: ParseLine reads what Append accepts.
func TestTheLargestRecordsFit(t *testing.T) {
	for _, body := range []ledger.Body{
		&ledger.Release{
			Counts: slices.Repeat([]uint64{1<<64 - 1}, dp.MaxLen),
			Values: slices.Repeat([]int64{-1 << 63}, dp.MaxLen),
		},
		&ledger.Gap{Next: slices.Repeat([]uint64{dp.MaxLeaves + 1}, ledger.MaxStreams)},
	} {
		c := ledger.Chain{Next: 1<<62 - 1}
		line, err := c.Append(body)
		if err == nil {
			_, err = ledger.ParseLine(line)
		}
		if err != nil {
			t.Errorf("%s: %v", body.Kind(), err)
		}
	}
}

// TestNumbersOfLostRecordsAreSkipped: a peer that continues after a gap has a longer ledger than
// any that the others remember.
func TestNumbersOfLostRecordsAreSkipped(t *testing.T) {
	b := small(t)
	for _, c := range []struct{ claimed, seq uint64 }{{12, 12}, {13, 13}, {5, 14}} {
		b.add(&ledger.Gap{Claimed: c.claimed, Had: 10, Incarnation: uint32(c.seq), Margin: 1, Next: []uint64{9, 9, 5}})
		r, err := ledger.ParseLine(b.lines[len(b.lines)-1])
		if err != nil || r.Seq != c.seq || b.chain.Next != c.seq+1 {
			t.Errorf("%d claimed: record %d, then %d, want %d: %v", c.claimed, r.Seq, b.chain.Next, c.seq, err)
		}
	}
	before := b.chain
	if _, err := b.chain.Append(&ledger.Gap{Claimed: 1 << 62}); err == nil || b.chain != before {
		t.Errorf("2^62 records: %v, %+v", err, b.chain)
	}
	r, err := Verify(bytes.NewReader(b.export()))
	if err != nil || r.Records != 13 || r.Next != 15 || r.Gaps[0].Lost != 2 || r.Gaps[2].Lost != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestPeerIDsAreReadAsLibp2pReadsThem(t *testing.T) {
	for seed := range byte(50) {
		s := newSigner(seed)
		id := s.id(t)
		key, err := publicKey(id)
		if err != nil || !key.Equal(s.key.Public()) {
			t.Fatalf("%s: key %x, %v", id, key, err)
		}
	}
	good := newSigner(1).id(t)
	for _, bad := range []string{
		"", "1", good[1:], "1" + good, good + "1", good[:51], good[:51] + "0", strings.Repeat("1", 52),
		"11" + good[1:51], "1z" + good[2:], "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",
	} {
		if key, err := publicKey(bad); err == nil {
			t.Errorf("%q has key %x", bad, key)
		}
	}
}

func TestExportSaysWhatIsWrong(t *testing.T) {
	b := small(t)
	if _, err := Export(new(bytes.Buffer), b.all(), newSigner(2).sign); !errors.Is(err, ErrSignature) {
		t.Errorf("signed with another key: %v", err)
	}
	if _, err := Export(new(bytes.Buffer), (&book{}).all(), newSigner(1).sign); !errors.Is(err, ErrGenesis) {
		t.Errorf("an empty ledger: %v", err)
	}
	broken := errors.New("broken disk")
	_, err := Export(new(bytes.Buffer), func(yield func([]byte, error) bool) {
		_ = yield(b.lines[0], nil) && yield(nil, broken)
	}, newSigner(1).sign)
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if _, err := Export(new(bytes.Buffer), b.all(), func(string, []byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

func FuzzParseLine(f *testing.F) {
	b := small(f)
	b.add(&ledger.Gap{Claimed: 12, Had: 10, Incarnation: 1, Since: 3, Round: 9, Waiting: 2, Margin: 1, Next: []uint64{8, 5, 3}, Without: []string{"12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X"}})
	for line := range bytes.Lines(b.export()) {
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Add([]byte(`{"seq":1,"prev":"`))
	f.Fuzz(func(t *testing.T, line []byte) {
		_ = NewVerifier().Line(line)
		r, err := ledger.ParseLine(line)
		if err != nil {
			if !errors.Is(err, ledger.ErrForm) {
				t.Errorf("%v, want %v", err, ledger.ErrForm)
			}
			return
		}
		again, err := r.Append(nil)
		if err != nil || !bytes.Equal(line, again) {
			t.Errorf("read and written again, %v:\n%q\n%q", err, line, again)
		}
		if r.Body.String() == "" {
			t.Error("nothing for people")
		}
	})
}
