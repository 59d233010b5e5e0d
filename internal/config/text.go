package config

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/renameio/v2"
)

// Text writes a configuration that holds values by key, in the order of the schema.
func (s *Schema) Text(head string, values map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(head) {
		b.WriteString("# " + line)
	}
	section := ""
	for _, k := range s.keys {
		value, ok := values[k.Name]
		if !ok {
			continue
		}
		writeSections(&b, section, k.Section())
		section = k.Section()
		fmt.Fprintf(&b, "%s%s: %s\n", indent(k.Name), k.Last(), value)
	}
	return b.String()
}

// indent returns the space before a key in a file.
func indent(name string) string { return strings.Repeat("  ", strings.Count(name, ".")) }

// writeSections writes the headings that lead from one section to another.
func writeSections(b *strings.Builder, from, to string) {
	if from == to {
		return
	}
	had, words := strings.Split(from, "."), strings.Split(to, ".")
	same := 0
	for same < min(len(had), len(words)) && had[same] == words[same] {
		same++
	}
	for depth := same; depth < len(words); depth++ {
		fmt.Fprintf(b, "%s%s:\n", strings.Repeat("  ", depth), words[depth])
	}
}

// WriteSettings writes a configuration in which every key has its value, whole or not at all.
func WriteSettings(path string, s *Settings, mode fs.FileMode) error {
	return renameio.WriteFile(path, []byte(s.Schema().Text("A configuration of peerd, written by a program.\n", s.Values())), mode)
}

// AsFile writes the settings as a configuration file, the bytes of `peerd config show --yaml`: every setting of a site that
// applies, and settings of the laboratory that differ from their defaults, without dir. It does not say who set them, so that a
// running peer and an auditor with a copy of the folder write the same.
func (s *Settings) AsFile() []byte {
	values := s.Values()
	for _, k := range s.Schema().keys {
		_, own := Site().Find(k.Name)
		if k.Name == dirKey || !s.Applies(k) || !own && values[k.Name] == k.Default {
			delete(values, k.Name)
		}
	}
	return []byte(s.Schema().Text("", values))
}

// FileHash returns the SHA-256 of AsFile, which `peerd config show --yaml | sha256sum` prints.
func (s *Settings) FileHash() [sha256.Size]byte { return sha256.Sum256(s.AsFile()) }

// PromiseText states a promise in a sentence without its end, from the values of settings as text.
func PromiseText(site string, set func(key string) string) string {
	counts, horizon, records := "is public", "the site's whole life", "one record"
	if set("privacy.counts") == NoisedCounts {
		counts = "is hidden, too"
	}
	if n := set("privacy.records_per_user"); n != "1" {
		records = n + " records"
	}
	if h := set("privacy.horizon"); h != "0" {
		horizon = h + " rounds"
	}
	return fmt.Sprintf("ε %s and δ %s for %s of each user that decisions name, at %s, over %s; that a user was there %s",
		set("privacy.epsilon"), set("privacy.delta"), records, site, horizon, counts)
}
