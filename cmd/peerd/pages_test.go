package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"peerd.dev/internal/command"
	"peerd.dev/internal/config"
	"peerd.dev/internal/lab/plan"
	"peerd.dev/node/lab/papers"
	"peerd.dev/protocol"
	"peerd.dev/protocol/table"
)

// These pages are generated from the schema and the table of codes, by the tests that compare
// them.

const pageHead = "# Configuration\n\n" +
	"<!-- Written by: go test ./cmd/peerd -run TestConfigurationPage -update -->\n\n" +
	"```yaml\nprivacy:\n  epsilon: 1\n```\n\n" +
	"All commands share one schema. A setting is taken from `--set privacy.epsilon=1`, the environment\n" +
	"(`PEERD_PRIVACY_EPSILON=1`, not if empty), the file or its default, in that order. The file is the command's argument or\n" +
	"`--config FILE`; without either it is `peerd.yaml` in the peer's folder. [configs/peerd.yaml](../configs/peerd.yaml) is the\n" +
	"one that `peerd init` writes. `peerd config check` prints what a configuration means, `peerd config show` the source of each\n" +
	"value.\n\n" +
	"An unknown key, a wrong type, a value out of range, and values that do not go together are refused with exit code 4, all at\n" +
	"once, one a line: key, value, what is wanted, where it was set, such as `peerd.yaml:4`. A file is one YAML document (JSON is\n" +
	"YAML, too). A key has one spelling, in lower case, and occurs once, in its section or with dots; without a value it counts as\n" +
	"absent. Aliases (`*name`) stand for values and not for sections; `<<` is not read. On the command line and in the environment\n" +
	"a list of names may be written `a,b,c`. Names that YAML takes for numbers, dates, true, false or null go in quotes. They have\n" +
	"no control or format characters and no blanks at their ends, and two with the same letters (NFC) are one.\n\n" +
	"Parameters of a learner, protocol or world mean something only if it is the chosen one. The tables have the default in `code`,\n" +
	"what is allowed, and the unit. Keys with ✓ must be the same at all peers of a network, which otherwise refuse each other; those\n" +
	"with `set` can change while the peers of a [signed document](network.md#a-network-that-changes) run (`peerd network set`), and\n" +
	"the file keeps the first value. Rows of numbers are one row for all sites, or several that sites take in turn, each as long as\n" +
	"`arms`.\n"

// configurationPage returns docs/configuration.md.
func configurationPage() string {
	p := keysPage{known: make(map[string]config.Key)}
	p.WriteString(pageHead)
	site := config.Site()
	for _, k := range site.Keys() {
		if k.Laboratory {
			continue
		}
		if p.section(k) {
			p.WriteString("| key | values | meaning |\n|---|---|---|\n")
		}
		p.row(k)
	}
	p.WriteString("\n## The laboratory\n\nThese keys are for testnets and experiments; `peerd config show --schema` has their meanings, defaults and values.\n")
	for _, k := range plan.Schema().Keys() {
		of, known := site.Find(k.Name)
		known = known && !of.Laboratory
		if known && of.Want() == k.Want() {
			continue
		}
		p.section(k)
		fmt.Fprintf(&p, "- `%s`", k.Name)
		if known {
			more := strings.Split(strings.ReplaceAll(k.Want(), " or ", ", "), ", ")
			more = slices.DeleteFunc(more, func(word string) bool { return strings.Contains(of.Want(), word) })
			p.WriteString(", also " + strings.Join(more, ", "))
		}
		if k.Changes {
			p.WriteString(" `set`")
		}
		p.WriteString("\n")
	}
	return p.String()
}

// A keysPage is a page of keys by section.
type keysPage struct {
	strings.Builder
	title string
	known map[string]config.Key // the first with a meaning
}

// section writes the heading of the section of a key, and reports whether the key before has another one.
func (p *keysPage) section(k config.Key) bool {
	title, _, deep := strings.Cut(k.Name, ".")
	title = "`" + title + "`"
	if !deep {
		title = "The peer"
	}
	if title == p.title {
		return false
	}
	p.title = title
	p.WriteString("\n### " + title + "\n\n")
	return true
}

// row writes a row of a table.
func (p *keysPage) row(k config.Key) {
	values, meaning := allowed(k), k.Doc
	if k.Name == "learner.name" {
		_, defaults, _ := strings.Cut(k.Doc, ". ")
		meaning = "The learner, which chooses arms; [protocols.md](protocols.md#learners) compares them. " + defaults
	}
	if before, ok := p.known[k.Doc]; ok && len(strings.Fields(meaning)) > 5 {
		meaning = "As `" + before.Name + "`."
		if values == allowed(before) {
			values = ""
		}
	} else if !ok {
		p.known[k.Doc] = k
	}
	fmt.Fprintf(p, "| `%s` | %s | %s |\n", k.Name, values, meaning)
}

// allowed returns the default of a key, in quotes, what is allowed in few words, and how peers share it.
func allowed(k config.Key) string {
	want, least := strings.CutPrefix(k.Want(), "a whole number from ")
	if least && !strings.Contains(want, " to ") {
		want += " or more"
	}
	for _, long := range []string{"a duration from ", "a number from ", "a number ", "a list of "} {
		want = strings.TrimPrefix(want, long)
	}
	for _, rest := range []string{", such as", ": one row for all", ": one for all", "; `"} {
		want, _, _ = strings.Cut(want, rest)
	}
	text := "`" + k.Default + "`; " + want
	switch words := " " + strings.ReplaceAll(want, ",", " ,") + " "; {
	case k.Required():
		text = "required: " + want
	case strings.Contains(words, " "+k.Default+" ") && strings.Contains(words, " or ") && !least:
		text = strings.ReplaceAll(strings.TrimSpace(strings.Replace(words, " "+k.Default+" ", " `"+k.Default+"` ", 1)), " ,", ",")
	}
	if k.Unit != "" && k.Unit != "duration" && k.Unit != "place" {
		text += " " + k.Unit
	}
	if k.Begin != "" {
		text += "; a new folder has `" + k.Begin + "`"
	}
	switch {
	case k.Changes:
		text += " ✓ `set`"
	case k.Shared:
		text += " ✓"
	}
	return text
}

// exampleHead is the head of configs/peerd.yaml.
const exampleHead = `What a site may want to change, as peerd init writes it; docs/configuration.md has the rest.
Take the # off a key to change it from its default.
Written by: go test ./cmd/peerd -run TestConfigurationPage -update
`

// exampleConfig returns configs/peerd.yaml.
func exampleConfig() string {
	values := make(map[string]string)
	for _, k := range plan.Schema().Keys() {
		switch {
		case k.Begin != "":
			values[k.Name] = k.Begin
		case k.Example != "":
			values[k.Name] = k.Example
		}
	}
	return plan.Schema().Page(exampleHead, values)
}

// exitCodesPage returns docs/exit-codes.md.
func exitCodesPage() string {
	var b strings.Builder
	b.WriteString("# Exit codes\n\n<!-- Written by: go test ./cmd/peerd -run TestConfigurationPage -update -->\n\n" +
		"Also `peerd help exit-codes`. Text for people goes to standard error. With `--json` an error is a document\n" +
		"on standard output: `code`, `message` and, for a configuration, `problems` with `key`, `value` and `reason`.\n\n" +
		"| code | meaning | what to do |\n|---|---|---|\n")
	for _, m := range command.Meanings() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", m.Code, m.Meaning, m.Remedy)
	}
	return b.String()
}

// protocolsPage returns docs/protocols.md with its table as the protocols describe themselves.
func protocolsPage(t *testing.T) string {
	t.Helper()
	const begin, end = "<!-- protocols: go test ./cmd/peerd -run TestConfigurationPage -update -->\n", "<!-- end of protocols -->"
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocols.md"))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatal("docs/protocols.md has no place for the table")
	}
	var b strings.Builder
	b.WriteString(head + begin + "| protocol | spreads | take it |\n|---|---|---|\n")
	rows := func(all []protocol.Params) {
		for _, p := range all {
			w := p.Words()
			if w.When == "" {
				t.Errorf("protocol %s does not say when to take it", w.Name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", w.Name, w.Summary, w.When)
		}
	}
	rows(table.Protocols())
	b.WriteString("\nThe laboratory has these in addition, from papers: `peerd` knows them, programs that embed a peer do not.\n\n" +
		"| protocol | spreads | take it |\n|---|---|---|\n")
	rows(papers.Protocols())
	return b.String() + end + tail
}
