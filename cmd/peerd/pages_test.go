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
	"`peerd run`, `peerd testnet`, `peerd audit` and `peerd experiment` share one schema. A setting is taken\n" +
	"from `--set key=value`, the environment, the file or its default, in that order: `privacy.epsilon` is\n" +
	"`--set privacy.epsilon=1`, `PEERD_PRIVACY_EPSILON=1`, and in the file\n\n" +
	"```yaml\nprivacy:\n  epsilon: 1\n```\n\n" +
	"Every command that reads a configuration takes its file as an argument, as in `peerd config check FILE`,\n" +
	"or by `--config FILE`. Without either it reads `peerd.yaml` in the peer's folder, if it exists. An unknown\n" +
	"key, a wrong type or a value out of range is refused with exit code 4. All problems are reported at once,\n" +
	"one a line: key, value, what is wanted, where it was set, such as `peerd.yaml:4`. An empty environment variable\n" +
	"counts as not set. On the command line and in the environment a list of names may be written `a,b,c`.\n\n" +
	"A file is one YAML document (JSON is YAML, too), whatever its name ends in. A key has one spelling, in lower case,\n" +
	"and occurs once, in its section or with dots; without a value it counts as absent. Aliases (`*name`) stand for\n" +
	"values and not for sections, and `<<` is not read. Names of actions that YAML takes for numbers, dates, true, false\n" +
	"or null go in quotes: `010` and `8` are one number, and `\"010\"` and `\"8\"` two names. Names have no control or\n" +
	"format characters (Unicode Cc, Cf) and no blanks at their ends, and two that have the same letters (NFC) are one.\n\n" +
	"Parameters of a learner, protocol or world have its name in their key, as in `learner.personalized.price`, and\n" +
	"mean something only if it is the chosen one. `peerd config check` prints what a configuration means,\n" +
	"`peerd config show` the source of each value. [configs/peerd.yaml](../configs/peerd.yaml) is the page that\n" +
	"`peerd init` writes. Keys marked ✓ must be the same at all peers of a network: peers with different values refuse each\n" +
	"other. Those with `set` can change while the peers of a [signed document](network.md#a-network-that-changes) run\n" +
	"(`peerd network set`); the file keeps the first value.\n"

// configurationPage returns docs/configuration.md.
func configurationPage() string {
	var b strings.Builder
	b.WriteString(pageHead)
	site, all := config.Site().Keys(), plan.Schema().Keys()
	writeKeys(&b, "A site", "The peer", slices.DeleteFunc(slices.Clone(site), func(k config.Key) bool { return k.Laboratory }))
	writeKeys(&b, "The laboratory", "Runs", slices.DeleteFunc(slices.Clone(all), func(k config.Key) bool {
		return !k.Laboratory && slices.ContainsFunc(site, func(of config.Key) bool { return of.Name == k.Name && of.Want() == k.Want() })
	}))
	b.WriteString("\n## Across keys\n\nThe first key of a row is refused, and the message names the others.\n\n| keys | rule |\n|---|---|\n")
	for _, p := range plan.Schema().Constraints() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(p.Keys, "`, `"), p.Doc)
	}
	return b.String()
}

// writeKeys writes a part of the page: tables of keys by section.
func writeKeys(b *strings.Builder, part, first string, keys []config.Key) {
	fmt.Fprintf(b, "\n## %s\n", part)
	title := "-"
	for _, k := range keys {
		top, _, deep := strings.Cut(k.Name, ".")
		if !deep {
			top = ""
		}
		if top != title {
			title = top
			heading := first
			if top != "" {
				heading = "`" + top + "`"
			}
			fmt.Fprintf(b, "\n### %s\n\n| key | default | wants | unit | shared | meaning |\n|---|---|---|---|---|---|\n", heading)
		}
		standard, shared := "`"+k.Default+"`", ""
		if k.Required() {
			standard = "required"
		}
		switch {
		case k.Changes:
			shared = "✓ `set`"
		case k.Shared:
			shared = "✓"
		}
		if k.Begin != "" {
			standard += "; a new folder has `" + k.Begin + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, standard, k.Want(), k.Unit, shared, k.Doc)
	}
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
