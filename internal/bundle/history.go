package bundle

import (
	"bytes"
	"encoding/json"
	"slices"

	"peerd.dev/gossip"
	"peerd.dev/node/network"
)

// NetworkLines returns the part [Network] of a record of the network document.
func NetworkLines(b *network.Book) ([]byte, error) {
	r := b.Record()
	values := []any{b.At(1)}
	for i := range r.Steps {
		values = append(values, r.Steps[i], b.At(uint64(i+2)))
	}
	return lines(values...)
}

// verifier checks signatures of network documents. It signs nothing.
type verifier struct{ network.Keys }

func (verifier) Verify(id string, b, sig []byte) bool {
	return gossip.Verify(id, network.Domain, b, sig)
}

// history returns the versions of the part [Network], the newest last. Every version follows from the one before by its change and its votes.
func history(b []byte) (all []*network.Document, err error) {
	var r network.Record
	text := bytes.SplitAfter(b, []byte("\n"))
	if n := len(text); n%2 != 0 || len(text[n-1]) > 0 {
		return nil, fault(Form, "%s has an even number of lines, or no newline at its end", Network)
	}
	text = text[:len(text)-1]
	read := func(line []byte, to any) error {
		if wrong := json.Unmarshal(line, to); wrong != nil {
			return fault(Form, "%s: %w", Network, wrong)
		}
		if again, wrong := lines(to); wrong != nil || !bytes.Equal(again, line) {
			return fault(Form, "%s: a line is not as a peer writes it", Network)
		}
		return nil
	}
	if err = read(text[0], &r.First); err != nil {
		return nil, err
	}
	for i := 1; i < len(text); i += 2 {
		var s network.Step
		if err = read(text[i], &s); err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, s)
	}
	book, err := network.Open(network.Config{Keys: verifier{}}, r)
	if err != nil {
		return nil, &Fault{NetworkBad, err}
	}
	for v := range len(text)/2 + 1 {
		d := book.At(uint64(v + 1))
		if again, err := lines(d); err != nil || !bytes.Equal(again, text[2*v]) {
			return nil, fault(NetworkBad, "version %d is not what its change makes of version %d", v+1, v)
		}
		all = append(all, d)
	}
	return all, nil
}

// ids returns the ids that a place has or had.
func ids(p *network.Peer) []string { return append([]string{p.ID}, p.Former...) }

// neighbours returns the places that are linked with a place in a version.
func neighbours(d *network.Document, place int) (all []int) {
	for _, l := range d.Edges() {
		switch place {
		case l[0]:
			all = append(all, l[1])
		case l[1]:
			all = append(all, l[0])
		}
	}
	slices.Sort(all)
	return all
}
