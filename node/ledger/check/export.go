package ledger

import (
	"bufio"
	"crypto/ed25519"
	"fmt"
	"io"
	"iter"
)

// Domain separates signatures of ledgers from all other signatures by a peer's key.
const Domain = "peerd/ledger/1"

// A trailer ends an export: the peer's statement that these are all its records.
type trailer struct {
	records   uint64
	head      Hash
	signature [ed25519.SignatureSize]byte
}

func (t *trailer) fields() []field {
	return []field{{"kind", new(kindEnd)}, {"records", &t.records}, {"head", new(digits(t.head[:]))}, {"signature", new(digits(t.signature[:]))}}
}

// signed returns what the signature covers, after the domain and a zero byte.
func (t *trailer) signed(network string) []byte {
	return fmt.Appendf(nil, "%s\x00%d\x00%v", network, t.records, t.head)
}

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
	t := trailer{records: v.chain.Next, head: v.chain.Head}
	signature, err := sign(Domain, t.signed(v.genesis.Network))
	if err != nil {
		return Report{}, err
	}
	copy(t.signature[:], signature) // a signature of another length does not verify
	end, err := write(nil, t.fields())
	if err == nil {
		err = put(end)
	}
	if err != nil {
		return Report{}, err
	}
	return v.Report(), out.Flush()
}
