package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Problem is one value that is refused.
type Problem struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"` // as in a file; empty if there is none, or not one
	Reason string `json:"reason"`          // what is wanted instead
	From   string `json:"from,omitempty"`  // where the value was set, such as a.yaml:4; empty for a default
}

// String returns the problem as one line: key, value if there is one, reason.
func (p Problem) String() string {
	line := p.Key + ": " + p.Reason
	if p.Value != "" {
		line = fmt.Sprintf("%s: %s: %s", p.Key, p.Value, p.Reason)
	}
	if p.From != "" {
		line += " (set by " + p.From + ")"
	}
	return line
}

// A Refusal is a file, or what stands for one, with everything wrong in it.
type Refusal struct {
	What     string // was refused, such as "configuration a.yaml"
	Problems []Problem
}

// Is reports whether target is [ErrRefused].
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// Error has one line for each problem after a first line.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.Summary())
	for _, p := range r.Problems {
		b.WriteString("\n" + p.String())
	}
	return b.String()
}

// Summary is the first line.
func (r *Refusal) Summary() string {
	if len(r.Problems) == 1 {
		return r.What + " refused: 1 problem"
	}
	return fmt.Sprintf("%s refused: %d problems", r.What, len(r.Problems))
}

// AnyBad reports whether a key is bad, or one that begins with a prefix.
func AnyBad(bad map[string]bool, prefix string, keys ...string) bool {
	for key, is := range bad {
		if is && (strings.HasPrefix(key, prefix) || slices.Contains(keys, key)) {
			return true
		}
	}
	return false
}

// named reports whether a problem names a key or a section around it.
func named(problems []Problem, key string) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool {
		return p.Key == key || strings.HasPrefix(key, p.Key+".")
	})
}
