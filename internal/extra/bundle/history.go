package bundle

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"peerd.dev/gossip"
	"peerd.dev/internal/daemon"
	"peerd.dev/node/network"
)

// NetworkLines returns the part [Network] of a network document: the first document as it was written, the versions that follow and the
// records of places as they were signed, and the document that they make.
func NetworkLines(b *network.Book) ([]byte, error) {
	s := b.State()
	values := []any{s.Root}
	for i := range s.Versions {
		values = append(values, s.Versions[i])
	}
	for i := range s.Records {
		values = append(values, s.Records[i])
	}
	return lines(append(values, b.Newest())...)
}

// history verifies the part [Network], and returns the first document and the newest one.
func history(b []byte) (first, newest *network.Document, err error) {
	var all [][]byte
	for line := range bytes.Lines(b) {
		var object map[string]any
		text, ok := bytes.CutSuffix(line, []byte("\n"))
		if err = decode(Network, text, &object, false); err != nil {
			return nil, nil, err
		}
		if !ok || object == nil || !utf8.Valid(text) {
			return nil, nil, fault(Form, "%s: want one object on each line, and a newline at its end", Network)
		}
		all = append(all, text)
	}
	if len(all) < 2 {
		return nil, nil, fault(NetworkBad, "it has %d lines, want the first document and the newest one", len(all))
	}
	s := network.State{Root: all[0]}
	for _, line := range all[1 : len(all)-1] {
		if bytes.HasPrefix(line, []byte(`{"record":`)) {
			s.Records = append(s.Records, network.Record{})
			err = json.Unmarshal(line, &s.Records[len(s.Records)-1])
		} else {
			s.Versions = append(s.Versions, network.Version{})
			err = json.Unmarshal(line, &s.Versions[len(s.Versions)-1])
		}
		if err != nil {
			return nil, nil, &Fault{NetworkBad, err}
		}
	}
	first = new(network.Document)
	if err = json.Unmarshal(s.Root, first); err != nil {
		return nil, nil, &Fault{NetworkBad, err}
	}
	book, err := network.Open(network.Config{Keys: daemon.Keys(gossip.Identity{})}, s)
	if err != nil {
		return nil, nil, &Fault{NetworkBad, err}
	}
	again, err := NetworkLines(book)
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(again, b) {
		return nil, nil, fault(NetworkBad, "it is not as a peer writes it, or its last line is not the document that the others make")
	}
	return first, book.Newest(), nil
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
