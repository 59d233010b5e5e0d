package config

import (
	"fmt"
	"slices"
	"strings"
)

// A group is a part of the page that an operator edits.
type group struct {
	title    string
	sections []string // of the keys that belong to it
	keys     []pageKey
}

// A pageKey is a key that a site may want to change, with a comment for the end of its line.
type pageKey struct{ name, about string }

// page lists the groups in the order in which they are written.
func page() []group {
	return []group{
		{"This site", []string{""}, []pageKey{
			{"dir", "folder of the peer"},
			{"listen", "where other peers reach this one"},
			{"arms", "the actions: the same, in the same order, at all peers"},
			{"spare_arms", "room for actions that are added later"},
		}},
		{"Network: the same at all peers", []string{"give", "rounds", "protocol", "learner", "features"}, []pageKey{
			{"rounds.every", "length of a round"},
			{"protocol.name", "how what is learned spreads"},
			{"learner.name", "how actions are chosen"},
			{"learner.explore", "share of choices made at random, for off-policy evaluation"},
		}},
		{"Privacy: the same at all peers, and for the whole life of this folder", []string{"privacy"}, []pageKey{
			{"privacy.epsilon", "budget of one user; smaller protects better"},
			{"privacy.records_per_user", "most rewards of one user"},
			{"privacy.mechanism", "how noise is added"},
			{"privacy.counts", "noised also hides whether a user was there"},
			{"privacy.horizon", "rounds that the budget covers; 0 is a whole life"},
			{"privacy.answers", "of this site: who may see what it answers, anyone or inside"},
		}},
		{"Application", []string{"api"}, []pageKey{
			{"api.listen", "such as 127.0.0.1:8470, in addition to the socket in dir"},
			{"api.window", "how long the reward of a decision is accepted"},
			{"api.default_reward", "reward of a decision for which none came"},
			{"api.reward", "which reports make a reward: first, last or sum"},
			{"api.reward_range", "least and greatest reward, the same at all peers, for the whole life of this folder"},
			{"api.fallback", "action before the first round is over"},
			{"api.min_exposures", "decisions for every action before the learner takes over"},
			{"api.keep", "how long a decision is remembered after its window"},
		}},
		{"Disk and log", []string{"store", "log"}, []pageKey{
			{"store.reserve", "MiB of disk to keep free"},
			{"log.level", "debug, info, warn or error"},
			{"log.format", "auto, text or json"},
		}},
	}
}

// Page writes the configuration of a new folder: what a site may want to change, by group. Keys with a
// value have it, the others stand there as comments with their default. Values of keys that are not of the page
// follow in their group, or at the end.
func (s *Schema) Page(head string, values map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(head) {
		b.WriteString("# " + line)
	}
	section := ""
	write := func(k Key, about string) {
		writeSections(&b, section, k.Section())
		section = k.Section()
		line := indent(k.Name) + k.Last() + ": "
		value, given := values[k.Name]
		switch {
		case given:
			line += value
		case k.Required():
			line = indent(k.Name) + "# " + k.Last() + ": " + k.Example
			about = "REQUIRED: " + about
		default:
			line = indent(k.Name) + "# " + k.Last() + ": " + k.Default
		}
		if about == "" {
			b.WriteString(line + "\n")
			return
		}
		fmt.Fprintf(&b, "%-40s # %s\n", line, about)
	}
	groups, other := page(), group{title: "Other"}
	var known []string
	for _, g := range groups {
		known = append(known, g.sections...)
	}
	for _, k := range s.keys {
		if !slices.Contains(known, k.top()) {
			known, other.sections = append(known, k.top()), append(other.sections, k.top())
		}
	}
	for _, g := range append(groups, other) {
		titled := false
		for _, top := range g.sections {
			for _, k := range s.keys {
				at := slices.IndexFunc(g.keys, func(p pageKey) bool { return p.name == k.Name })
				if _, given := values[k.Name]; k.top() != top || at < 0 && !given {
					continue
				}
				if !titled {
					fmt.Fprintf(&b, "\n# %s\n", g.title)
					titled = true
				}
				about := ""
				if at >= 0 {
					about = g.keys[at].about
				}
				write(k, about)
			}
		}
	}
	return b.String()
}
