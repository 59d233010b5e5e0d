package bundle

import (
	"crypto/sha256"
	"math"
	"strconv"
	"strings"
	"time"

	"peerd.dev/node/ledger/check"
	"peerd.dev/node/network"
)

// agreed returns the terms of the part [Policy].
func agreed(b []byte) (map[string]string, error) {
	all := make(map[string]string)
	text, ok := strings.CutSuffix(string(b), "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if !ok || first != `peerd policy "3"` {
		return nil, fault(Form, "%s begins with %.40q, or has no newline at its end", Policy, first)
	}
	for line := range strings.SplitSeq(rest, "\n") {
		key, quoted, _ := strings.Cut(line, " ")
		value, err := strconv.Unquote(quoted)
		if _, twice := all[key]; twice || err != nil || strconv.Quote(value) != quoted {
			return nil, fault(Form, "%s: %.100q: want a key and a quoted value, each key once", Policy, line)
		}
		all[key] = value
	}
	return all, nil
}

// settings returns the values of the part [Settings] by key.
func settings(b []byte) (map[string]string, error) {
	all := make(map[string]string)
	var sections []string
	text, ok := strings.CutSuffix(string(b), "\n")
	for i, line := range strings.Split(text, "\n") {
		rest := strings.TrimLeft(line, " ")
		depth := (len(line) - len(rest)) / 2
		key, value, found := strings.Cut(rest, ":")
		if !found || !ok || len(line)-len(rest) != 2*depth || depth > len(sections) || key == "" || value != "" && value[0] != ' ' {
			return nil, fault(Form, "%s: line %d: want a key with a value, or a section", Settings, i+1)
		}
		sections = append(sections[:depth:depth], key)
		name := strings.Join(sections, ".")
		if _, twice := all[name]; twice {
			return nil, fault(Form, "%s: line %d: %.70q is there twice", Settings, i+1, name)
		}
		if value != "" {
			sections, all[name] = sections[:depth], value[1:]
		}
	}
	return all, nil
}

// terms checks that policy, settings, ledger and network are about the same, and returns the policy.
func terms(policy, file []byte, l *check.Report, d *network.Document) (map[string]string, error) {
	if sum := sha256.Sum256(policy); sum != l.Policy {
		return nil, fault(Terms, "%s has SHA-256 %x, and the ledger began under %v", Policy, sum, l.Policy)
	}
	all, err := agreed(policy)
	if err != nil {
		return nil, err
	}
	set, err := settings(file)
	if err != nil {
		return nil, err
	}
	for key, want := range map[string]string{
		"network.name": d.Name, "network.start": d.Start.Format(time.RFC3339Nano), "network.every": d.Duration().String(), "network.first": d.Network,
	} {
		if all[key] != want {
			return nil, fault(Terms, "%s: %s is %.100q, and the network's is %q", Policy, key, all[key], want)
		}
	}
	for key, value := range set {
		if a, ok := all[key]; ok && a != value {
			return nil, fault(Terms, "%s: %s is %.100q, and the network agreed on %.100q", Settings, key, value, a)
		}
	}
	for key, x := range map[string]struct{ unit, has float64 }{"privacy.epsilon": {1e9, float64(l.Budget)}, "privacy.delta": {1e18, float64(l.Delta)}} {
		v, err := strconv.ParseFloat(all[key], 64)
		if _, ok := set[key]; err != nil || !ok || !(math.Abs(v*x.unit-x.has) <= max(1, 1e-9*x.has)) {
			return nil, fault(Terms, "%s is %.40q, and the ledger's is %v/%v", key, all[key], x.has, x.unit)
		}
	}
	return all, nil
}
