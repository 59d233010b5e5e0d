package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"peerd.dev/gossip"
	"peerd.dev/internal/ask"
	"peerd.dev/internal/extra/bundle"
	"peerd.dev/internal/peerdtest"
	"peerd.dev/internal/require"
	"peerd.dev/node/network"
)

// An audited is a network of three sites that has played, and what its sites wrote for an auditor.
type audited struct {
	keys    map[string]gossip.Identity
	bundles map[string][]byte
}

// playAudited plays a network whose document has changes that two of its admins have signed.
func playAudited(t *testing.T) (n audited) {
	root := peerdtest.Dir(t)
	n = audited{make(map[string]gossip.Identity), make(map[string][]byte)}
	addrs, names := freeAddrs(t, 3), []string{"a", "b", "c"}
	dir := func(name string) string { return filepath.Join(root, name) }
	world := []string{"--set", "world.kind=bernoulli", "--set", "world.bernoulli.means=[[0.9, 0.1]]"}
	does(t, slices.Concat([]string{"init", "--dir", dir("a"), "--set", "arms=[red, green]", "--set", "privacy.epsilon=1", "--set", "rounds.every=50ms", "--set", "listen=[" + addrs[0] + "]"}, world)...)
	does(t, "network", "new", "--dir", dir("a"), "--name", "clinics", "--peer", "a", "--addr", addrs[0])
	peers := []*running{runs(t, dir("a"))}
	join := func(i int, signs ...string) {
		var token string
		eventually(t, "an invitation", func() bool {
			c, stdout, _ := peerd(t, "network", "invite", names[i], "--dir", dir("a"))
			token = strings.TrimSpace(stdout)
			if c != exitOK {
				return false
			}
			for _, at := range signs {
				eventually(t, "a signature", func() bool { return signsAll(t, dir(at)) })
			}
			return true
		})
		does(t, slices.Concat([]string{"join", token, "--yes", "--dir", dir(names[i]), "--listen", addrs[i]}, [][]string{1: {"--addr", addrs[i]}, 2: nil}[i], world)...)
		peers = append(peers, runs(t, dir(names[i])))
		eventually(t, "records of "+names[i], func() bool {
			ps, wrong := ask.Peers(t.Context(), dir("a"))
			return wrong == nil && len(ps) == i && ps[i-1].Records > 0
		})
	}
	join(1)
	does(t, "network", "admins", "a", "b", "--needed", "2", "--dir", dir("a"))
	eventually(t, "two admins", func() bool {
		return strings.Contains(does(t, "network", "show", "--dir", dir("b")), "versions need 2 of 2")
	})
	join(2, "b")
	for _, name := range names {
		file := filepath.Join(root, name+".tar")
		eventually(t, "receipts of both others", func() bool {
			c, stdout, _ := peerd(t, "audit", "bundle", "--dir", dir(name), "-o", file, "--json")
			var r bundle.Report
			return c == exitOK && json.Unmarshal([]byte(stdout), &r) == nil && r.Ledger.Releases >= 8 && len(r.Witnesses) == 2 && r.Witnesses[0].Records*r.Witnesses[1].Records > 0
		})
		var err error
		if n.bundles[name], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if n.keys[name], err = gossip.LoadIdentity(filepath.Join(dir(name), "identity.key")); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range peers {
		p.end(t)
	}
	n.keys["thief"] = gossip.SeedIdentity([32]byte{5})
	return n
}

// signsAll signs what a site's document lists, and reports whether there was anything.
func signsAll(t *testing.T, dir string) bool {
	for _, hash := range regexp.MustCompile(`\b[0-9a-f]{12}\b`).FindAllString(does(t, "network", "show", "--dir", dir), -1) {
		if c, _, _ := peerd(t, "network", "sign", hash, "--dir", dir); c == exitOK {
			return true
		}
	}
	return false
}

// entries returns the entries of a bundle by name.
func entries(t *testing.T, b []byte) (m bundle.Manifest, parts map[string][]byte) {
	t.Helper()
	parts = make(map[string][]byte)
	for r := tar.NewReader(bytes.NewReader(b)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		parts[h.Name] = require.Value(io.ReadAll(r))(t)
	}
	require.NoError(t, json.Unmarshal(parts["manifest.json"], &m))
	return m, parts
}

// archived writes entries as they are, and further ones at the end.
func archived(t *testing.T, parts map[string][]byte, more ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Concat([]string{"manifest.json", "manifest.sig"}, bundle.Names(), more) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(parts[name])), Mode: 0o644, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write(parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// chained returns a ledger with numbers, hashes and signature of its own, by the key that signs.
func chained(t *testing.T, lines [][]byte, by gossip.Identity) []byte {
	t.Helper()
	var b bytes.Buffer
	prev := make([]byte, sha256.Size)
	head, n := regexp.MustCompile(`^\{"seq":\d+,"prev":"[0-9a-f]*"`), 0
	for _, line := range lines {
		if !head.Match(line) { // the end
			continue
		}
		if claims := regexp.MustCompile(`"kind":"gap","claimed":(\d+)`).FindSubmatch(line); claims != nil {
			n = len(lines)
			require.Value(fmt.Sscan(string(claims[1]), &n))(t)
		}
		line = head.ReplaceAll(line, fmt.Appendf(nil, `{"seq":%d,"prev":"%x"`, n, prev))
		sum := sha256.Sum256(line)
		prev, n = sum[:], n+1
		b.Write(append(line, '\n'))
	}
	sig := require.Value(by.Sign("peerd/ledger/1", fmt.Appendf(nil, "clinics\x00%d\x00%x", n, prev)))(t)
	_, _ = fmt.Fprintf(&b, `{"kind":"end","records":%d,"head":"%x","signature":"%x"}`+"\n", n, prev, sig)
	return b.Bytes()
}

func split(b []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(bytes.Clone(b), []byte("\n")), []byte("\n"))
}

func joined(lines [][]byte) []byte { return append(bytes.Join(lines, []byte("\n")), '\n') }

// replaced replaces text that must be there.
func replaced(t *testing.T, b []byte, old, by string) []byte {
	t.Helper()
	if !bytes.Contains(b, []byte(old)) {
		t.Fatalf("there is no %q in %.2000s", old, b)
	}
	return bytes.ReplaceAll(b, []byte(old), []byte(by))
}

// A forger changes the bundle of site a.
type forger struct {
	*testing.T
	audited
	m     bundle.Manifest
	parts map[string][]byte
}

func (f *forger) edit(part, old, by string) { f.parts[part] = replaced(f.T, f.parts[part], old, by) }

// signed signs the bundle again.
func (f *forger) signed(by string) []byte {
	var b bytes.Buffer
	require.NoError(f, bundle.Write(&b, f.m, f.parts, f.keys[by].Sign))
	return b.Bytes()
}

// ledger changes the lines of the ledger, and chains and signs them again.
func (f *forger) ledger(change func(lines [][]byte) [][]byte) {
	f.parts[bundle.Ledger] = chained(f.T, change(split(f.parts[bundle.Ledger])), f.keys["a"])
}

// made changes the time of the bundle everywhere.
func (f *forger) made(at time.Time) {
	f.edit(bundle.PageJSON, f.m.Made.Format(time.RFC3339), at.Format(time.RFC3339))
	f.edit(bundle.Page, f.m.Made.Format(time.DateOnly), at.Format(time.DateOnly))
	f.m.Made = at
}

// settled makes the page state the hash of the settings.
func (f *forger) settled(was []byte) {
	old, is := sha256.Sum256(was), sha256.Sum256(f.parts[bundle.Settings])
	for _, part := range []string{bundle.Page, bundle.PageJSON} {
		f.edit(part, hex.EncodeToString(old[:]), hex.EncodeToString(is[:]))
	}
}

// receipt returns a line that a witness signs.
func (f *forger) receipt(witness gossip.Identity, owner string, records uint64, head string, at time.Time) []byte {
	sum := require.Value(hex.DecodeString(head))(f)
	b := binary.BigEndian.AppendUint64([]byte("clinics\x00"+owner+"\x00"), records)
	b = binary.BigEndian.AppendUint64(append(b, sum...), uint64(at.Unix()))
	sig := require.Value(witness.Sign("peerd/receipt/1", b))(f)
	return fmt.Appendf(nil, `{"kind":"receipt","witness":"%s","records":%d,"head":"%s","time":"%s","signature":"%x"}`, witness.ID(), records, head, at.UTC().Format(time.RFC3339), sig)
}

// versions changes the lines of the document.
func (f *forger) versions(change func(lines [][]byte)) {
	lines := split(f.parts[bundle.Network])
	change(lines)
	f.parts[bundle.Network] = joined(lines)
}

// resigned changes a version or a record of the document, or its last line. Keys then sign it, if any are named.
func (f *forger) resigned(line int, old, by string, names ...string) {
	lines := split(f.parts[bundle.Network])
	lines[line] = replaced(f.T, lines[line], old, by)
	var x struct{ Version, Record json.RawMessage }
	err := json.Unmarshal(lines[line], &x)
	var sigs []network.Signature
	for _, name := range names {
		text := slices.Concat([]byte("version\x00"), x.Version)
		if x.Record != nil {
			text = slices.Concat([]byte("record\x00"), x.Record)
		}
		sig, wrong := f.keys[name].Sign(network.Domain, text)
		sigs, err = append(sigs, network.Signature{Place: strings.Index("abc", name), Sig: sig}), errors.Join(err, wrong)
	}
	var wrong error
	if x.Record != nil && sigs != nil {
		lines[line], wrong = json.Marshal(network.Record{Text: x.Record, Sig: sigs[0].Sig})
	} else if sigs != nil {
		lines[line], wrong = json.Marshal(network.Version{Text: x.Version, Sigs: sigs})
	}
	require.NoError(f, errors.Join(err, wrong))
	f.parts[bundle.Network] = joined(lines)
}

// A vouched is a receipt.
type vouched struct {
	Witness, Head string
	Records       uint64
	Time          time.Time
}

// newestReceipt returns the last receipt of the bundle, and its place among the lines.
func (f *forger) newestReceipt() (r vouched, lines [][]byte, at int) {
	lines = split(f.parts[bundle.Receipts])
	for i, line := range lines {
		if bytes.HasPrefix(line, []byte(`{"kind":"receipt"`)) {
			at = i
		}
	}
	require.NoError(f, json.Unmarshal(lines[at], &r))
	return r, lines, at
}

// mostSeen returns the highest number of records that a receipt of the bundle has. It need not be the last receipt's: they are by witness.
func (f *forger) mostSeen() (records uint64) {
	for _, line := range split(f.parts[bundle.Receipts]) {
		var r vouched
		require.NoError(f, json.Unmarshal(line, &r))
		if bytes.HasPrefix(line, []byte(`{"kind":"receipt"`)) {
			records = max(records, r.Records)
		}
	}
	return records
}

func firstOf(lines [][]byte, kind string) int {
	return slices.IndexFunc(lines, func(b []byte) bool { return bytes.Contains(b, []byte(`"kind":"`+kind+`"`)) })
}

func halved(t *testing.T, line []byte, field string) []byte {
	t.Helper()
	x := regexp.MustCompile(`"` + field + `":(\d+)`)
	n := require.Value(strconv.ParseUint(string(x.FindSubmatch(line)[1]), 10, 64))(t)
	return x.ReplaceAll(line, fmt.Appendf(nil, `"%s":%d`, field, n/2))
}

// A forged is what a liar makes of a bundle, and which kind of fault that is.
type forged struct {
	name  string
	kind  bundle.Kind
	forge func(f *forger) []byte
}

// lies returns a forgery that the site itself signs.
func lies(change func(f *forger)) func(f *forger) []byte {
	return func(f *forger) []byte {
		change(f)
		return f.signed("a")
	}
}

// line returns a forgery of a line of the document, which keys then sign.
func line(n int, old, by string, names ...string) func(f *forger) []byte {
	return lies(func(f *forger) { f.resigned(n, old, by, names...) })
}

// elsewhere returns a forgery with a document of one peer, whose first version differs.
func elsewhere(old, by string) func(f *forger) []byte {
	return lies(func(f *forger) {
		root := replaced(f.T, split(f.parts[bundle.Network])[0], old, by)
		f.parts[bundle.Network] = fmt.Appendf(nil, "%s\n{\"network\":\"%x\",%s\n", root, sha256.Sum256(root), root[1:])
	})
}

// deep returns a forgery of a part that is lists within each other, too many for a reader that follows them by recursion.
func deep(part string, kind bundle.Kind) forged {
	return forged{"lists within each other in " + part, kind, func(f *forger) []byte {
		depth := 5_000_000
		if part == bundle.Ledger {
			depth = 1_000_000 // in a line
		}
		f.parts[part] = append(bytes.Repeat([]byte("["), depth), '\n')
		if part == "manifest.json" {
			return archived(f.T, f.parts)
		}
		return f.signed("a")
	}}
}

// forgeries returns what liars make of a bundle: outsiders, who have no key; the site itself, which signs everything again; and other members.
func forgeries() []forged {
	before := func(f *forger) time.Time { return f.m.Made.Add(-time.Hour) }
	return []forged{
		{"no forgery: records are lost, and a gap says so", "", lies(func(f *forger) {
			seen := f.mostSeen()
			f.ledger(func(lines [][]byte) [][]byte {
				return append(lines[:seen-2:seen-2], fmt.Appendf(nil, `{"seq":0,"prev":"","kind":"gap","claimed":%d,"had":%d,"incarnation":4294967295,"since":0,"round":9,"waiting":0,"margin":1,"next":[100,100],"without":[]}`, seen, seen-2))
			})
		})},
		{"a gap that claims to have had more than there was, and gives too little up", bundle.LedgerBad, lies(func(f *forger) {
			r, _, _ := f.newestReceipt()
			f.ledger(func(lines [][]byte) [][]byte {
				return append(lines[:r.Records-2:r.Records-2], fmt.Appendf(nil, `{"seq":0,"prev":"","kind":"gap","claimed":1000,"had":1000,"incarnation":4294967295,"since":0,"round":9,"waiting":0,"margin":1,"next":[100,100],"without":[]}`))
			})
		})},
		{"an outsider leaves a release out", bundle.Hash, func(f *forger) []byte {
			lines := split(f.parts[bundle.Ledger])
			f.parts[bundle.Ledger] = joined(slices.Delete(lines, firstOf(lines, "release"), firstOf(lines, "release")+1))
			return archived(f.T, f.parts)
		}},
		{"an outsider changes the build", bundle.Hash, func(f *forger) []byte {
			f.edit(bundle.Build, `"version"`, ` "version"`)
			return archived(f.T, f.parts)
		}},
		{"an outsider changes the manifest", bundle.Signature, func(f *forger) []byte {
			f.edit("manifest.json", `"site": "a"`, `"site": "b"`)
			return archived(f.T, f.parts)
		}},
		{"a part is there twice", bundle.Form, func(f *forger) []byte { return archived(f.T, f.parts, bundle.Build) }},
		{"an entry more", bundle.Form, func(f *forger) []byte { return archived(f.T, f.parts, "more.txt") }},
		{"bytes after the end", bundle.Form, func(f *forger) []byte { return append(f.bundles["a"], make([]byte, 511)...) }},
		{"the end is missing", bundle.Form, func(f *forger) []byte { return f.bundles["a"][:len(f.bundles["a"])-1024] }},
		{"a key is there twice", bundle.Form, lies(func(f *forger) {
			f.edit(bundle.PageJSON, `"atto_delta":`, `"atto_delta": 0, "atto_delta":`)
		})},
		deep("manifest.json", bundle.Form), deep(bundle.PageJSON, bundle.Form), deep(bundle.Network, bundle.Form),
		deep(bundle.Ledger, bundle.LedgerBad), deep(bundle.Receipts, bundle.Form), deep(bundle.Build, bundle.Form),
		{"a build whose fields are 65 lists deep", bundle.Form, lies(func(f *forger) {
			f.edit(bundle.Build, `"go":`, `"more": `+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`, "go":`)
		})},
		{"a ledger with a line of 2 MB", bundle.LedgerBad, lies(func(f *forger) {
			f.parts[bundle.Ledger] = append(f.parts[bundle.Ledger], bytes.Repeat([]byte(" "), 2<<20)...)
		})},
		{"the site leaves a release out, and chains the others", bundle.LedgerBad, lies(func(f *forger) {
			f.ledger(func(lines [][]byte) [][]byte {
				return slices.Delete(lines, firstOf(lines, "release"), firstOf(lines, "release")+1)
			})
		})},
		{"the site cuts the newest records off", bundle.Receipt, lies(func(f *forger) {
			r, _, _ := f.newestReceipt()
			f.ledger(func(lines [][]byte) [][]byte { return lines[:r.Records-1] })
		})},
		{"a charge lowered", bundle.LedgerBad, lies(func(f *forger) {
			f.ledger(func(lines [][]byte) [][]byte {
				lines[1] = halved(f.T, lines[1], "cost")
				return lines
			})
		})},
		{"a release with half of the noise", bundle.LedgerBad, lies(func(f *forger) {
			f.ledger(func(lines [][]byte) [][]byte {
				i := firstOf(lines, "release")
				lines[i] = halved(f.T, lines[i], "scale")
				return lines
			})
		})},
		{"the ledger of another site", bundle.LedgerBad, lies(func(f *forger) {
			_, other := entries(f.T, f.bundles["b"])
			f.parts[bundle.Ledger] = other[bundle.Ledger]
		})},
		{"a budget raised in the ledger alone", bundle.Terms, lies(func(f *forger) {
			f.ledger(func(lines [][]byte) [][]byte {
				lines[0] = replaced(f.T, lines[0], `"budget":1000000000`, `"budget":2000000000`)
				return lines
			})
		})},
		{"the ledger begun again with another unit", bundle.Receipt, lies(func(f *forger) {
			f.ledger(func(lines [][]byte) [][]byte {
				lines[0] = replaced(f.T, lines[0], `"unit":"the value of one reward`, `"unit":"the values of all rewards`)
				return lines
			})
		})},
		{"two versions of the document swapped", bundle.NetworkBad, lies(func(f *forger) {
			f.versions(func(lines [][]byte) { lines[1], lines[2] = lines[2], lines[1] })
		})},
		{"a version left out", bundle.NetworkBad, lies(func(f *forger) {
			f.parts[bundle.Network] = joined(slices.Delete(split(f.parts[bundle.Network]), 2, 3))
		})},
		{"the signatures of another version", bundle.NetworkBad, lies(func(f *forger) {
			sigs := regexp.MustCompile(`"sigs":.*`)
			f.versions(func(lines [][]byte) { lines[2] = sigs.ReplaceAll(lines[2], sigs.Find(lines[1])) })
		})},
		{"a byte of a version altered", bundle.NetworkBad, line(3, `"peer":"c"`, `"peer":"d"`)},
		{"a version that one of two admins signs", bundle.NetworkBad, line(3, "", "", "a")},
		{"a version that a member signs, too, who is no admin", bundle.NetworkBad, line(3, "", "", "a", "b", "c")},
		{"a version that one admin signs twice", bundle.NetworkBad, line(3, "", "", "a", "a", "b")},
		{"a version with a field that its change does not use", bundle.NetworkBad, line(3, `"peer":"c"`, `"peer":"c","arm":"white"`, "a", "b")},
		{"a version with a key twice", bundle.Form, line(3, `"by":0`, `"by":0,"by":0`, "a", "b")},
		{"a version with a text for a place", bundle.NetworkBad, line(2, `"place":0`, `"place":"0"`)},
		{"a record altered", bundle.NetworkBad, line(4, `/ip4/127.0.0.1/`, `/ip4/127.0.0.2/`)},
		{"a record of another network", bundle.NetworkBad, line(4, `"network":"`, `"network":"0`, "b")},
		{"a record without addresses", bundle.NetworkBad, line(4, `"addrs"`, `"left":true,"addrs"`, "b")},
		{"a record with a key that the one before has not signed", bundle.NetworkBad, lies(func(f *forger) {
			f.resigned(5, f.keys["c"].ID(), f.keys["thief"].ID(), "thief")
		})},
		{"a document at the end in which a peer is gone", bundle.NetworkBad, line(6, `"standing":"present"`, `"standing":"gone"`)},
		{"a document at the end with other links", bundle.NetworkBad, line(6, `[0,1],[0,2]`, `[0,2]`)},
		{"a document at the end with another number", bundle.NetworkBad, line(6, `"version":4`, `"version":5`)},
		{"the document of another network", bundle.NetworkBad, elsewhere(`"name":"clinics"`, `"name":"others"`)},
		{"the document of a network that was founded again", bundle.Terms, elsewhere(`/ip4/127.0.0.1/`, `/ip4/127.0.0.2/`)},
		{"the name of another network", bundle.LedgerBad, lies(func(f *forger) { f.m.Network = "others" })},
		{"a member signs for another site", bundle.NetworkBad, func(f *forger) []byte {
			f.m.Peer = f.keys["b"].ID()
			return f.signed("b")
		}},
		{"a member signs in the name of another", bundle.Signature, func(f *forger) []byte { return f.signed("b") }},
		{"settings changed", bundle.PageBad, lies(func(f *forger) {
			f.edit(bundle.Settings, "window: 1m", "window: 9m")
		})},
		{"settings with another ε, of which the page knows", bundle.Terms, lies(func(f *forger) {
			was := f.parts[bundle.Settings]
			f.edit(bundle.Settings, "epsilon: 1\n", "epsilon: 0.1\n")
			f.settled(was)
		})},
		{"a policy with another ε", bundle.Terms, lies(func(f *forger) {
			f.edit(bundle.Policy, `privacy.epsilon "1"`, `privacy.epsilon "0.1"`)
		})},
		{"a policy with another term, which settings do not have", bundle.Terms, lies(func(f *forger) {
			f.edit(bundle.Policy, `privacy.calibration "tight"`, `privacy.calibration "paper"`)
		})},
		{"a page whose two forms are of different settings", bundle.PageBad, lies(func(f *forger) {
			sum := sha256.Sum256(f.parts[bundle.Settings])
			f.edit(bundle.PageJSON, hex.EncodeToString(sum[:]), strings.Repeat("0", 64))
		})},
		{"a page with another promise", bundle.PageBad, lies(func(f *forger) {
			f.edit(bundle.Page, "ε 1 and", "ε 0.1 and")
			f.edit(bundle.PageJSON, "ε 1 and", "ε 0.1 and")
		})},
		{"a page for people with another promise", bundle.PageBad, lies(func(f *forger) {
			f.edit(bundle.Page, "ε 1 and", "ε 0.1 and")
		})},
		{"the page of an earlier day", bundle.PageBad, lies(func(f *forger) {
			f.edit(bundle.PageJSON, f.m.Made.Format(time.RFC3339), before(f).Format(time.RFC3339))
		})},
		{"another build than the page's", bundle.BuildBad, lies(func(f *forger) {
			f.edit(bundle.Build, `"go": "go`, `"go": "go9.`)
		})},
		{"a build with faults for tests", bundle.BuildBad, lies(func(f *forger) {
			f.edit(bundle.Build, `"go":`, `"tags": "failpoint", "go":`)
			f.edit(bundle.PageJSON, `"go":`, `"tags": "failpoint", "go":`)
		})},
		{"a receipt of another site's ledger", bundle.Receipt, lies(func(f *forger) {
			_, other := entries(f.T, f.bundles["c"])
			ofB := func(line []byte) bool { return bytes.Contains(line, []byte(`"witness":"`+f.keys["b"].ID())) }
			lines := slices.DeleteFunc(split(f.parts[bundle.Receipts]), ofB)
			theirs := split(other[bundle.Receipts])
			lines = append(lines, theirs[slices.IndexFunc(theirs, ofB)])
			receipts := slices.DeleteFunc(slices.Clone(lines), func(b []byte) bool { return !bytes.Contains(b, []byte(`"kind":"receipt"`)) })
			others := slices.DeleteFunc(lines, func(b []byte) bool { return bytes.Contains(b, []byte(`"kind":"receipt"`)) })
			f.parts[bundle.Receipts] = joined(slices.Concat(sorted(receipts), others))
		})},
		{"a receipt of a later time", bundle.Receipt, lies(func(f *forger) {
			r, _, _ := f.newestReceipt()
			was := r.Time.Format(time.RFC3339)
			f.edit(bundle.Receipts, was, r.Time.Add(time.Second).Format(time.RFC3339))
		})},
		{"a receipt of a stranger", bundle.Receipt, lies(func(f *forger) {
			r, lines, i := f.newestReceipt()
			lines[i] = f.receipt(f.keys["thief"], f.keys["a"].ID(), r.Records, r.Head, r.Time)
			f.parts[bundle.Receipts] = joined(slices.Concat(sorted(lines[:i+1]), lines[i+1:]))
		})},
		{"a receipt that the site signs itself", bundle.Receipt, lies(func(f *forger) {
			r, lines, i := f.newestReceipt()
			lines[i] = f.receipt(f.keys["a"], f.keys["a"].ID(), r.Records, r.Head, r.Time)
			f.parts[bundle.Receipts] = joined(slices.Concat(sorted(lines[:i+1]), lines[i+1:]))
		})},
		{"a checkpoint of another ledger", bundle.Receipt, lies(func(f *forger) {
			lines := split(f.parts[bundle.Receipts])
			i := firstOf(lines, "checkpoint")
			lines[i] = regexp.MustCompile(`"head":"..`).ReplaceAll(lines[i], []byte(`"head":"00`))
			f.parts[bundle.Receipts] = joined(lines)
		})},
		{"a clock before the newest receipt", bundle.Clock, lies(func(f *forger) {
			f.made(before(f))
		})},
		{"a clock before the newest release", bundle.Clock, lies(func(f *forger) {
			f.made(before(f))
			f.parts[bundle.Receipts] = nil
		})},
	}
}

func sorted(lines [][]byte) [][]byte {
	slices.SortFunc(lines, bytes.Compare)
	return lines
}

// verifiedByBoth verifies a bundle with the command and, where there is Python, with the program of docs/examples. Both have to find a fault
// of a kind, or none.
func verifiedByBoth(t *testing.T, file string, kind bundle.Kind) {
	t.Helper()
	c, stdout, stderr := peerd(t, "audit", "verify", file)
	want := exitPrivacy
	if kind == "" {
		want = exitOK
	}
	if c != want || kind != "" && !strings.Contains(stderr, "fault: "+string(kind)+": ") {
		t.Errorf("code %d, want %d and fault %q\n%s%s", c, want, kind, stdout, stderr)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("there is no python3, so the verifier in docs/examples is not tried")
		return
	}
	out, err := exec.Command(python, "../../docs/examples/python/verify_bundle.py", file).CombinedOutput()
	got := new(exec.ExitError)
	if kind == "" && err != nil || kind != "" && (!errors.As(err, &got) || got.ExitCode() != 5 || !bytes.Contains(out, []byte("fault: "+string(kind)+": "))) {
		t.Errorf("the other verifier: %v, want fault %q\n%s", err, kind, out)
	}
}

// TestForgedBundlesAreFound: two programs verify the bundles of a network that has played, and find the same fault in each forged one.
func TestForgedBundlesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a network of three peers")
	}
	n := playAudited(t)
	folder := os.Getenv("PEERD_BUNDLES") // keeps them
	if folder == "" {
		folder = t.TempDir()
	}
	check := func(t *testing.T, name string, b []byte, kind bundle.Kind) {
		file := filepath.Join(folder, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".tar")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		verifiedByBoth(t, file, kind)
	}
	for name, b := range n.bundles {
		check(t, name, b, "")
	}
	for _, x := range forgeries() {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			f := &forger{T: t, audited: audited{n.keys, map[string][]byte{"a": bytes.Clone(n.bundles["a"]), "b": n.bundles["b"], "c": n.bundles["c"]}}}
			f.m, f.parts = entries(t, f.bundles["a"])
			check(t, x.name, x.forge(f), x.kind)
		})
	}
}
