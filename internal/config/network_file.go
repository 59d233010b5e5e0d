package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"go.yaml.in/yaml/v3"

	"peerd.dev/node/network"
)

// ReadNetwork reads a network file and refuses a bad one with a *Refusal.
func ReadNetwork(path string) (*Network, error) {
	if signed(path) {
		return readRecord(path)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, Failf(ErrRefused, "this folder is in no network: `peerd network new` begins one, `peerd join TOKEN` joins one; the setting network names the file: %w", err)
	}
	if err != nil {
		return nil, err
	}
	what := "network file " + path
	n := &Network{}
	err = readYAML(b, n)
	var misfits *yaml.TypeError
	var clock *time.ParseError
	switch {
	case errors.As(err, &misfits):
		return nil, &Refusal{what, networkMisfits(misfits)}
	case errors.As(err, &clock):
		return nil, &Refusal{what, []Problem{{Key: "start", Value: clock.Value, Reason: "want " + networkType("time.Time")}}}
	case err != nil:
		return nil, Failf(ErrRefused, "%s refused: %s", what, yamlTrouble(err))
	}
	if problems := n.Validate(); len(problems) > 0 {
		return nil, &Refusal{what, problems}
	}
	return n, nil
}

// networkMisfits returns a problem for each unknown key and wrong type, with its place.
func networkMisfits(err *yaml.TypeError) []Problem {
	var problems []Problem
	for _, text := range err.Errors {
		line, what, _ := strings.Cut(text, ": ")
		if key, ok := strings.CutPrefix(what, "field "); ok {
			key, _, _ = strings.Cut(key, " not found")
			problems = append(problems, Problem{
				Key: key, Value: line, Reason: "unknown key; there are name, start, every, links and peers with name, id and addrs",
			})
			continue
		}
		value, typ, _ := strings.Cut(strings.TrimPrefix(what, "cannot unmarshal "), " into ")
		_, value, _ = strings.Cut(value, " ")
		problems = append(problems, Problem{Key: line, Value: strings.Trim(value, "`"), Reason: "want " + networkType(typ)})
	}
	return problems
}

// networkType describes the values that a Go type of Network takes.
func networkType(typ string) string {
	switch typ {
	case "time.Time":
		return "a time such as 2026-01-02T15:04:05Z"
	case "time.Duration":
		return "a duration such as 1s"
	case "string":
		return "text"
	case "int":
		return "a peer's index, from 0"
	case "[2]int", "[][2]int":
		return "links such as [0, 1]"
	}
	return "a list or section here"
}

// readRecord returns the network of a signed document. Signatures are verified by what runs on it.
func readRecord(path string) (*Network, error) {
	b, err := OpenDocument(path, network.Config{})
	if err != nil {
		return nil, err
	}
	return NetworkOf(b.Newest()), nil
}

// OpenDocument opens the file of a signed document.
func OpenDocument(path string, c network.Config) (book *network.Book, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, Failf(ErrRefused, "network document: %w", err)
	}
	var s network.State
	if err = json.Unmarshal(text, &s); err == nil && s.Root == nil && bytes.Contains(text, []byte(`"steps":`)) {
		return nil, Failf(ErrRefused, "network document %s is of peerd 0.2.0 or before: it has no form that this build reads; docs/upgrading.md says what to do", path)
	}
	if err == nil {
		book, err = network.Open(c, s)
	}
	if err != nil {
		return nil, Failf(ErrRefused, "network document %s is damaged: %w. Stop this peer and copy the file of another peer over it: a document proves itself", path, err)
	}
	return book, nil
}

// NetworkOf returns the network of a document. Peers that are not present have their places and no links.
func NetworkOf(d *network.Document) *Network {
	n := &Network{Name: d.Name, Start: d.Start, Every: d.Duration(), Links: d.Edges(), Version: d.Version, First: cmp.Or(d.Network, d.Hash()), Document: d, Settings: d.Settings, Changed: d.Changed, Added: d.Added, Retired: d.Retired}
	for _, p := range d.Peers {
		n.Peers = append(n.Peers, Member{Name: p.Name, ID: p.ID, Addrs: p.Addrs, Standing: p.Standing, Former: p.Former, Closed: p.Closed})
	}
	return n
}

// WriteNetwork writes a network file completely or not at all.
func WriteNetwork(path string, n *Network) error {
	var b bytes.Buffer
	b.WriteString("# A network of peerd: the same file at every peer.\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(n), e.Close()); err != nil {
		return err
	}
	return renameio.WriteFile(path, b.Bytes(), 0o644)
}
