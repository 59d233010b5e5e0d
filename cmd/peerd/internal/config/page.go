package config

import (
	"fmt"
	"strings"
)

const pageHead = "# Configuration\n\n" +
	"<!-- Written by: go test ./cmd/peerd -run TestConfigurationPage -update -->\n\n" +
	"One schema serves `peerd run`, `peerd testnet` and `peerd experiment`. A setting comes from\n" +
	"`--set key=value`, else from the environment, else from the file, else from its default:\n" +
	"`privacy.epsilon` is `--set privacy.epsilon=1`, `PEERD_PRIVACY_EPSILON=1`, and in the file\n\n" +
	"```yaml\nprivacy:\n  epsilon: 1\n```\n\n" +
	"The file is the one that `--config` names, else `peerd.yaml` in the peer's folder. An unknown key, a\n" +
	"wrong type or a value out of range is refused with exit code 4; all problems are named at once, a line\n" +
	"each: key, value, what is wanted. An environment variable that is empty counts as not set. On the command\n" +
	"line and in the environment a list of names may be written `a,b,c`.\n\n" +
	"`peerd config check` says what a configuration means, `peerd config show` who set each value, and\n" +
	"[configs/peerd.yaml](../configs/peerd.yaml) has every key to copy. Keys marked ✓ have to be the same at\n" +
	"all peers of a network; peers with different ones refuse each other.\n"

// Page returns docs/configuration.md.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	title := "-"
	for _, k := range Schema() {
		top, _, deep := strings.Cut(k.Name, ".")
		if !deep {
			top = ""
		}
		if top != title {
			title = top
			heading := "The peer"
			if top != "" {
				heading = "`" + top + "`"
			}
			fmt.Fprintf(&b, "\n## %s\n\n| key | default | wants | unit | shared | meaning |\n|---|---|---|---|---|---|\n", heading)
		}
		standard, shared := "`"+k.Default+"`", ""
		if k.Required() {
			standard = "required"
		}
		if k.Shared {
			shared = "✓"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name, standard, k.Want(), k.Unit, shared, k.Doc)
	}
	b.WriteString("\n## Across keys\n\nRefused is the first key of a row; the message names the others.\n\n| keys | rule |\n|---|---|\n")
	for _, p := range Constraints() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.Join(p.Keys, "`, `"), p.Doc)
	}
	return b.String()
}
