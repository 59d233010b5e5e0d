package config

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Config is Settings with where they came from.
type Config struct {
	Settings
	File string            // the file that was read; empty if there was none
	From map[string]Origin // by key
	read *fileReader       // that has read File
	text []byte            // of File if it is not on this machine's disk; see LoadText
	set  []string          // the values of --set
}

// An Origin says who set a value.
type Origin string

// The origins, from the first that counts to the last.
const (
	FromFlag    Origin = "flag"
	FromEnv     Origin = "env"
	FromFile    Origin = "file"
	FromNetwork Origin = "network file"
	FromDefault Origin = "default"
	FromNobody  Origin = "missing" // the key is required
)

// setter names the flag or the variable that set the value of a key; it is empty for other origins.
func (o Origin) setter(key string) string {
	switch o {
	case FromFlag:
		return "--set " + key
	case FromEnv:
		return EnvName(key)
	default:
		return ""
	}
}

// setter names where the value of a key was set; it is empty for a default.
func (c *Config) setter(key string) string {
	if c.From[key] == FromFile {
		return c.read.where(key)
	}
	return c.From[key].setter(key)
}

// EnvPrefix begins the names of the environment variables that set keys.
const EnvPrefix = "PEERD_"

// EnvName returns the environment variable that sets a key.
func EnvName(key string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(key, ".", "_"), "-", "_"))
}

// parseSet parses what --set was given. The last of two for one key counts.
func parseSet(set []string) (map[string]any, error) {
	values := make(map[string]any)
	for _, s := range set {
		key, value, ok := strings.Cut(s, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, Failf(ErrUsage, "--set %q: want key=value, such as --set privacy.epsilon=1", s)
		}
		values[key] = value
	}
	return values, nil
}

// strangeEnv refuses variables that are one slip, or the case of letters, away from a key's. Others with
// the prefix pass: container platforms set some for a service named peerd.
func (s *Schema) strangeEnv() []Problem {
	known := make(map[string]bool) // never ranged over
	for _, k := range s.keys {
		known[EnvName(k.Name)] = true
	}
	var problems []Problem
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		for _, e := range endedKeys() {
			if name == EnvName(e.Name) && value != "" && value != e.value {
				problems = append(problems, Problem{Key: name, Value: Short(value), Reason: e.reason()})
			}
		}
		upper := strings.ToUpper(name)
		if known[name] || !strings.HasPrefix(upper, EnvPrefix) {
			continue
		}
		for _, k := range s.keys {
			if meant := EnvName(k.Name); distance(upper, meant) <= 1 {
				problems = append(problems, Problem{
					Key: name, Value: Short(value), Reason: "unknown environment variable; did you mean " + meant + "?",
				})
				break
			}
		}
	}
	return problems
}

// strangeKeys refuses, of the values of a file or of flags, those whose keys are
// not in the schema. where says where a key was set.
func (s *Schema) strangeKeys(values map[string]any, from Origin, where func(key string) string) []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := s.Find(name); ok {
			continue
		}
		text, typed := values[name].(string)
		if values[name] != nil && (!typed || from == FromFile) {
			text = ValueText(values[name])
		}
		e, was := ended(name)
		if was && e.value == text {
			continue
		}
		p := s.strangeKey(name, text)
		if was {
			p.Reason = e.reason()
		}
		p.From = where(name)
		problems = append(problems, p)
	}
	return problems
}

func (s *Schema) strangeKey(name, value string) Problem {
	if under := s.Under(name); len(under) > 0 {
		return Problem{Key: name, Value: Short(value), Reason: "want a section with keys such as " + under[0]}
	}
	for up, _ := cutLast(name); up != ""; up, _ = cutLast(up) {
		if k, ok := s.Find(up); ok {
			return Problem{Key: up, Value: "a section", Reason: "want " + k.Want()}
		}
	}
	reason := "unknown key; `peerd config show --schema` lists all"
	_, last := cutLast(name)
	if _, err := strconv.ParseFloat(last, 64); err == nil {
		reason = "unknown key; a decimal number has a point"
	} else if near := s.Nearest(name); near != "" {
		reason = "unknown key; did you mean " + near + "?"
	}
	return Problem{Key: name, Value: Short(value), Reason: reason}
}
