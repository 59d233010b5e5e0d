package config

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/renameio/v2"
)

// Text writes a configuration with every key: those of values with their
// value, the others as comments with their default.
func Text(head string, values map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(head) {
		b.WriteString("# " + line)
	}
	section := ""
	for _, k := range Schema() {
		if k.Section() == section {
			b.WriteByte('\n')
		}
		writeSections(&b, section, k.Section())
		section = k.Section()
		pad := strings.Repeat("  ", strings.Count(k.Name, "."))
		for line := range strings.Lines(Wrap(k.Doc+" Wants "+k.Want()+inUnit(k)+".", 78-len(pad))) {
			b.WriteString(pad + "# " + line)
		}
		value, ok := values[k.Name]
		switch {
		case ok:
			fmt.Fprintf(&b, "%s%s: %s\n", pad, k.Last(), value)
		case k.Required():
			fmt.Fprintf(&b, "%s# %s: %s # required, without a default\n", pad, k.Last(), k.Example)
		default:
			fmt.Fprintf(&b, "%s# %s: %s\n", pad, k.Last(), k.Default)
		}
	}
	return b.String()
}

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
	if same == 0 {
		b.WriteByte('\n')
	}
	for depth := same; depth < len(words); depth++ {
		fmt.Fprintf(b, "%s%s:\n", strings.Repeat("  ", depth), words[depth])
	}
}

// WriteSettings writes a configuration in which every key has its value, whole or
// not at all.
func WriteSettings(path string, s *Settings, mode fs.FileMode) error {
	return renameio.WriteFile(path, []byte(Text("A configuration of peerd, written by a program.\n", s.Values())), mode)
}
