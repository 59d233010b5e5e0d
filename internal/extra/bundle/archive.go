package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"peerd.dev/gossip"
)

// maxPart bounds a part that is read as a whole: all except the ledger, which is read line by line.
const maxPart = 64 << 20

// maxDepth bounds how many objects and lists of a part are within each other.
const maxDepth = 64

// An archive is a bundle that is being read.
type archive struct {
	from *counter
	tar  *tar.Reader
	size int64 // of the entries so far
	Manifest
}

// block is what sizes in an archive are multiples of.
const block = 512

// A counter counts what is read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// open reads the manifest and its signature.
func open(r io.Reader) (*archive, error) {
	from := &counter{Reader: r}
	a := &archive{from: from, tar: tar.NewReader(from)}
	manifest, err := a.whole(manifestPart)
	if err != nil {
		return nil, err
	}
	signature, err := a.whole(signaturePart)
	if err != nil {
		return nil, err
	}
	if err = decode(manifestPart, manifest, &a.Manifest, true); err != nil {
		return nil, err
	}
	if a.Format != Format {
		return nil, fault(Form, "format %.40q, and this program reads %s", a.Format, Format)
	}
	if _, offset := a.Made.Zone(); offset != 0 || !a.Made.Equal(a.Made.Truncate(time.Second)) {
		return nil, fault(Form, "%s: made %v, want a time in UTC to the second", manifestPart, a.Made)
	}
	if len(a.Parts) != len(Names()) {
		return nil, fault(Form, "%s lists %d parts, want %d", manifestPart, len(a.Parts), len(Names()))
	}
	for i, name := range Names() {
		if a.Parts[i].Name != name {
			return nil, fault(Form, "%s lists %.40q, want %s", manifestPart, a.Parts[i].Name, name)
		}
	}
	sig, err := hex.DecodeString(string(bytes.TrimSuffix(signature, []byte("\n"))))
	if err != nil || len(signature) != 129 || !bytes.Equal(signature, append(hex.AppendEncode(nil, sig), '\n')) {
		return nil, fault(Form, "%s: want 128 hexadecimal digits in lower case and a newline", signaturePart)
	}
	if !gossip.Verify(a.Peer, Format, manifest, sig) {
		return nil, fault(Signature, "peer %.70q did not sign %s", a.Peer, manifestPart)
	}
	return a, nil
}

// next moves to the next entry of the file, which must have a name.
func (a *archive) next(name string) (*tar.Header, error) {
	h, err := a.tar.Next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fault(Form, "the file ends before %s", name)
	case errors.Is(err, tar.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault(Form, "no tar archive: %w", err)
	case err != nil:
		return nil, err
	case h.Name != name || h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR:
		return nil, fault(Form, "entry %.40q of type %q and format %v, want the regular file %s of format USTAR", h.Name, h.Typeflag, h.Format, name)
	}
	a.size += block + (h.Size+block-1)/block*block
	return h, nil
}

// whole reads the next entry.
func (a *archive) whole(name string) ([]byte, error) {
	h, err := a.next(name)
	if err != nil {
		return nil, err
	}
	if h.Size > maxPart {
		return nil, fault(Form, "%s has %d bytes, at most %d", name, h.Size, maxPart)
	}
	b, err := io.ReadAll(a.tar)
	return b, cut(err)
}

// cut makes the end of a file within an entry a fault.
func cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(Form, "the file stops within an entry")
	}
	return err
}

// part reads the next part and compares it with the manifest.
func (a *archive) part(name string) ([]byte, error) {
	b, err := a.whole(name)
	if err != nil {
		return nil, err
	}
	return b, a.listed(name, int64(len(b)), sha256.Sum256(b))
}

// listed compares a part with the manifest.
func (a *archive) listed(name string, n int64, sum [sha256.Size]byte) error {
	for _, p := range a.Parts {
		if p.Name == name && (p.Bytes != n || p.SHA256 != hex.EncodeToString(sum[:])) {
			return fault(Hash, "%s has %d bytes and SHA-256 %x, and %s lists %d and %.64s", name, n, sum, manifestPart, p.Bytes, p.SHA256)
		}
	}
	return nil
}

// end checks that nothing comes after the last part.
func (a *archive) end() error {
	h, err := a.tar.Next()
	if err == nil {
		return fault(Form, "entry %.40q after the last part", h.Name)
	}
	if !errors.Is(err, io.EOF) {
		return fault(Form, "after the last part: %w", err)
	}
	rest, err := io.ReadAll(io.LimitReader(a.from, maxPart))
	if err != nil {
		return err
	}
	if len(bytes.Trim(rest, "\x00")) > 0 || a.from.n < a.size+2*block || a.from.n%block != 0 {
		return fault(Form, "the archive does not end with blocks of zeros, two or more")
	}
	return nil
}

// decode reads a JSON document of a part. No object in it has a key twice; exact refuses fields that are not known.
func decode(name string, b []byte, to any, exact bool) error {
	if err := once(json.NewDecoder(bytes.NewReader(b)), maxDepth); err != nil {
		return fault(Form, "%s: %w", name, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if exact {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(to); err != nil {
		return fault(Form, "%s: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault(Form, "%s: there is something after the document", name)
	}
	return nil
}

// once returns an error if an object of the next value has a key twice, or one with capital letters, which encoding/json takes for another,
// or if more than depth values are within each other: no text may fill the stack.
func once(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	if depth == 0 {
		return fmt.Errorf("byte %d: objects and lists deeper than %d", d.InputOffset(), maxDepth)
	}
	seen := make(map[string]bool)
	for d.More() {
		if open == '{' {
			key, wrong := d.Token()
			if wrong != nil {
				return wrong
			}
			name, _ := key.(string)
			if seen[name] || name != strings.ToLower(name) {
				return fmt.Errorf("key %.70q: want each once, without capital letters", name)
			}
			seen[name] = true
		}
		if err = once(d, depth-1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
