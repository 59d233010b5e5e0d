// Package bundle writes and verifies the auditor's bundle: one signed file with a site's settings, promise, ledger and
// network, and what neighbours signed about the ledger. docs/bundle.md is its format.
package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"
)

// Format names the format that this package reads and writes. It is also the domain of the signature.
const Format = "peerd/bundle/2"

// The parts, in their order in the file.
const (
	manifestPart  = "manifest.json"
	signaturePart = "manifest.sig"
	Page          = "privacy.txt"
	PageJSON      = "privacy.json"
	Settings      = "settings.yaml"
	Policy        = "policy.txt"
	Network       = "network.jsonl"
	Ledger        = "ledger.jsonl"
	Receipts      = "receipts.jsonl"
	Build         = "build.json"
)

// Names returns the names of the parts that the manifest lists, in their order.
func Names() []string {
	return []string{Page, PageJSON, Settings, Policy, Network, Ledger, Receipts, Build}
}

// A Manifest says what a bundle is of.
type Manifest struct {
	Format  string    `json:"format"`
	Network string    `json:"network"` // name
	Site    string    `json:"site"`    // name in the network
	Peer    string    `json:"peer"`    // id of the key that signs
	Made    time.Time `json:"made"`    // by the site's clock, to the second, in UTC
	Parts   []Part    `json:"parts"`
}

// A Part is one file of a bundle.
type Part struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Write writes a bundle of the parts' contents by name. It adds format and parts to the manifest, which sign signs under a
// domain. It checks nothing; [Verify] does.
func Write(w io.Writer, m Manifest, contents map[string][]byte, sign func(domain string, b []byte) ([]byte, error)) error {
	m.Format, m.Parts = Format, nil
	for _, name := range Names() {
		sum := sha256.Sum256(contents[name])
		m.Parts = append(m.Parts, Part{name, int64(len(contents[name])), hex.EncodeToString(sum[:])})
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	manifest = append(manifest, '\n')
	signature, err := sign(Format, manifest)
	if err != nil {
		return err
	}
	out := tar.NewWriter(w)
	add := func(name string, b []byte) error {
		if wrong := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(b)), Mode: 0o644, ModTime: m.Made, Format: tar.FormatUSTAR}); wrong != nil {
			return wrong
		}
		_, wrong := out.Write(b)
		return wrong
	}
	if err = add(manifestPart, manifest); err == nil {
		err = add(signaturePart, append(hex.AppendEncode(nil, signature), '\n'))
	}
	for _, name := range Names() {
		if err == nil {
			err = add(name, contents[name])
		}
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// lines returns values as JSON, each on a line.
func lines(values ...any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
