package check

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"slices"

	"peerd.dev/dp"
	"peerd.dev/dp/account"
	"peerd.dev/node/ledger"
)

// maxGaps bounds the gaps of a ledger, so that no file makes a Verifier large.
const maxGaps = 1 << 10

// Verify checks an export. It reads the export once and needs nothing else; its memory grows only
// with the number of streams. The error is a [*Fault] if something is wrong with the export, and
// another error if it cannot be read.
func Verify(r io.Reader) (Report, error) { return VerifyEach(r, func(ledger.Chain) {}) }

// VerifyEach does what Verify does, and calls each with the end of the ledger after every record.
func VerifyEach(r io.Reader, each func(ledger.Chain)) (Report, error) {
	v := NewVerifier()
	if err := v.readAll(bufio.NewReaderSize(r, ledger.MaxLine+1), each); err != nil {
		return Report{}, err
	}
	if err := checkBuild(&v.genesis); err != nil {
		return Report{}, &Fault{1, err}
	}
	return v.Report(), nil
}

// A Verifier checks a ledger line by line.
type Verifier struct {
	line    uint64 // of the file
	chain   ledger.Chain
	genesis ledger.Genesis
	key     ed25519.PublicKey
	charged account.Loss
	opens   []ledger.Open
	streams []stream
	gaps    []GapReport
	skipped uint64          // numbers skipped by all gaps
	again   uint32          // the newest incarnation
	round   uint64          // the newest of a release
	sealed  uint64          // releases that the lines only commit to
	newest  *ledger.Release // of these, if it is the last line
	ended   bool
}

// stream is the progress of a stream.
type stream struct {
	open     int    // of opens
	last     uint64 // last leaf that was released
	next     uint64 // next leaf that may be released
	base     uint64 // leaves before the newest gap that abandoned some
	releases uint64
}

// NewVerifier returns a Verifier that has seen nothing.
func NewVerifier() *Verifier { return new(Verifier) }

// Chain returns the end of the ledger so far.
func (v *Verifier) Chain() ledger.Chain { return v.chain }

// Line checks the next line, which has no newline. After an error, v must not be used.
func (v *Verifier) Line(line []byte) error {
	v.line++
	if err := v.checkLine(line); err != nil {
		return &Fault{v.line, err}
	}
	return nil
}

// readAll checks all lines of an export.
func (v *Verifier) readAll(r *bufio.Reader, each func(ledger.Chain)) error {
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case err == nil:
			if err = v.Line(line[:len(line)-1]); err != nil {
				return err
			}
			each(v.chain)
		case errors.Is(err, bufio.ErrBufferFull):
			return &Fault{v.line + 1, fmt.Errorf("%w: longer than %d bytes", ledger.ErrForm, ledger.MaxLine)}
		case !errors.Is(err, io.EOF):
			return err
		case len(line) > 0 && v.ended:
			return &Fault{v.line + 1, fmt.Errorf("%w: there are %d bytes", ErrTrailing, len(line))}
		case len(line) > 0:
			return &Fault{v.line + 1, fmt.Errorf("%w: this line has no newline", ErrTruncated)}
		case !v.ended:
			return &Fault{v.line + 1, fmt.Errorf("%w: %d records and no signature", ErrTruncated, v.chain.Next-v.skipped)}
		default:
			return nil
		}
	}
}

func (v *Verifier) checkLine(line []byte) error {
	if v.ended {
		return ErrTrailing
	}
	if bytes.HasPrefix(line, []byte(`{"kind":"end"`)) {
		return v.end(line)
	}
	sealed := v.newest
	if v.newest = nil; bytes.HasPrefix(line, []byte(`{"kind":"opening"`)) {
		return v.open(sealed, line)
	}
	r, err := ledger.ParseLine(line)
	if err != nil {
		return err
	}
	skipped := r.Seq - v.chain.Next // by a gap
	if err := v.chain.Follow(&r, line); err != nil {
		return err
	}
	g, first := r.Body.(*ledger.Genesis)
	if first != (r.Seq == 0) {
		return fmt.Errorf("%w: record %d is of kind %s, and genesis is record 0", ErrGenesis, r.Seq, r.Body.Kind())
	}
	switch b := r.Body.(type) {
	case *ledger.Open:
		return v.openStreams(b)
	case *ledger.Release:
		return v.release(b)
	case *ledger.Gap:
		return v.gap(r.Seq, skipped, b)
	}
	return v.begin(g)
}

func (v *Verifier) begin(g *ledger.Genesis) (err error) {
	switch {
	case g.Version != ledger.Version:
		return fmt.Errorf("%w: format %d, and this program reads %d", ErrGenesis, g.Version, ledger.Version)
	case g.Network == "":
		return fmt.Errorf("%w: no network", ErrGenesis)
	case g.Mode != ledger.Private && g.Mode != ledger.Lockstep:
		return fmt.Errorf("%w: mode %q, want %s or %s", ErrGenesis, g.Mode, ledger.Private, ledger.Lockstep)
	case g.Budget.Check() != nil:
		return fmt.Errorf("%w: %w", ErrGenesis, g.Budget.Check())
	case g.Mode == ledger.Private && g.Budget.Epsilon == dp.Infinite:
		return fmt.Errorf("%w: an infinite budget gives no privacy", ErrGenesis)
	}
	if v.key, err = publicKey(g.Peer); err != nil {
		return fmt.Errorf("%w: peer %q: %w", ErrGenesis, g.Peer, err)
	}
	v.genesis, v.again = *g, g.Incarnation
	return nil
}

func (v *Verifier) openStreams(c *ledger.Open) error {
	if int(c.Stream) != len(v.streams) || c.Streams < 1 || c.Streams > ledger.MaxStreams-len(v.streams) {
		return fmt.Errorf("%w: it opens %d streams from %d, and %d of %d are open", ErrCharge, c.Streams, c.Stream, len(v.streams), ledger.MaxStreams)
	}
	if err := c.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCharge, err)
	}
	if err := v.pay(c.What, c.Loss); err != nil {
		return err
	}
	for range c.Streams {
		v.streams = append(v.streams, stream{open: len(v.opens), next: 1})
	}
	v.opens = append(v.opens, *c)
	return nil
}

// pay adds a loss to the charges, whose sum the budget must cover.
func (v *Verifier) pay(what string, l account.Loss) error {
	sum, err := v.charged.Plus(l)
	ok := err == nil
	if ok {
		ok, err = v.genesis.Budget.Covers(sum)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBudget, err)
	}
	if !ok {
		return fmt.Errorf("%w: %s for %q, with %s of %s charged before", ErrBudget, ledger.LossText(l), what, ledger.LossText(v.charged), ledger.BudgetText(v.genesis.Budget))
	}
	v.charged = sum
	return nil
}

// open checks the line that opens a release, and the numbers that it shows.
func (v *Verifier) open(r *ledger.Release, line []byte) error {
	if r == nil || ledger.HashOf(line).String() != r.Commitment {
		return ErrOpening
	}
	v.sealed--
	if err := r.ReadOpening(line); err != nil {
		return err
	}
	s := &v.streams[r.Stream]
	if err := v.opens[s.open].CoversAfter(s.base, r.Fields()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnpaid, err)
	}
	return nil
}

func (v *Verifier) release(r *ledger.Release) error {
	if int64(r.Stream) >= int64(len(v.streams)) {
		return fmt.Errorf("%w: stream %d, and %d are open", ErrUnpaid, r.Stream, len(v.streams))
	}
	s := &v.streams[r.Stream]
	open := &v.opens[s.open]
	switch err := open.CoversAfter(s.base, r.Fields()); {
	case errors.Is(err, dp.ErrNoise):
		return fmt.Errorf("%w: %w", ErrNoise, err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnpaid, err)
	}
	switch {
	case r.To <= s.last:
		return fmt.Errorf("%w: leaf %d of stream %d, which has released leaf %d", ErrTwice, r.To, r.Stream, s.last)
	case r.To > s.next:
		return fmt.Errorf("%w: leaf %d of stream %d, and leaf %d is not there", ErrMissing, r.To, r.Stream, s.next)
	case r.Commitment != "" && slices.ContainsFunc(r.Values, func(x int64) bool { return x != 0 }):
		return fmt.Errorf("%w: numbers next to a commitment", ledger.ErrForm)
	}
	s.last, s.next = r.To, r.To+1
	v.round = max(v.round, r.Round)
	s.releases++
	if r.Commitment != "" {
		v.sealed, v.newest = v.sealed+1, r
	}
	return nil
}

func (v *Verifier) gap(seq, skipped uint64, g *ledger.Gap) error {
	switch {
	case len(v.gaps) == maxGaps:
		return fmt.Errorf("%w: more than %d", ErrGap, maxGaps)
	case g.Incarnation <= v.again:
		return fmt.Errorf("%w: incarnation %d after %d", ErrGap, g.Incarnation, v.again)
	case len(g.Next) != len(v.streams):
		return fmt.Errorf("%w: it lists %d streams, and %d are open", ErrGap, len(g.Next), len(v.streams))
	case g.Had > seq-skipped:
		return fmt.Errorf("%w: it says that %d records were here or known to be lost, and there were %d", ErrGap, g.Had, seq-skipped)
	case g.Margin < 1:
		return fmt.Errorf("%w: nothing is given up for what no peer remembers", ErrGap)
	case g.Since > g.Round:
		return fmt.Errorf("%w: it is of rounds %d to %d", ErrGap, g.Since, g.Round)
	}
	report := GapReport{
		Seq: seq, Claimed: g.Claimed, Had: g.Had, Lost: g.Lost(), Incarnation: g.Incarnation, Since: g.Since, Round: g.Round,
		Waiting: g.Waiting, Without: append([]string{}, g.Without...),
	}
	ended := false
	for i, next := range g.Next {
		s := &v.streams[i]
		open := &v.opens[s.open]
		end := open.Leaves + 1
		if next > end || next < end && (next < s.next || next-s.next < g.Margin) {
			return fmt.Errorf("%w: stream %d continues at leaf %d, and %d of %d were closed or given up before; a gap gives up %d or more", ErrGap, i, next, s.next-1, open.Leaves, g.Margin)
		}
		ended = ended || next == end
		report.GivenUp += next - s.next
		s.base = next - 1
		s.next = next
	}
	if !ended && len(v.streams) > 0 && report.GivenUp < g.Lost() {
		return fmt.Errorf("%w: %d records are lost, and only %d leaves are given up", ErrGap, g.Lost(), report.GivenUp)
	}
	v.again = g.Incarnation
	v.skipped += skipped
	v.gaps = append(v.gaps, report)
	return nil
}

func (v *Verifier) end(line []byte) error {
	t, err := ledger.ParseTrailer(line)
	switch {
	case err != nil:
		return err
	case v.chain.Next == 0:
		return fmt.Errorf("%w: there are no records", ErrGenesis)
	case t.Records != v.chain.Next:
		return fmt.Errorf("%w: the end comes after %d records, want %d", ledger.ErrChain, t.Records, v.chain.Next)
	case t.Head != v.chain.Head:
		return fmt.Errorf("%w: the end follows %v, but the line before has hash %v", ledger.ErrChain, t.Head, v.chain.Head)
	case !ed25519.Verify(v.key, append([]byte(ledger.Domain+"\x00"), t.Signed(v.genesis.Network)...), t.Signature[:]):
		return fmt.Errorf("%w: %s", ErrSignature, v.genesis.Peer)
	}
	v.ended = true
	return nil
}
