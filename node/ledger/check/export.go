package check

import (
	"bufio"
	"io"
	"iter"

	"peerd.dev/node/ledger"
)

// Export writes a ledger for others to check: its lines, which are given without newlines, and a
// last line with the signature by the peer's key. It checks everything that [Verify] checks and
// stops at the first fault; what it has written to w is then no complete export. The report is
// the one that Verify returns for the export.
func Export(w io.Writer, lines iter.Seq2[[]byte, error], sign func(domain string, b []byte) ([]byte, error)) (Report, error) {
	out := bufio.NewWriter(w)
	v := NewVerifier()
	put := func(line []byte) error {
		if err := v.Line(line); err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		return out.WriteByte('\n')
	}
	for line, err := range lines {
		if err == nil {
			err = put(line)
		}
		if err != nil {
			return Report{}, err
		}
	}
	t := ledger.Trailer{Records: v.chain.Next, Head: v.chain.Head}
	signature, err := sign(ledger.Domain, t.Signed(v.genesis.Network))
	if err != nil {
		return Report{}, err
	}
	copy(t.Signature[:], signature) // a signature of another length does not verify
	end, err := t.Line()
	if err == nil {
		err = put(end)
	}
	if err != nil {
		return Report{}, err
	}
	return v.Report(), out.Flush()
}
