package config

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"go.yaml.in/yaml/v3"

	"peerd.dev/gossip"
	"peerd.dev/node/network"
	"peerd.dev/protocol"
)

// A Network is the content of a network file: who the peers are, who talks to whom and when. A
// peer's index is its place in Peers.
type Network struct {
	Name  string        `yaml:"name"`
	Start time.Time     `yaml:"start"` // of round 0
	Every time.Duration `yaml:"every"`
	Peers []Member      `yaml:"peers"`
	Links [][2]int      `yaml:"links,flow"`

	// Only of a signed document.
	Version  uint64            `yaml:"-"` // 0 for a file that is not signed
	First    string            `yaml:"-"` // hash of the first version
	Document *network.Document `yaml:"-"` // nil for a file that is not signed
	Settings []network.Setting `yaml:"-"` // that all share, in the first version
	Changed  []network.Setting `yaml:"-"` // those that have other values now
	Added    []string          `yaml:"-"` // actions in addition to those in the settings
	Retired  []string          `yaml:"-"` // actions that are not chosen any more
}

// A Member is one peer of a network.
type Member struct {
	Name  string   `yaml:"name"`
	ID    string   `yaml:"id"`
	Addrs []string `yaml:"addrs,flow"`

	Standing network.Standing `yaml:"-"` // in a signed document; empty for present
	Former   []string         `yaml:"-"` // ids that it had before
	Closed   []network.Closed `yaml:"-"` // its replaced keys, and how far the ledger was with each
}

// ReadNetwork reads a network file and refuses a bad one with a *Refusal.
func ReadNetwork(path string) (*Network, error) {
	if signed(path) {
		return readRecord(path)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, Failf(ErrRefused, "%w; the setting network says where it is", err)
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

// Index returns the place of the peer with an id.
func (n *Network) Index(id string) (protocol.Peer, bool) {
	i := slices.IndexFunc(n.Peers, func(m Member) bool { return m.ID == id })
	return protocol.Peer(max(i, 0)), i >= 0
}

// IDs returns the peers' ids by index.
func (n *Network) IDs() []string {
	ids := make([]string, len(n.Peers))
	for i, m := range n.Peers {
		ids[i] = m.ID
	}
	return ids
}

// closed returns replaced keys in the form of package gossip.
func closed(all []network.Closed) (keys []gossip.Closed) {
	for _, x := range all {
		key := gossip.Closed{ID: x.ID, Ledger: protocol.Checkpoint{Records: x.Records}}
		_, _ = hex.Decode(key.Ledger.Head[:], []byte(x.Head)) // a document with another form is refused
		keys = append(keys, key)
	}
	return keys
}

// Infos returns the peers in the form of package gossip, by index.
func (n *Network) Infos() []gossip.PeerInfo {
	infos := make([]gossip.PeerInfo, len(n.Peers))
	for i, m := range n.Peers {
		infos[i] = gossip.PeerInfo{Name: m.Name, ID: m.ID, Addrs: m.Addrs, Former: m.Former, Closed: closed(m.Closed), Absent: m.Absent(), Gone: m.Standing == network.Gone}
	}
	return infos
}
